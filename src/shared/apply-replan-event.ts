import type { FactOf, SessionEvent } from './session-event';
import type { NodeState, Revision, RunState } from './session-state';

type ReplanFactType = 'replan-started' | 'plan-revised' | 'replan-failed';
type Numbered<T extends ReplanFactType> = FactOf<T> & Pick<SessionEvent, 'at'>;

const pending = (id: string): NodeState => ({
  id,
  status: 'pending',
  summary: '',
  calls: [],
  callCount: 0,
  cached: false,
});

function changeLast(run: RunState, change: (revision: Revision) => Revision): RunState {
  const revisions = run.revisions ?? [];
  const last = revisions.at(-1);
  return last ? { ...run, revisions: [...revisions.slice(0, -1), change(last)] } : run;
}

function startReplan(run: RunState, { failed, at }: Numbered<'replan-started'>): RunState {
  const before = { writes: 0, approvals: 0 };
  const revision: Revision = { status: 'asked', at, failed, added: [], replaced: [], ...before, origins: [] };
  return { ...run, revisions: [...(run.revisions ?? []), revision] };
}

function revised(run: RunState, fact: Numbered<'plan-revised'>): RunState {
  const { plan, planHash, kept: reused, announces, origins = [] } = fact;
  const isReused = (id: string): boolean => reused.includes(id);
  const added = plan.nodes.flatMap(({ id }) => (isReused(id) ? [] : [id]));
  const replaced = run.nodes.filter(({ id }) => !isReused(id));
  const before = new Map(run.nodes.map((node) => [node.id, node]));
  const nodes = plan.nodes.map(({ id }) => (isReused(id) && before.get(id)) || pending(id));
  const { announces: _announces, ...rest } = run;
  // Only a run of a single stage is replanned: later stages read the failure and plan the next one.
  const stages = run.stages?.map((one) => ({ ...one, plan, planHash, ...(announces && { announces }) }));
  const next = { ...rest, plan, planHash, nodes, ...(announces && { announces }), ...(stages && { stages }) };
  return changeLast(next, (last) => ({
    ...last,
    status: 'made',
    added,
    replaced,
    writes: run.writes.length,
    approvals: run.approvals.length,
    origins,
  }));
}

/** Returns the run after a replan fact; pure. */
export function applyReplanEvent(
  run: RunState,
  fact: FactOf<ReplanFactType> & Pick<SessionEvent, 'at'>,
): RunState {
  if (fact.type === 'replan-started') return startReplan(run, fact);
  if (fact.type === 'plan-revised') return revised(run, fact);
  return changeLast(run, (last) => ({ ...last, status: 'refused', error: fact.error }));
}

/** Closes an unanswered replan when the run ends or is interrupted while the model is working. */
export function closeRevision(run: RunState): RunState {
  if (run.revisions?.at(-1)?.status !== 'asked') return run;
  return changeLast(run, (last) => ({ ...last, status: 'refused' }));
}
