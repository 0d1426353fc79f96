import type { Revision, RunState } from '#shared/session-state';

/**
 * The steps that a revision planned; excludes skipped steps that it only queued again and steps that the host
 * inserted.
 */
export function newSteps(run: RunState, { added, replaced }: Revision): readonly string[] {
  return added.filter(
    (id) => run.announces?.[id] === undefined && replaced.find((old) => old.id === id)?.status !== 'skipped',
  );
}

/** The revision that added a step; undefined for a step of the first plan. Pure. */
export function revisionOf(run: RunState, nodeId: string): Revision | undefined {
  return run.revisions?.findLast(
    (revision) => revision.status === 'made' && newSteps(run, revision).includes(nodeId),
  );
}
