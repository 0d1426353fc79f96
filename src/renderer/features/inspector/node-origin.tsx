import type { NodeState, RunState } from '#shared/session-state';
import { wordsOf } from '../../ui/error-words';
import { formatMany } from '../../ui/format';
import { revisionOf } from '../run-parts/revised-steps';
import { NodeCalls } from './node-calls';
import { Section } from './section';

/** One failed step of the plan as it was before, with the calls it had made. */
function Before({ node }: { readonly node: NodeState }) {
  const { id, error, callCount } = node;
  return (
    <li className="rounded-lg border border-line p-2.5 text-sm">
      <p dir="auto" className="readable wrap-anywhere">
        <span className="font-mono text-xs">{id}</span>
        {error && (
          <>
            {' '}
            <span className="text-danger-text">{wordsOf(error).title}.</span> {error.message}
          </>
        )}
      </p>
      {callCount > 0 && (
        <details className="mt-1">
          <summary className="text-xs text-muted">{formatMany(callCount, 'call')} it had made</summary>
          <div className="mt-1.5">
            <NodeCalls node={node} />
          </div>
        </details>
      )}
    </li>
  );
}

/** For a step that came with a change of the plan: in place of what, and why. */
export function NodeOrigin({ run, node }: { readonly run: RunState; readonly node: NodeState }) {
  const revision = revisionOf(run, node.id);
  if (!revision) return null;
  const failed = revision.replaced.filter(({ id }) => revision.failed.includes(id));
  return (
    <Section title="Planned again" note="in place of what failed">
      <ul className="space-y-2">
        {failed.map((before) => (
          <Before key={before.id} node={before} />
        ))}
      </ul>
    </Section>
  );
}
