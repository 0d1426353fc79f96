import { useLayoutEffect, useRef, useState, type FocusEvent, type MouseEvent, type ReactNode } from 'react';
import { text } from '../locales/text';
import { classNames } from './class-names';
import { trapFocus } from './trap-focus';

export interface ModalProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly className?: string;
  /** Escape, or a click outside, first says that the text typed into a form of the dialog would be lost. */
  readonly guardsTyped?: boolean;
  readonly children: ReactNode;
}

type TypedField = HTMLInputElement | HTMLTextAreaElement;

const isTypedField = (target: EventTarget): target is TypedField =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && !['checkbox', 'radio', 'file'].includes(target.type));

/** Whether a form has text that was typed since its field got the focus first, and the way to learn it. */
function useTyped() {
  const before = useRef(new Map<TypedField, string>());
  return {
    onFocus: ({ target }: FocusEvent) => {
      if (isTypedField(target) && target.form && !before.current.has(target))
        before.current.set(target, target.value);
    },
    hasTyped: () => [...before.current].some(([field, value]) => field.isConnected && field.value !== value),
  };
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
export function Modal({ label, onClose, className, guardsTyped = false, children }: ModalProps) {
  const { onFocus, hasTyped } = useTyped();
  const [warned, setWarned] = useState(false);
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
  const wouldLose = () => guardsTyped && hasTyped();
  const closeOutside = (event: MouseEvent) => {
    if (event.target !== dialog.current) return;
    if (wouldLose()) setWarned(true);
    else onClose();
  };
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onMouseDown={closeOutside}
      onCancel={(event) => {
        event.preventDefault();
        // The platform closes a dialog at the second Escape in a row, whatever the page wants.
        if (event.cancelable && !warned && wouldLose()) setWarned(true);
        else onClose();
      }}
      onFocus={onFocus}
      onInput={() => setWarned(false)}
      className={classNames(
        'mx-auto animate-appear overflow-hidden rounded-xl bg-overlay p-0 text-text shadow-overlay outline-none',
        className,
      )}
    >
      {children}
      {warned && (
        <p
          role="alert"
          className="absolute inset-x-0 bottom-0 border-t border-line bg-copper-soft px-4 py-2 text-sm text-copper-text"
        >
          {text('shared.notSaved')}
        </p>
      )}
    </dialog>
  );
}
