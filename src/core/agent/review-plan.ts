import { appError, type AppError } from '#shared/app-error';
import type { Budgets } from '#shared/budgets';
import type { Capabilities } from '#shared/capabilities';
import { isObject, type Json, type JsonObject } from '#shared/json';
import type { Plan } from '#shared/plan';
import { planChanges, type PlanChange, type PlanDecision, type PlanPreview } from '#shared/plan-review';
import { err, ok, type Result } from '#shared/result';
import type { FactOf } from '#shared/session-event';
import { waitingPlan, type ProposedPlan, type RunState } from '#shared/session-state';
import type { AgentRequest, RecordedReview } from '../ports/agent';
import type { ModelClient } from '../ports/llm';
import type { PolicyFiles } from '../ports/policy';
import type { LabelledArtifactStore } from '../ports/sandbox';
import type { ToolListing } from '../tools/call-scope';
import { mayWrite } from '../tools/gate';
import { checkListed, type CheckedListing, type CheckNeeds } from './check-listed';
import { joinFindings, type CheckedPlan } from './check-plan';
import { statesOf } from './each';
import { insertApprovals } from './insert-approvals';
import type { NodeOutcome, RunContext } from './node-run';
import { modelCost, type KnownResults } from './model-cost';
import type { ObtainedPlan } from './obtain-plan';
import { planHash } from './run-hashes';
import { attachedName, previousName } from './each';
import { sessionInputs } from './previous-run';
import { earlierStages } from './prior-run';
import { toPlan, type Recipes } from './recipes';
import { withChangedParams } from './staged-plan';

/** Why a run ends whose plan nobody is here to review. */
export const leftForReview = appError('HOST', 'STATE', 'The plan waits for your review.', {
  hint: 'Run it in the window, or with patina agent --resume.',
});

/**
 * With review `plan`, and for a recipe that a model chose, proposes a stage and waits until the user runs it.
 * Returns the stage to run, which the user may have edited; null when the run was stopped. `checked` has the
 * approval nodes, `ended` are earlier nodes.
 */
export async function reviewStage(
  context: RunContext,
  obtained: ObtainedPlan,
  stage: number,
  checked: CheckedPlan,
  ended: readonly NodeOutcome[],
): Promise<ObtainedPlan | null> {
  const { request } = context;
  if (request.review !== 'plan' && obtained.suggested !== true) return obtained;
  const hash = planHash(checked.plan, request.project);
  const before = proposedBefore(context, stage);
  if (before?.reviewed?.planHash === hash) return edited(obtained, before.reviewed);
  const waitsAlready = before?.planHash === hash && !before.reviewed;
  if (!waitsAlready) {
    const cost = await modelCost(obtained.checked.plan, knownTo(context, ended));
    context.facts.record([
      { ...proposedFact(context, obtained, stage, hash), ...(cost !== undefined && { cost }) },
    ]);
  }
  const review = await waitForReview(context);
  if (!review) return null;
  return review.plan ? editedStage(context, obtained, review, ended) : obtained;
}

/** What a run knows before its next stage. */
function knownTo(
  { request, artifacts, budgets, countTokens, models }: RunContext,
  ended: readonly NodeOutcome[],
): KnownResults {
  const states = statesOf([...ended, ...sessionInputs(request)]);
  const hostText = request.words?.('node') ?? '';
  return { states, artifacts, budgets, hostText, countTokens, price: models.priceOf?.(request.model) };
}

/** The stage as it was proposed in an earlier part of the run, which resumes with it. */
function proposedBefore({ request, runId, facts, budgets }: RunContext, stage: number): ProposedPlan | null {
  const { provided, turn } = request;
  const prior = provided && 'prior' in provided ? provided.prior : undefined;
  if (prior?.proposal?.stage !== stage) return null;
  const doneIds = prior.nodes.map(({ id }) => id);
  facts.record([{ type: 'run-resumed', turn, runId, kept: doneIds, budgets }]);
  return prior.proposal;
}

