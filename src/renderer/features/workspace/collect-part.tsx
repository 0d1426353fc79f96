import { useCallback, useState } from 'react';
import { Button } from '../../ui/button';
import { formatMany } from '../../ui/format';
import { useAnswer } from '../../ui/use-answer';
import type { Workspace } from './use-workspace';

function question(unused: number, asking: boolean): string {
  const many = formatMany(unused, 'snapshot');
  const [is, it] = unused === 1 ? ['is', 'it'] : ['are', 'them'];
  return asking
    ? `Remove ${many} for good? Nothing refers to ${it}.`
    : `${many} ${is} referred to by no session and no project.`;
}

/** Removes kept snapshots that no session and no project refers to: their number first, then a yes. */
export function CollectPart({ workspace }: { readonly workspace: Workspace }) {
  const { ask, act, busy, time } = workspace;
  const [asking, setAsking] = useState(false);
  const count = useCallback(() => ask({ op: 'gc', dryRun: true }), [ask]);
  const answer = useAnswer(count, time);
  const unused = answer?.ok ? (answer.value.removed ?? []).length : 0;
  if (answer && !answer.ok) {
    return <p className="text-xs text-danger-text">{answer.error.message}</p>;
  }
  if (unused === 0) {
    return (
      <p className="text-xs text-muted">Every kept snapshot is referred to by a session or a project.</p>
    );
  }
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line p-3 text-sm">
      <p className="numbers min-w-48 flex-1">{question(unused, asking)}</p>
      {asking ? (
        <>
          <Button tone="quiet" autoFocus onClick={() => setAsking(false)}>
            Keep
          </Button>
          <Button
            tone="danger"
            disabled={busy !== null}
            onClick={() => {
              setAsking(false);
              void act({ op: 'gc' });
            }}
          >
            Remove {formatMany(unused, 'snapshot')}
          </Button>
        </>
      ) : (
        <Button onClick={() => setAsking(true)}>Collect…</Button>
      )}
    </div>
  );
}
