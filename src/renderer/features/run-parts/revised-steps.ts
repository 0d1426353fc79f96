import type { Revision, RunState } from '#shared/session-state';

/** The steps a change of the plan brought: planned by it, not only made to wait again behind a failure, and none of the host's own. */
export function newSteps(run: RunState, { added, replaced }: Revision): readonly string[] {
  return added.filter(
    (id) => run.announces?.[id] === undefined && replaced.find((old) => old.id === id)?.status !== 'skipped',
  );
}

/** The change of the plan a step came with; nothing for a step of the first plan. Pure. */
export function revisionOf(run: RunState, nodeId: string): Revision | undefined {
  return run.revisions?.findLast(
    (revision) => revision.status === 'made' && newSteps(run, revision).includes(nodeId),
  );
}
