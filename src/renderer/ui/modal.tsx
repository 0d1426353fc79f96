import { useLayoutEffect, useRef, type MouseEvent, type ReactNode } from 'react';
import { classNames } from './class-names';
import { trapFocus } from './trap-focus';

export interface ModalProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A closing dialog gives the focus back without the caret: what is typed into the focused field would be lost. */
function restoreCaret(focused: Element | null): void {
  if (!(focused instanceof HTMLTextAreaElement || focused instanceof HTMLInputElement)) return;
  focused.blur();
  focused.focus({ preventScroll: true });
}

/**
 * A modal dialog. The native <dialog> keeps the focus inside, makes the rest inert and restores the focus,
 * and it needs no style tag, which the content security policy would block.
 */
export function Modal({ label, onClose, className, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // In the layout phase, so that on close the dialog is still in the page and can restore the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element && !element.open) element.showModal();
    // The platform would focus the first focusable element; React's autoFocus ran earlier.
    element?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    const release = element && trapFocus(element);
    return () => {
      release?.();
      element?.close();
      restoreCaret(document.activeElement);
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
