import type { Revision, RunState } from '#shared/session-state';
import { wordsOf } from './error-words';
import { titleOf } from './run-facts';

/** Ids of steps as they are read in a line: quoted, the host's own approval steps left out. */
function named(run: RunState, ids: readonly string[]): string {
  const shown = ids.filter((id) => run.announces?.[id] === undefined);
  return shown.map((id) => `“${titleOf(run, id)}”`).join(', ');
}

/** Steps that were planned, not those that only waited for one that failed. */
const newSteps = (run: RunState, { added, replaced }: Revision): string =>
  named(
    run,
    added.filter((id) => replaced.find((old) => old.id === id)?.status !== 'skipped'),
  );

function whatCameOfIt(run: RunState, revision: Revision): string {
  if (revision.status === 'asked') return 'The model is asked for another way.';
  if (revision.status === 'made') {
    const steps = newSteps(run, revision);
    return steps === '' ? 'The plan goes on without it.' : `In its place: ${steps}.`;
  }
  const reason = revision.error ? ` ${wordsOf(revision.error).title}: ${revision.error.message}` : '';
  return `No other way was found.${reason}`;
}

function Failures({ failed, replaced }: Revision) {
  return replaced
    .filter(({ id, error }) => failed.includes(id) && error)
    .map(({ id, error }) => (
      <span key={id} className="block text-muted">
        {id}: {error?.message}
      </span>
    ));
}

/** Each time the run was planned again: what failed, why, and what took its place. */
export function RunRevisions({ run }: { readonly run: RunState }) {
  if (!run.revisions) return null;
  return (
    <ul aria-label="Changes of the plan" className="border-t border-line px-3 py-1.5 text-sm">
      {run.revisions.map((revision) => (
        <li key={revision.at} dir="auto" className="readable py-0.5 wrap-anywhere">
          {revision.status === 'made' ? 'Plan changed' : 'Planning again'}: {revision.failed.join(', ')}{' '}
          failed. {whatCameOfIt(run, revision)}
          <Failures {...revision} />
        </li>
      ))}
    </ul>
  );
}
