import { appError } from '#shared/app-error';
import type { Receipt } from '#shared/receipt';
import type { Plan } from '#shared/plan';
import type { SessionFact } from '#shared/session-event';
import type { AgentRequest } from '../ports/agent';
import { answerRun, type Ending, type RunEnd } from './answer';
import type { CheckedPlan } from './check-plan';
import { executePlan } from './execute-plan';
import { insertApprovals } from './insert-approvals';
import type { NodeEnd, RunContext } from './node-run';
import type { ObtainedPlan } from './obtain-plan';
import type { Planning } from './planning';
import type { PriorRun } from './prior-run';
import { receiptOf } from './receipt-of';
import { canReplan, replan, type Carried } from './replan';
import { planHash, summaryHash } from './run-hashes';
import { unlessAborted } from './run-lifecycle';

/** What a run that was executed ended with. */
export interface CarriedOut extends RunEnd {
  readonly ends: readonly NodeEnd[];
  readonly receipt?: Receipt;
  readonly planHash: string;
  readonly summaryHash: string;
  /** The plan that by itself leads to where the run came; null when only a part of it was written anew. */
  readonly plan: Plan | null;
}

/** The run a request goes on with. */
export function priorOf({ given }: Pick<AgentRequest, 'given'>) {
  return given && 'prior' in given ? given : null;
}

/** Why a run cannot go on with the plan it had. */
export const otherPlan = appError(
  'HOST',
  'STATE',
  'The tools of this plan are others now, so it cannot go on.',
  { hint: 'Start the run again.' },
);

/** The fact a run's work begins with: its plan, or that it goes on with the plan it had. */
function begins(
  { request, runId, budgets, meter }: RunContext,
  { checked, source, recipeId, params }: ObtainedPlan,
  kept: readonly string[],
): SessionFact {
  const { turn, project } = request;
  if (priorOf(request)) return { type: 'run-resumed', turn, runId, kept: [...kept], budgets };
  const { plan, announcerOf } = checked;
  const usage = meter.usage();
  const announces = Object.fromEntries([...(announcerOf ?? [])].map(([node, id]) => [id, node]));
  return {
    type: 'plan-made',
    turn,
    runId,
    plan,
    planHash: planHash(plan, project),
    source,
    ...(recipeId !== undefined && { recipeId }),
    ...(params && { params }),
    ...(announcerOf && { announces }),
    ...(usage.modelTurns > 0 && { usage }),
  };
}

interface Executed extends Carried {
  readonly whole: boolean;
}

/** Executes the plan; while steps fail that a model may plan around, it is asked, as often as the run may. */
async function execute(
  context: RunContext,
  planning: Planning,
  obtained: ObtainedPlan,
  { checked, kept }: { readonly checked: CheckedPlan; readonly kept: PriorRun['ends'] },
): Promise<Executed> {
  const ends = await executePlan(context, checked, kept);
  let carried: Executed = { plain: obtained.checked, checked, ends, whole: true };
  const most = canReplan(context, obtained.source) ? context.budgets.run.replans : 0;
  for (let asked = 0; asked < most; asked += 1) {
    const revised = await replan(context, planning, carried);
    if (!revised) break;
    const again = await executePlan(context, revised.checked, revised.kept);
    carried = { ...revised, ends: again, whole: carried.whole && revised.whole };
  }
  return carried;
}

/**
 * Carries an obtained plan out to its answer; `null` when the plan is no longer the one its prior run had. What a prior
 * run did is kept.
 */
export async function carryOut(
  context: RunContext,
  planning: Planning,
  obtained: ObtainedPlan,
  prior: PriorRun,
): Promise<CarriedOut | null> {
  const { request, facts } = context;
  const inserted = insertApprovals(obtained.checked, context.listing, context.capabilities);
  const checked = { ...inserted, originsOf: prior.originsOf };
  const before = priorOf(request)?.prior.planHash;
  if (before !== undefined && before !== planHash(checked.plan, request.project)) return null;
  facts.record([begins(context, { ...obtained, checked }, [...prior.ends.keys()])]);
  const carried = await execute(context, planning, obtained, { checked, kept: prior.ends });
  const { plan } = carried.checked;
  const end = await finalAnswer(context, { plan, source: obtained.source, ends: carried.ends });
  const receipt = await receiptOf(context, { ...end, ends: carried.ends });
  return {
    ...end,
    ...receipt,
    ends: carried.ends,
    planHash: planHash(plan, request.project),
    summaryHash: summaryHash(carried.ends, request.project),
    plan: carried.whole ? carried.plain.plan : null,
  };
}

/** A model that is asked for the answer can hang as well as any: a stop ends the wait. */
async function finalAnswer(context: RunContext, ending: Ending): Promise<RunEnd> {
  const answering = answerRun(context, ending);
  const end = context.life.signal.aborted
    ? await answering
    : await unlessAborted(answering, context.life.signal);
  return end ?? answerRun(context, ending);
}
