import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';

interface EditLineProps {
  readonly line: string;
  readonly onSend: (text: string) => void;
  readonly onCancel: () => void;
}

/** Edits a line in its place: Enter sends it, Escape changes nothing. */
export function EditLine({ line, onSend, onCancel }: EditLineProps) {
  const [edited, setEdited] = useState(line);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(line.length, line.length);
  }, [line]);
  const unchanged = edited === line;
  // Undo right after Edit, wherever the focus is, takes back the opening and leaves the draft of the composer alone.
  useEffect(() => {
    const undo = (event: globalThis.KeyboardEvent) => {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z';
      if (!isUndo || !unchanged) return;
      event.preventDefault();
      onCancel();
    };
    document.addEventListener('keydown', undo, { capture: true });
    return () => document.removeEventListener('keydown', undo, { capture: true });
  }, [unchanged, onCancel]);
  const send = () => {
    if (edited.trim() !== '') onSend(edited);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      // Escape also stops a reply: here it only closes the field.
      event.stopPropagation();
      onCancel();
    } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      send();
    }
  };
  return (
    <div className="ms-auto w-full max-w-[88%] rounded-xl bg-active p-2">
      <textarea
        ref={field}
        dir="auto"
        aria-label={text('message.editLine')}
        className="readable text-message field-sizing-content max-h-[50vh] w-full resize-none rounded-md bg-transparent px-1.5 py-0.5 wrap-anywhere"
        value={edited}
        onChange={(event) => setEdited(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="mt-1 flex justify-end gap-2">
        <Button tone="quiet" onClick={onCancel}>
          {text('shared.cancel')}
        </Button>
        <Button tone="primary" disabled={edited.trim() === ''} onClick={send}>
          {text('message.sendEdited')}
        </Button>
      </div>
    </div>
  );
}
