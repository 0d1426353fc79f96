import { ChevronDown, ChevronUp } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { text } from '../../locales/text';

const longLines = 12;
const longLength = 1_200;
/** Maximum characters of a huge paste to render, even when expanded; copying copies all of it. */
const drawnLength = 200_000;

function firstLines(text: string): string {
  return text.split('\n', longLines).join('\n').slice(0, longLength);
}

function isLong(text: string): boolean {
  return text.length > longLength || text.split('\n', longLines + 1).length > longLines;
}

interface UserLineProps {
  readonly line: string;
  /** The actions beside it. */
  readonly children?: ReactNode;
}

/** The user's own text, exactly as typed; long texts start collapsed. */
export function UserLine({ line, children }: UserLineProps) {
  const id = useId();
  const long = isLong(line);
  const [open, setOpen] = useState(false);
  const shown = long && !open ? firstLines(line) : line.slice(0, drawnLength);
  const Icon = open ? ChevronUp : ChevronDown;
  return (
    <div className="relative ms-auto w-fit max-w-[80%] rounded-xl bg-active px-3.5 py-1.5">
      <div id={id} dir="auto" className="readable text-message whitespace-pre-wrap wrap-anywhere">
        {shown}
        {long && !open && '…'}
        {open && line.length > drawnLength && '…'}
      </div>
      {long && (
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          className="-ms-1.5 mt-1 flex items-center gap-1 rounded-md px-1.5 py-0.5 text-sm text-muted hover:bg-hover hover:text-text"
          onClick={() => setOpen(!open)}
        >
          <Icon aria-hidden="true" className="size-3.5" />
          {open ? text('message.showLess') : text('message.showAll')}
        </button>
      )}
      {children}
    </div>
  );
}
