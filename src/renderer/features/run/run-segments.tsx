import type { NodeState, RunState } from '#shared/session-state';

const colours: Readonly<Record<NodeState['status'], string>> = {
  pending: 'bg-track',
  running: 'bg-accent animate-pulse',
  waiting: 'bg-copper',
  done: 'bg-accent',
  failed: 'bg-danger',
  skipped: 'bg-line-strong',
  cancelled: 'bg-line-strong',
};

/** The run at a glance, a segment a node; decoration only, the words beside it say the same. */
export function RunSegments({ run }: { run: RunState }) {
  const active = run.status === 'planning' && run.nodes.length === 0;
  return (
    <div aria-hidden="true" className="flex h-1 gap-0.5 px-3 mt-2 mb-3">
      {active && <span className="grow animate-pulse rounded-full bg-track" />}
      {run.nodes.map((node) => (
        <span key={node.id} className={`grow rounded-full ${colours[node.status]}`} />
      ))}
    </div>
  );
}
