import type { NodeState } from '#shared/session-state';
import { CallRow } from '../run-parts/call-row';
import { formatCount } from '../../ui/format';

const shownCalls = 100;

/** The newest calls of a node, newest last, each with what was sent and what came back. */
export function NodeCalls({ node }: { node: NodeState }) {
  const calls = node.calls.slice(-shownCalls);
  return (
    <>
      {calls.length < node.callCount && (
        <p className="numbers mb-1.5 text-xs text-muted">
          The newest {formatCount(calls.length)} of {formatCount(node.callCount)}; the session keeps them all.
        </p>
      )}
      <div className="overflow-hidden rounded-lg border border-line">
        {calls.map((call) => (
          <CallRow key={call.callId} call={call} />
        ))}
      </div>
    </>
  );
}
