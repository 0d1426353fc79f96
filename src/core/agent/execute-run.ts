import { appError } from '#shared/app-error';
import type { Receipt } from '#shared/receipt';
import type { Plan } from '#shared/plan';
import type { SessionFact } from '#shared/session-event';
import type { AgentRequest } from '../ports/agent';
import { answerRun, type Ending, type AnsweredRun } from './answer';
import type { CheckedPlan } from './check-plan';
import { executePlan } from './execute-plan';
import { insertApprovals } from './insert-approvals';
import type { NodeOutcome, RunContext } from './node-run';
import type { ObtainedPlan } from './obtain-plan';
import type { Planning } from './planning';
import type { PriorRun } from './prior-run';
import { receiptOf } from './receipt-of';
import { canReplan, replan, type Execution } from './replan';
import { planHash, summaryHash } from './run-hashes';
import { raceAbort } from './run-lifecycle';

/** The result of an executed run. */
export interface RunResult extends AnsweredRun {
  readonly ends: readonly NodeOutcome[];
  readonly receipt?: Receipt;
  readonly planHash: string;
  readonly summaryHash: string;
  /** The plan that alone leads to the run's result; null when re-planning dropped steps that had written. */
  readonly plan: Plan | null;
}

/** The earlier run that a request resumes. */
export function priorOf({ given }: Pick<AgentRequest, 'given'>) {
  return given && 'prior' in given ? given : null;
}

/** The reason why a run cannot resume with its plan. */
export const planChanged = appError(
  'HOST',
  'STATE',
  "This plan's tools have changed, so the run cannot resume.",
  { hint: 'Start the run again.' },
);

/** The first fact of a run's work: its plan, or that it resumes with its earlier plan. */
function startFact(
  { request, runId, budgets, meter }: RunContext,
  { checked, source, recipeId, params }: ObtainedPlan,
  kept: readonly string[],
): SessionFact {
  const { turn, project } = request;
  if (priorOf(request)) return { type: 'run-resumed', turn, runId, kept: [...kept], budgets };
  const { plan, approvalNodeOf } = checked;
  const usage = meter.usage();
  const announces = Object.fromEntries([...(approvalNodeOf ?? [])].map(([node, id]) => [id, node]));
  return {
    type: 'plan-made',
    turn,
    runId,
    plan,
    planHash: planHash(plan, project),
    source,
    ...(recipeId !== undefined && { recipeId }),
    ...(params && { params }),
    ...(approvalNodeOf && { announces }),
    ...(usage.modelTurns > 0 && { usage }),
  };
}

interface Executed extends Execution {
  readonly whole: boolean;
}

/** Executes the plan; asks the model to re-plan avoidable failures, as often as the run's limit allows. */
async function execute(
  context: RunContext,
  planning: Planning,
  obtained: ObtainedPlan,
  { checked, kept }: { readonly checked: CheckedPlan; readonly kept: PriorRun['ends'] },
): Promise<Executed> {
  const ends = await executePlan(context, checked, kept);
  let execution: Executed = { plain: obtained.checked, checked, ends, whole: true };
  const maxReplans = canReplan(context, obtained.source) ? context.budgets.run.replans : 0;
  for (let replans = 0; replans < maxReplans; replans += 1) {
    const revised = await replan(context, planning, execution);
    if (!revised) break;
    const newEnds = await executePlan(context, revised.checked, revised.kept);
    execution = { ...revised, ends: newEnds, whole: execution.whole && revised.whole };
  }
  return execution;
}

/**
 * Executes an obtained plan up to its answer; `null` when the plan differs from that of the prior run.
 * Finished work of a prior run is reused.
 */
export async function executeRun(
  context: RunContext,
  planning: Planning,
  obtained: ObtainedPlan,
  prior: PriorRun,
): Promise<RunResult | null> {
  const { request, facts } = context;
  const inserted = insertApprovals(obtained.checked, context.listing, context.capabilities);
  const checked = { ...inserted, originsOf: prior.originsOf };
  const before = priorOf(request)?.prior.planHash;
  if (before !== undefined && before !== planHash(checked.plan, request.project)) return null;
  facts.record([startFact(context, { ...obtained, checked }, [...prior.ends.keys()])]);
  const execution = await execute(context, planning, obtained, { checked, kept: prior.ends });
  const { plan } = execution.checked;
  const end = await finalAnswer(context, { plan, source: obtained.source, ends: execution.ends });
  const receipt = await receiptOf(context, { ...end, ends: execution.ends });
  return {
    ...end,
    ...receipt,
    ends: execution.ends,
    planHash: planHash(plan, request.project),
    summaryHash: summaryHash(execution.ends, request.project),
    plan: execution.whole ? execution.plain.plan : null,
  };
}

/** Stops waiting for the model's answer when the run is stopped, because the model may hang. */
async function finalAnswer(context: RunContext, ending: Ending): Promise<AnsweredRun> {
  const answering = answerRun(context, ending);
  const end = context.life.signal.aborted ? await answering : await raceAbort(answering, context.life.signal);
  return end ?? answerRun(context, ending);
}
