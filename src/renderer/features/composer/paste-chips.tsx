import { ChevronDown, ChevronRight, FileText, X } from 'lucide-react';
import { useId, useState } from 'react';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { formatBytes } from '../../ui/format';
import { IconButton } from '../../ui/icon-button';
import { describePaste, type Paste } from './pasted-text';

/** The length of the preview of a pasted text. */
const previewLength = 5_000;
/** A longer text would make typing in the field slow. */
const spreadAtMost = 50_000;

interface ChipProps {
  readonly paste: Paste;
  readonly onRemove: (paste: Paste) => void;
  readonly onSpread: (paste: Paste) => void;
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

function Preview({ paste, onSpread }: Omit<ChipProps, 'onRemove'>) {
  const cut = paste.text.length > previewLength;
  return (
    <div className="border-t border-line">
      <pre
        dir="auto"
        tabIndex={0}
        aria-label={text('composer.paste.preview')}
        className="readable max-h-40 overflow-y-auto px-2.5 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {paste.text.slice(0, previewLength)}
        {cut && '…'}
      </pre>
      {paste.text.length <= spreadAtMost && (
        <Button tone="quiet" className="m-1 h-7 px-2" onClick={() => onSpread(paste)}>
          {text('composer.paste.edit')}
        </Button>
      )}
    </div>
  );
}

function Chip({ paste, onRemove, onSpread }: ChipProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [size] = useState(() => formatBytes(bytesOf(paste.text)));
  const about = `${describePaste(paste.placeholder, paste.text)} · ${size}`;
  const Arrow = open ? ChevronDown : ChevronRight;
  return (
    <li
      className={open ? 'w-full rounded-md border border-line' : 'max-w-full rounded-md border border-line'}
    >
      <div className="flex min-w-0 items-center">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
          className="numbers flex h-7 min-w-0 flex-1 items-center gap-1.5 rounded-md px-2 text-xs hover:bg-hover"
        >
          <FileText aria-hidden size={13} className="shrink-0 text-muted" />
          <span className="truncate">{about}</span>
          <Arrow aria-hidden size={12} className="shrink-0 text-muted" />
        </button>
        <IconButton
          icon={X}
          label={text('composer.paste.remove', { name: paste.placeholder.slice(1, -1) })}
          onClick={() => onRemove(paste)}
        />
      </div>
      <div id={id}>{open && <Preview paste={paste} onSpread={onSpread} />}</div>
    </li>
  );
}

export interface PasteChipsProps extends Omit<ChipProps, 'paste'> {
  readonly pastes: readonly Paste[];
}

/** The folded pastes of the field: each with its length, its beginning, and a button to remove it. */
export function PasteChips({ pastes, onRemove, onSpread }: PasteChipsProps) {
  if (pastes.length === 0) return null;
  return (
    <ul
      aria-label={text('composer.paste.list')}
      className="flex max-h-[30vh] flex-wrap gap-1.5 overflow-y-auto px-2.5 pt-2.5"
    >
      {pastes.map((paste) => (
        <Chip key={paste.placeholder} paste={paste} onRemove={onRemove} onSpread={onSpread} />
      ))}
    </ul>
  );
}
