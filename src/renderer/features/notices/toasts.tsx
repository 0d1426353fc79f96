import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { text } from '../../locales/text';
import { useApp, useView } from '../../store/app-context';
import type { Toast } from '../../store/view-state';
import { IconButton } from '../../ui/icon-button';

/** Long enough to read and to reach with the mouse. */
const toastMs = 6_000;

function ToastRow({ toast }: { readonly toast: Toast }) {
  const { view } = useApp();
  const [paused, setPaused] = useState(false);
  useEffect(() => {
    if (paused) return;
    const timer = setTimeout(() => view.dismissToast(toast.id), toastMs);
    return () => clearTimeout(timer);
  }, [paused, toast.id, view]);
  return (
    <li
      onMouseEnter={() => setPaused(true)}
      onMouseLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
      className="pointer-events-auto flex animate-appear items-center gap-1 rounded-lg bg-overlay py-1 pr-1 pl-3 text-sm shadow-overlay"
    >
      <span>{toast.text}</span>
      {toast.action && (
        <button
          type="button"
          className="h-7 rounded-md px-2 font-medium text-accent-text hover:bg-hover"
          onClick={() => {
            toast.action?.run();
            view.dismissToast(toast.id);
          }}
        >
          {toast.action.label}
        </button>
      )}
      <IconButton icon={X} label={text('notices.dismiss')} onClick={() => view.dismissToast(toast.id)} />
    </li>
  );
}

/** Temporary messages above the composer and the button that jumps to the latest turn. The live region announces them; this list is visual only. */
export function Toasts() {
  const toasts = useView((view) => view.toasts);
  if (toasts.length === 0) return null;
  return (
    <section
      aria-label={text('notices.messages')}
      className="pointer-events-none fixed inset-x-0 bottom-52 z-40"
    >
      <ul className="flex flex-col items-center gap-2">
        {toasts.map((toast) => (
          <ToastRow key={toast.id} toast={toast} />
        ))}
      </ul>
    </section>
  );
}
