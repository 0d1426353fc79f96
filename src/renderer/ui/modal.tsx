import { useLayoutEffect, useRef, type MouseEvent, type ReactNode } from 'react';
import { classNames } from './class-names';
import { keepFocusInside } from './keep-focus';

export interface ModalProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}

/**
 * A modal dialog. The platform's own <dialog>: it keeps the focus, makes the rest inert and gives the focus back, and
 * needs no style tag, which the content security policy would refuse.
 */
export function Modal({ label, onClose, className, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // In the layout phase, so that closing still finds the dialog in the page and gives the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element && !element.open) element.showModal();
    // The platform would give the focus to the first box that can have it; React's autoFocus came before that.
    element?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    const release = element && keepFocusInside(element);
    return () => {
      release?.();
      element?.close();
    };
  }, []);
  const closeOutside = (event: MouseEvent) => {
    if (event.target === dialog.current) onClose();
  };
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onMouseDown={closeOutside}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className={classNames(
        'mx-auto animate-appear overflow-hidden rounded-xl bg-overlay p-0 text-text shadow-overlay outline-none',
        className,
      )}
    >
      {children}
    </dialog>
  );
}