/** Waits for the user, without counting the time; null when the run was stopped or nobody is here. */
async function waitForReview({
  request,
  runId,
  facts,
  life,
  reviews,
}: RunContext): Promise<RecordedReview | null> {
  if (request.leaveForReview === true) {
    life.stop(leftForReview);
    return null;
  }
  const { turn } = request;
  const endWait = life.wait();
  const record = (review: RecordedReview): boolean =>
    facts.record([{ type: 'plan-reviewed', turn, runId, by: 'user', ...review }]);
  const review = await reviews.wait(runId, record, life.signal);
  endWait();
  return review;
}

/** The stage with the plan that the user edited; null, and the run is stopped, when it is no longer valid. */
async function editedStage(
  { request, toolCalls, budgets, life }: RunContext,
  obtained: ObtainedPlan,
  review: RecordedReview,
  ended: readonly NodeOutcome[],
): Promise<ObtainedPlan | null> {
  const done = new Set(ended.flatMap(({ id, status }) => (status === 'done' ? [id] : [])));
  const ofSession = sessionInputs(request).map(({ id }) => id);
  const rules = { toolCalls, project: request.project, budgets, signal: life.signal, ofSession };
  const recheck = await checkListed(rules, review.plan, 'needed', {
    done,
    approvals: new Set(),
    states: statesOf(ended),
  });
  if (recheck.ok) return edited({ ...obtained, ...recheck.value }, review);
  life.stop(joinFindings(recheck.error));
  return null;
}

interface UserChanges {
  readonly changes: readonly PlanChange[];
  readonly params?: JsonObject | undefined;
}

const edited = (obtained: ObtainedPlan, { changes, params }: UserChanges): ObtainedPlan => ({
  ...obtained,
  ...(changes.length > 0 && { changes }),
  ...(params && { params }),
  ...(params &&
    obtained.following && {
      following: withChangedParams(obtained.following, obtained.params ?? {}, params),
    }),
});

function proposedFact(
  { request, runId, capabilities }: RunContext,
  { checked, listing, source, recipeId, params, look, following, suggested }: ObtainedPlan,
  stage: number,
  hash: string,
): FactOf<'plan-proposed'> {
  const writes = expectedWrites(checked, { listing, capabilities });
  return {
    type: 'plan-proposed',
    turn: request.turn,
    runId,
    stage,
    plan: checked.plan,
    planHash: hash,
    source,
    ...(recipeId !== undefined && { recipeId }),
    ...(params && { params }),
    ...(look === true && { look }),
    ...(suggested === true && { suggested }),
    ...(following && following.length > 0 && { following: [...following] }),
    ...(Object.keys(writes).length > 0 && { writes }),
  };
}

const notWaiting = appError('HOST', 'STATE', 'That plan has changed or is no longer waiting.', {
  hint: 'Look at the plan that waits now.',
});

/** The tools with which each step may write, by its id; steps that only read are left out. */
export function expectedWrites(
  { plan, toolsOf }: CheckedPlan,
  rules: { readonly listing: ToolListing; readonly capabilities: Capabilities },
): Record<string, string[]> {
  const known = {
    tools: new Map(rules.listing.tools.map((tool) => [tool.uri, tool])),
    capabilities: rules.capabilities,
  };
  const writing = plan.nodes.flatMap(({ id }) => {
    const tools = (toolsOf.get(id) ?? []).filter((uri) => mayWrite(uri, known));
    return tools.length > 0 ? [[id, tools] as const] : [];
  });
  return Object.fromEntries(writing);
}

export interface ReviewNeeds {
  readonly toolCalls: CheckNeeds['toolCalls'];
  readonly policy: PolicyFiles;
  readonly recipes: Recipes;
}

interface PreviewNeeds extends ReviewNeeds {
  readonly artifacts: (project: string) => LabelledArtifactStore;
  readonly countTokens: (text: string) => Promise<number>;
  readonly models: Pick<ModelClient, 'priceOf'>;
  /** The request of the run, if it is active. */
  readonly request?: AgentRequest;
}

interface Checked extends CheckedListing {
  readonly proposed: Plan;
  readonly params?: JsonObject;
  readonly policy: { readonly capabilities: Capabilities; readonly budgets: Budgets };
}

