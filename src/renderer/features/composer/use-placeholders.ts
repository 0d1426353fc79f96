import { useRef, type RefObject } from 'react';
import { editField } from './edit-field';
import {
  foldFrom,
  nextPlaceholder,
  placeholdersIn,
  outsidePlaceholders,
  type Field,
  type Paste,
} from './pasted-text';

export interface PlaceholderEdits {
  /** Inserts a pasted or dropped text folded; returns whether it was long enough for that. */
  readonly paste: (text: string) => boolean;
  readonly remove: (paste: Paste) => void;
  /** Inserts a pasted text into the field unfolded. */
  readonly spread: (paste: Paste) => void;
  /** Moves the caret out of placeholders. */
  readonly selected: () => void;
  /**
   * Selects the placeholder beside the caret before a delete key takes effect, so that it is deleted whole.
   */
  readonly deleting: (key: string) => void;
}

/** The edits that treat a placeholder as one character. */
export function usePlaceholders(
  fieldRef: RefObject<HTMLTextAreaElement | null>,
  pastesRef: RefObject<ReadonlyMap<string, string>>,
): PlaceholderEdits {
  const last = useRef({ start: 0, end: 0 });
  const fieldOf = (element: HTMLTextAreaElement): Field => ({
    text: element.value,
    pastes: pastesRef.current,
  });
  const replace = ({ placeholder }: Paste, text: string) => {
    const element = fieldRef.current;
    const range =
      element && placeholdersIn(fieldOf(element)).find((found) => found.placeholder === placeholder);
    if (range) editField(element, range.start, range.end, text);
  };
  return {
    paste: (text) => {
      const element = fieldRef.current;
      if (!element || text.length <= foldFrom) return false;
      const placeholder = nextPlaceholder(fieldOf(element));
      pastesRef.current = new Map([...pastesRef.current, [placeholder, text]]);
      editField(element, element.selectionStart, element.selectionEnd, placeholder);
      return true;
    },
    remove: (paste) => replace(paste, ''),
    spread: (paste) => replace(paste, paste.text),
    selected: () => {
      const element = fieldRef.current;
      if (!element) return;
      const shown = fieldOf(element);
      const start = outsidePlaceholders(shown, element.selectionStart, last.current.start);
      const end = outsidePlaceholders(shown, element.selectionEnd, last.current.end);
      last.current = { start, end };
      if (start === element.selectionStart && end === element.selectionEnd) return;
      element.setSelectionRange(start, Math.max(start, end), element.selectionDirection);
    },
    deleting: (key) => {
      const element = fieldRef.current;
      if (!element || element.selectionStart !== element.selectionEnd) return;
      const at = element.selectionStart;
      const beside = placeholdersIn(fieldOf(element)).find(({ start, end }) =>
        key === 'Backspace' ? end === at : start === at,
      );
      if (beside) element.setSelectionRange(beside.start, beside.end);
    },
  };
}
