import type { Revision, RunState } from '#shared/session-state';
import { Replace } from 'lucide-react';
import { text } from '../../locales/text';
import { describeError } from '../../ui/error-text';
import { newSteps } from './revised-steps';
import { titleOf } from './run-facts';
import { formatList } from '../../ui/format';

/** The first few steps as a line of text, quoted. */
function named(run: RunState, ids: readonly string[]): string {
  const shown = ids.slice(0, 5).map((id) => text('shared.quoted', { words: titleOf(run, id) }));
  const more = ids.length - shown.length;
  return [...shown, ...(more > 0 ? [text('runParts.revisions.moreSteps', { count: more })] : [])].join(', ');
}

function describeOutcome(run: RunState, revision: Revision): string {
  if (revision.status === 'asked') return text('runParts.revisions.asked');
  if (revision.status === 'made') {
    const steps = named(run, newSteps(run, revision));
    return steps === '' ? text('runParts.revisions.without') : text('runParts.revisions.replaced', { steps });
  }
  if (!revision.error) return text('runParts.revisions.none');
  const reason = `${describeError(revision.error).title}: ${revision.error.message}`;
  return text('runParts.revisions.noneReason', { reason });
}

function Failures({ failed, replaced }: Revision) {
  return replaced
    .filter(({ id, error }) => failed.includes(id) && error)
    .map(({ id, error }) => (
      <span key={id} className="line-clamp-3 text-muted">
        <span className="font-mono text-xs">{id}</span>: {error?.message}
      </span>
    ));
}

/** Each revision of the plan: the failed steps, the reason, and their replacements. */
export function RunRevisions({ run }: { readonly run: RunState }) {
  if (!run.revisions) return null;
  return (
    <ul aria-label={text('runParts.revisions.list')} className="border-t border-line px-3 py-1.5 text-sm">
      {run.revisions.map((revision) => (
        <li key={revision.at} className="flex gap-2.5 py-0.5">
          <Replace aria-hidden className="mt-0.5 size-4 shrink-0 text-accent-text" strokeWidth={1.75} />
          <div dir="auto" className="readable min-w-0 grow wrap-anywhere">
            {text(revision.status === 'made' ? 'runParts.revisions.changed' : 'runParts.revisions.planning', {
              failed: formatList(revision.failed),
              result: describeOutcome(run, revision),
            })}
            <Failures {...revision} />
          </div>
        </li>
      ))}
    </ul>
  );
}
