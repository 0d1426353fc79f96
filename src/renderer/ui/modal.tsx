import {
  createContext,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { text } from '../locales/text';
import { classNames } from './class-names';
import { trapFocus } from './trap-focus';

export interface ModalProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly className?: string;
  /** Called when the dialog says that typed text would be lost, with the first field that has such text. */
  readonly onGuarded?: (field: Element) => void;
  readonly children: ReactNode;
}

/**
 * Whether the dialog stays open, because text typed into it would be lost; it then says so. If the user closes
 * it (`repeatable`), it stays only the first time.
 */
export type DialogGuard = (repeatable: boolean) => boolean;

/** Registers the guard of the open dialog with what closes dialogs; returns its release. */
export const DialogGuardContext = createContext<(guard: DialogGuard) => () => void>(() => () => undefined);

type TypedField = HTMLInputElement | HTMLTextAreaElement;

const isTypedField = (target: EventTarget): target is TypedField =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && !['checkbox', 'radio', 'file'].includes(target.type));

/**
 * Whether nothing saves the text before the user does: a field alone saves what it accepts, some forms store a draft,
 * and a busy form is being saved.
 */
const awaitsSave = (field: TypedField): boolean =>
  field.form
    ? !field.closest('[data-stored], form[aria-busy="true"]')
    : field.getAttribute('aria-invalid') === 'true';

/** The first field with text that was typed since it first got the focus and would be lost, and the way to learn it. */
function useTyped() {
  const before = useRef(new Map<TypedField, string>());
  return {
    onFocus: ({ target }: FocusEvent) => {
      if (isTypedField(target) && !before.current.has(target)) before.current.set(target, target.value);
    },
    typedField: () =>
      [...before.current].find(
        ([field, value]) => field.isConnected && field.value !== value && awaitsSave(field),
      )?.[0],
  };
}

/** The guard of a dialog: `asks` is a `DialogGuard`, and `warned` says that the user was warned. */
function useTypedGuard(onGuarded: ModalProps['onGuarded']) {
  const { onFocus, typedField } = useTyped();
  const register = useContext(DialogGuardContext);
  const [warned, setWarned] = useState(false);
  const hasWarned = useRef(false);
  const warn = (now: boolean) => {
    hasWarned.current = now;
    setWarned(now);
  };
  const asks: DialogGuard = (repeatable) => {
    const field = typedField();
    if (!field || (repeatable && hasWarned.current)) return false;
    warn(true);
    onGuarded?.(field);
    return true;
  };
  useEffect(() => register(asks));
  return { onFocus, warned, warn, asks };
}

/** A closing dialog gives the focus back without the caret: what is typed into the focused field would be lost. */
function restoreCaret(focused: Element | null): void {
  if (!(focused instanceof HTMLTextAreaElement || focused instanceof HTMLInputElement)) return;
  focused.blur();
  focused.focus({ preventScroll: true });
}

/**
 * A modal dialog. Every way out of it first says that text typed into a form would be lost; a form whose text is
 * stored while it is typed has `data-stored`. The native <dialog> keeps the focus inside, makes the rest inert and
 * restores the focus, and it needs no style tag, which the content security policy would block.
 */
export function Modal({ label, onClose, className, onGuarded, children }: ModalProps) {
  const guard = useTypedGuard(onGuarded);
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
    if (event.target === dialog.current && !guard.asks(false)) onClose();
  };
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onMouseDown={closeOutside}
      onCancel={(event) => {
        event.preventDefault();
        // The platform closes a dialog at the second Escape in a row, whatever the page wants.
        if (!event.cancelable) guard.warn(true);
        if (!guard.asks(true)) onClose();
      }}
      onFocus={guard.onFocus}
      onInput={() => guard.warn(false)}
      className={classNames(
        'mx-auto animate-appear overflow-hidden rounded-xl bg-overlay p-0 text-text shadow-overlay outline-none',
        className,
      )}
    >
      {children}
      {guard.warned && (
        <div className="absolute inset-x-0 bottom-0 bg-overlay">
          <p role="alert" className="border-t border-line bg-copper-soft px-4 py-2 text-sm text-copper-text">
            {text('shared.notSaved')}
          </p>
        </div>
      )}
    </dialog>
  );
}
