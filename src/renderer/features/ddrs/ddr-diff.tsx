import type { DdrDiff } from '#shared/ddr';
import { useCallback, useState } from 'react';
import { classNames } from '../../ui/class-names';
import { ErrorCard } from '../../ui/error-card';
import { formatMany } from '../../ui/format';
import { useAnswer, type DdrCalls } from './use-ddrs';

const signs = { same: ' ', added: '+', removed: '−' } as const;
const grounds = { same: '', added: 'bg-accent-soft', removed: 'bg-danger-soft' } as const;
const spoken = { same: '', added: 'Added: ', removed: 'Removed: ' } as const;
const choices = [
  { against: 'approved', label: 'Since the approval' },
  { against: 'previous', label: 'Since the last version' },
] as const;

const shownLines = 2_000;

type Hunk = DdrDiff['hunks'][number];

/** The first lines of a diff, in their hunks. */
function firstHunks(hunks: readonly Hunk[]): readonly Hunk[] {
  let left = shownLines;
  return hunks.flatMap((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(0, left));
    left -= lines.length;
    return lines.length === 0 ? [] : [{ ...hunk, lines }];
  });
}

function Hunks({ diff }: { readonly diff: DdrDiff }) {
  if (!diff.available) {
    return <p className="py-6 text-center text-sm text-muted">There is no earlier text to compare with.</p>;
  }
  if (diff.hunks.length === 0) {
    return <p className="py-6 text-center text-sm text-muted">Nothing has changed.</p>;
  }
  return firstHunks(diff.hunks).map((hunk) => (
    <section key={`${hunk.oldStart} ${hunk.newStart}`} className="border-t border-line first:border-t-0">
      <p className="numbers bg-surface px-3 py-1 font-mono text-2xs text-muted">
        line {hunk.oldStart} → line {hunk.newStart}
      </p>
      {hunk.lines.map((line, at) => (
        <p key={at} className={classNames('flex px-3 font-mono text-xs leading-5', grounds[line.kind])}>
          <span aria-hidden className="w-4 shrink-0 text-muted select-none">
            {signs[line.kind]}
          </span>
          <span className="sr-only">{spoken[line.kind]}</span>
          <span dir="auto" className="readable min-w-0 flex-1 whitespace-pre-wrap wrap-anywhere">
            {line.text || ' '}
          </span>
        </p>
      ))}
    </section>
  ));
}

export interface DdrChangesProps {
  readonly id: string;
  readonly calls: DdrCalls;
  readonly time: number;
}

/** What has changed in a document, line by line, against the approved or the version before. */
export function DdrChanges({ id, calls, time }: DdrChangesProps) {
  const [against, setAgainst] = useState<DdrDiff['against']>('approved');
  const ask = useCallback(() => calls.diff(id, against), [calls, id, against]);
  const answer = useAnswer(ask, time);
  return (
    <div>
      <div className="mb-2 flex flex-wrap items-center gap-1.5">
        {choices.map((choice) => (
          <button
            key={choice.against}
            type="button"
            aria-pressed={against === choice.against}
            onClick={() => setAgainst(choice.against)}
            className="h-7 rounded-md px-2 text-xs text-muted hover:bg-hover hover:text-text aria-pressed:bg-active aria-pressed:text-text"
          >
            {choice.label}
          </button>
        ))}
        {answer?.ok && answer.value.available && (
          <span className="numbers ms-auto text-xs text-muted">
            {formatMany(answer.value.added, 'line')} added, {answer.value.removed} removed
          </span>
        )}
      </div>
      {answer && !answer.ok && <ErrorCard error={answer.error} />}
      {answer?.ok && (
        <div className="overflow-hidden rounded-lg border border-line">
          <Hunks diff={answer.value} />
        </div>
      )}
    </div>
  );
}
