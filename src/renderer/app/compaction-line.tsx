import { FoldVertical } from 'lucide-react';
import { useState } from 'react';
import { readNext } from '#shared/read-path';
import type { SessionState } from '#shared/session-state';
import { text } from '../locales/text';
import { useApp, useCurrentSession } from '../store/app-context';
import { Button } from '../ui/button';

/** The summary in use, if it ends with this turn; the same object until the session changes it. */
function compactionAt(session: SessionState | undefined, turn: number) {
  const used = session?.compactions && readNext(session).compaction;
  return used && used.upTo === turn ? used : null;
}

/** Where the part of a conversation ends that models read as a summary: says so, shows the summary, and takes it back. */
export function CompactionLine({ turn }: { readonly turn: number }) {
  const { commands } = useApp();
  const [open, setOpen] = useState(false);
  const compaction = useCurrentSession((session) => compactionAt(session, turn));
  if (!compaction) return null;
  const { by, summary } = compaction;
  return (
    <section
      aria-label={text('compaction.name')}
      className="mt-4 border-t border-line pt-2 text-sm text-muted"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <FoldVertical aria-hidden size={14} className="shrink-0" />
        <span>{text(by === 'model' ? 'compaction.summarised' : 'compaction.leftOut')}</span>
        {by === 'model' && (
          <Button tone="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            {text(open ? 'compaction.hide' : 'compaction.show')}
          </Button>
        )}
        <Button tone="quiet" onClick={() => void commands.undoCompaction(turn)}>
          {text('compaction.undo')}
        </Button>
      </div>
      {open && <p className="readable mt-1 whitespace-pre-wrap text-text">{summary}</p>}
    </section>
  );
}
