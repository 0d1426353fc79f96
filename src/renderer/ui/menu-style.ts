/** The frame and item styles of every small menu. */
export const menuPanel =
  'z-50 min-w-40 animate-appear rounded-lg bg-overlay p-1 text-sm text-text shadow-overlay outline-none';
export const menuItem =
  'flex h-8 items-center gap-2 rounded-md px-2 text-sm outline-none select-none data-[highlighted]:bg-hover data-[selected=true]:bg-hover data-[disabled=true]:opacity-50';