/** Leaves out the declared tools of steps whose code was edited: the check declares those of the new code. */
function withoutStaleTools(edited: unknown, { nodes }: Plan): unknown {
  if (!isObject(edited as Json) || !Array.isArray((edited as JsonObject)['nodes'])) return edited;
  const plan = edited as { readonly nodes: readonly Json[] };
  const codes = new Map(nodes.map(({ id, code }) => [id, code]));
  return {
    ...plan,
    nodes: plan.nodes.map((node) => {
      if (!isObject(node) || typeof node['id'] !== 'string') return node;
      const { tools: _tools, ...rest } = node;
      return codes.get(node['id']) === node['code'] ? node : rest;
    }),
  };
}

/** The plan that the user means: edited, made from a recipe with other values, or as proposed. */
function wantedPlan(
  { recipes }: ReviewNeeds,
  project: string,
  { recipeId, plan }: ProposedPlan,
  edit: PlanDecision,
): Result<{ readonly plan: unknown; readonly params?: JsonObject }> {
  const own = edit.plan === undefined ? plan : withoutStaleTools(edit.plan, plan);
  if (!edit.params || recipeId === undefined) return ok({ plan: own });
  const match = recipes.byId(recipeId, edit.params, project);
  if (!match.ok) return match;
  const { recipe, params } = match.value;
  return ok({ plan: edit.plan === undefined ? toPlan(recipe, params) : own, params });
}

async function checkWanted(
  needs: ReviewNeeds,
  project: string,
  run: RunState,
  edit: PlanDecision,
): Promise<Result<Checked, readonly AppError[]>> {
  const proposal = waitingPlan(run);
  if (proposal?.stage !== edit.stage || proposal.planHash !== edit.planHash) return err([notWaiting]);
  const { toolCalls, policy } = needs;
  const [capabilities, budgets] = [policy.capabilities(project), policy.budgets(project)];
  if (!capabilities.ok) return err([capabilities.error]);
  if (!budgets.ok) return err([budgets.error]);
  const wanted = wantedPlan(needs, project, proposal, edit);
  if (!wanted.ok) return err([wanted.error]);
  // Whether the session has them is checked again when the stage begins.
  const ofSession = [previousName, attachedName];
  const rules = { toolCalls, project, budgets: budgets.value, ofSession };
  const checked = await checkListed(rules, wanted.value.plan, 'needed', earlierStages(run));
  if (!checked.ok) return checked;
  const { params } = wanted.value;
  return ok({
    ...checked.value,
    proposed: proposal.plan,
    policy: { capabilities: capabilities.value, budgets: budgets.value },
    ...(params && { params }),
  });
}

/** What an edited plan would be: its writes, its cost and what is wrong with it. Nothing is recorded. */
export async function previewPlan(
  needs: PreviewNeeds,
  project: string,
  run: RunState,
  edit: PlanDecision,
): Promise<PlanPreview> {
  const checked = await checkWanted(needs, project, run, edit);
  if (!checked.ok) return { findings: checked.error };
  const { checked: one, listing, policy } = checked.value;
  const { request, countTokens } = needs;
  const cost = await modelCost(one.plan, {
    states: new Map([
      ...(earlierStages(run).states ?? []),
      ...statesOf(request ? sessionInputs(request) : []),
    ]),
    artifacts: needs.artifacts(project),
    budgets: policy.budgets,
    hostText: request?.words?.('node') ?? '',
    countTokens,
    price: request && needs.models.priceOf?.(request.model),
  });
  const writes = expectedWrites(one, { listing, ...policy });
  return { findings: [], plan: one.plan, writes, ...(cost !== undefined && { cost }) };
}

/** The review of a waiting plan as it is recorded, after the plan that the user means was checked. */
export async function judgeReview(
  needs: ReviewNeeds,
  project: string,
  run: RunState,
  decision: PlanDecision,
): Promise<Result<RecordedReview>> {
  const checked = await checkWanted(needs, project, run, decision);
  if (!checked.ok) return err(joinFindings(checked.error));
  const { proposed, checked: wanted, listing, policy, params } = checked.value;
  const changes = [...planChanges(proposed, wanted.plan)];
  const taken = run.nodes.map(({ id }) => id);
  const inserted = insertApprovals(wanted, listing, policy.capabilities, taken);
  return ok({
    stage: decision.stage,
    planHash: planHash(inserted.plan, project),
    changes,
    ...(changes.length > 0 && { plan: wanted.plan }),
    ...(params && { params }),
  });
}
