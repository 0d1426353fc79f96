import { useRef, type RefObject } from 'react';
import { editField } from './edit-field';
import { foldFrom, freeMark, marksIn, outsideMarks, type Field, type Paste } from './pasted-text';

export interface MarkEdits {
  /** Takes in what is pasted or dropped, folded. Says whether it was long enough for that. */
  readonly paste: (text: string) => boolean;
  readonly remove: (paste: Paste) => void;
  /** Puts a pasted text into the field as it is. */
  readonly spread: (paste: Paste) => void;
  /** Keeps the caret out of the marks. */
  readonly selected: () => void;
  /** Before a key deletes: a mark beside the caret is deleted as one. */
  readonly deleting: (key: string) => void;
}

/** Everything that treats a mark as one thing. */
export function useMarks(
  fieldRef: RefObject<HTMLTextAreaElement | null>,
  pastesRef: RefObject<ReadonlyMap<string, string>>,
): MarkEdits {
  const last = useRef({ start: 0, end: 0 });
  const fieldOf = (element: HTMLTextAreaElement): Field => ({
    text: element.value,
    pastes: pastesRef.current,
  });
  const replace = ({ mark }: Paste, text: string) => {
    const element = fieldRef.current;
    const range = element && marksIn(fieldOf(element)).find((found) => found.mark === mark);
    if (range) editField(element, range.start, range.end, text);
  };
  return {
    paste: (text) => {
      const element = fieldRef.current;
      if (!element || text.length <= foldFrom) return false;
      const mark = freeMark(fieldOf(element));
      pastesRef.current = new Map([...pastesRef.current, [mark, text]]);
      editField(element, element.selectionStart, element.selectionEnd, mark);
      return true;
    },
    remove: (paste) => replace(paste, ''),
    spread: (paste) => replace(paste, paste.text),
    selected: () => {
      const element = fieldRef.current;
      if (!element) return;
      const shown = fieldOf(element);
      const start = outsideMarks(shown, element.selectionStart, last.current.start);
      const end = outsideMarks(shown, element.selectionEnd, last.current.end);
      last.current = { start, end };
      if (start === element.selectionStart && end === element.selectionEnd) return;
      element.setSelectionRange(start, Math.max(start, end), element.selectionDirection);
    },
    deleting: (key) => {
      const element = fieldRef.current;
      if (!element || element.selectionStart !== element.selectionEnd) return;
      const at = element.selectionStart;
      const beside = marksIn(fieldOf(element)).find(({ start, end }) =>
        key === 'Backspace' ? end === at : start === at,
      );
      if (beside) element.setSelectionRange(beside.start, beside.end);
    },
  };
}
