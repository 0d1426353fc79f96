import type { DdrDiff } from '#shared/ddr';
import { useCallback, useState } from 'react';
import { text } from '../../locales/text';
import { DiffHunks } from '../../ui/diff-hunks';
import { ErrorCard } from '../../ui/error-card';

import { useAnswer } from '../../ui/use-answer';
import type { DdrCalls } from './use-ddrs';

const choices = [
  { against: 'approved', label: text('ddrs.diff.approved') },
  { against: 'previous', label: text('ddrs.diff.previous') },
] as const;

function Hunks({ diff }: { readonly diff: DdrDiff }) {
  if (!diff.available) {
    return <p className="py-6 text-center text-sm text-muted">{text('ddrs.diff.none')}</p>;
  }
  if (diff.hunks.length === 0) {
    return <p className="py-6 text-center text-sm text-muted">{text('ddrs.diff.same')}</p>;
  }
  return <DiffHunks hunks={diff.hunks} />;
}

export interface DdrChangesProps {
  readonly id: string;
  readonly calls: DdrCalls;
  readonly time: number;
}

/** The changes in a document, line by line, against the approved or the previous version. */
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
            {text('ddrs.diff.count', { added: answer.value.added, removed: answer.value.removed })}
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
