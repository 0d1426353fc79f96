import { useEffect, useRef, type KeyboardEvent } from 'react';

export interface RenameFieldProps {
  readonly title: string;
  readonly label: string;
  /** Called once; with the old title if the user cancels. */
  readonly onRename: (title: string) => void;
}

/** An inline name field: Enter or leaving the field saves, Esc cancels. */
export function RenameField({ title, label, onRename }: RenameFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const finished = useRef(false);
  useEffect(() => field.current?.select(), []);
  const finish = (name: string) => {
    if (finished.current) return;
    finished.current = true;
    onRename(name);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') finish(event.currentTarget.value);
    if (event.key !== 'Escape') return;
    event.preventDefault();
    finish(title);
  };
  return (
    <input
      ref={field}
      autoFocus
      dir="auto"
      aria-label={label}
      defaultValue={title}
      maxLength={200}
      onKeyDown={onKeyDown}
      onBlur={(event) => finish(event.currentTarget.value)}
      className="h-8 w-full min-w-0 rounded-md border border-accent bg-canvas px-2 text-sm text-text outline-none"
    />
  );
}
