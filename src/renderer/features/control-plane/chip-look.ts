/** The styles of a chip, and of its pressable part. */
export const chip =
  'flex h-7 max-w-60 min-w-0 items-center gap-1.5 rounded-md border border-line text-xs text-text max-narrow:max-w-44';
export const chipButton = 'px-2 transition-colors enabled:hover:bg-hover disabled:opacity-70';
