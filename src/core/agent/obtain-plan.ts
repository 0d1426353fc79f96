import { appError, type AppError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { contextTokensOf, offlineProviderId } from '#shared/model';
import type { Plan, PlanSource } from '#shared/plan';
import type { PlanChange } from '#shared/plan-review';
import { err, ok, type Result } from '#shared/result';
import type { ProposedPlan, RunState, StageState } from '#shared/session-state';
import type { ToolListing } from '../tools/call-scope';
import type { AgentRequest } from '../ports/agent';
import type { ModelMessage } from '../ports/llm';
import { unallowedServers, unallowedServerText } from '../tools/server-permission';
import { checkListed, type CheckNeeds } from './check-listed';
import { answerInText, checkPlan, joinFindings, type CheckedPlan, type EarlierNodes } from './check-plan';
import { chooseRecipe } from './choose-recipe';
import { conversationMessages } from './conversation-messages';
import { planKey } from './earlier-plans';
import { withoutApprovals } from './insert-approvals';
import { createPlanner, firstStage, steeredMove, type Planner } from './planner';
import { sessionInputs } from './previous-run';
import { earlierStages } from './prior-run';
import type { Planning } from './planning';
import { allowedTools } from './planning-prompt';
import { toStages, type RecipeMatch, type Recipes } from './recipes';
import { checkStages, readStages } from './staged-plan';

/** A plan that may run, with its source and the tools that its gate knows. */
export interface ObtainedPlan {
  readonly checked: CheckedPlan;
  readonly listing: ToolListing;
  readonly source: PlanSource;
  readonly recipeId?: string;
  readonly params?: JsonObject;
  /** The cache key of a model's plan, used once its run is done. */
  readonly key?: string;
  /** The model reads the results of this plan before it continues. */
  readonly look?: boolean;
  /** The stages of a given plan or a recipe that run after this one, without a model. */
  readonly following?: readonly Plan[];
  /** A model that makes no plans chose the recipe or the tool: the first stage waits for the user's review. */
  readonly suggested?: true;
  /** What the user changed before it ran. */
  readonly changes?: readonly PlanChange[];
  /** The conversation in which the next stage is planned. */
  readonly planner?: Planner;
}

/** The model answered the goal in words; there is nothing to run. */
export interface AnsweredInText {
  readonly text: string;
}

type Checked = Result<Pick<ObtainedPlan, 'checked' | 'listing'>>;

function rulesOf({ request, toolCalls, budgets, signal }: Planning): CheckNeeds {
  const ofSession = sessionInputs(request).map(({ id }) => id);
  return { project: request.project, toolCalls, budgets, signal, ofSession };
}

async function check(planning: Planning, value: unknown, earlier?: EarlierNodes): Promise<Checked> {
  const checked = await checkListed(rulesOf(planning), value, 'needed', earlier);
  return checked.ok ? checked : err(joinFindings(checked.error));
}

async function fromRecipe(planning: Planning, match: RecipeMatch): Promise<Result<ObtainedPlan>> {
  const { recipe, params } = match;
  const checked = await checkStages(rulesOf(planning), toStages(recipe, params));
  if (!checked.ok) return err(joinFindings(checked.error));
  return ok({ ...checked.value, source: 'recipe', recipeId: recipe.id, params });
}

/** The most stages of a run where its budgets say nothing. */
export const defaultStages = 6;

/** A finding about a file, whose author cannot answer in text. */
const aboutFile = (error: AppError): AppError =>
  error.hint === answerInText ? { ...error, hint: 'Add a step to "nodes".' } : error;

async function fromFile(planning: Planning, plan: unknown, file = 'plan'): Promise<Result<ObtainedPlan>> {
  const stages = readStages(plan, planning.budgets.run.stages ?? defaultStages);
  const checked = stages.ok ? await checkStages(rulesOf(planning), stages.value) : stages;
  if (checked.ok) return ok({ ...checked.value, source: 'file' });
  const isStaged = !stages.ok || stages.value.length > 1;
  const named = (error: AppError) => (isStaged ? { ...error, message: `${file}: ${error.message}` } : error);
  return err(joinFindings(checked.error.map(aboutFile).map(named)));
}

/** The tools that a model may plan with, and the text about those that the project does not allow. */
async function plannerTools(
  planning: Planning,
): Promise<Result<{ readonly listing: ToolListing; readonly notAllowed: string }>> {
  const { capabilities, request, toolCalls } = planning;
  const listed = await toolCalls.list(request.project);
  if (!listed.ok) return listed;
  const listing = { ...listed.value, tools: allowedTools(listed.value.tools, capabilities) };
  const notAllowed = unallowedServers(capabilities, listed.value.tools).map(unallowedServerText).join('\n');
  return ok({ listing, notAllowed });
}

/** A proposed stage as the user ran it, or as it waits. */
const proposedStage = ({
  stage,
  look,
  plan,
  following,
  reviewed,
}: ProposedPlan): Partial<StageState> & Pick<StageState, 'plan' | 'stage'> => ({
  stage,
  plan: reviewed?.plan ?? plan,
  ...(look && { look }),
  ...(following && { following }),
  ...(reviewed && reviewed.changes.length > 0 && { changes: reviewed.changes }),
});

const lastStage = ({ proposal, stages }: RunState) => (proposal ? proposedStage(proposal) : stages?.at(-1));

/** Plans a run again that was interrupted before it had a plan; a given plan is not recorded until then. */
const fromStart = (planning: Planning, { source }: RunState): ReturnType<typeof fromPrior> =>
  source ? Promise.resolve(err(planLost)) : fromGoal(planning);

const planLost = appError(
  'HOST',
  'STATE',
  'The run was interrupted before its plan was recorded, so nothing can be resumed. Nothing ran.',
  { hint: 'Run the plan or the recipe again.' },
);

/**
 * The plan of an earlier run's last stage, or of its next one if that waits for the user's review, checked
 * against the current tools. A run that stopped while its first plan was made is planned again, in the
 * conversation as far as it was recorded.
 */
async function fromPrior(
  planning: Planning,
  prior: RunState,
): Promise<Result<ObtainedPlan | AnsweredInText>> {
  const last = lastStage(prior);
  if (!last) return fromStart(planning, prior);
  const { source = 'file' } = prior.proposal ?? prior;
  const plan = withoutApprovals(last.plan, last.announces ?? {});
  const { following, changes } = last;
  const more = { source, ...(changes && { changes }), ...(following && { following }) };
  if (!hasPlanner(source, planning.request)) {
    const checked = await check(planning, plan, earlierStages(prior));
    return checked.ok ? ok({ ...checked.value, ...more, ...recipeOf(prior.proposal) }) : checked;
  }
  const planned = await withPlanner(planning, prior, plan);
  return planned.ok ? ok({ ...planned.value, ...more, ...(last.look && { look: true }) }) : planned;
}

/** A plan of a model, with the conversation that made it. */
async function withPlanner(
  planning: Planning,
  prior: RunState,
  plan: Plan,
): Promise<Result<Pick<ObtainedPlan, 'checked' | 'listing' | 'planner'>>> {
  const tools = await plannerTools(planning);
  if (!tools.ok) return tools;
  const { listing, notAllowed } = tools.value;
  const ofSession = sessionInputs(planning.request).map(({ id }) => id);
  const checked = checkPlan(plan, listing, planning.budgets, { ...earlierStages(prior), ofSession });
  if (!checked.ok) return err(joinFindings(checked.error));
  const messages = await conversationFor(planning);
  const planner = await createPlanner(planning, listing, { notAllowed, messages, plan });
  return ok({ checked: checked.value, listing, planner });
}

/** Whether the model that made a plan can go on from its results or its failure. */
const hasPlanner = (source: PlanSource, { model }: AgentRequest): boolean =>
  (source === 'model' || source === 'earlier') && model.providerId !== offlineProviderId;

const recipeOf = ({ recipeId, params, suggested }: Partial<ProposedPlan> = {}): Pick<
  ObtainedPlan,
  'recipeId' | 'params' | 'suggested'
> => ({
  ...(recipeId !== undefined && { recipeId }),
  ...(params && { params }),
  ...(suggested && { suggested }),
});

function noPlanner(recipes: Recipes): AppError {
  const examples = recipes.all.flatMap(({ example }) => (example === undefined ? [] : [`“${example}”`]));
  const other = examples.length > 0 ? `, or try ${examples.join(', ')}` : '';
  return appError('LLM', 'UNAVAILABLE', 'No recipe fits this goal, and no model is connected to plan it.', {
    hint: `Connect a model in the model picker${other}.`,
  });
}

/** Below this many tokens, the earlier turns fit a quarter of any model's context. */
const fitsAnyContext = 1_000;

/** The earlier turns as messages; asks for the size of the model's context only when it matters. */
async function conversationFor({ request, meter, models }: Planning): Promise<readonly ModelMessage[]> {
  const { conversation = [], model } = request;
  const count = meter.estimate.exact;
  const messages = await conversationMessages(conversation, count);
  const sizes = await Promise.all(messages.map(({ content }) => count(content)));
  if (sizes.reduce((sum, size) => sum + size, 0) <= fitsAnyContext) return messages;
  const context = contextTokensOf(model, await models.listModels(false));
  return context === undefined ? messages : conversationMessages(conversation, count, context);
}

/** Whether an earlier plan does not count: the user wants another one, or the line has contents of its own. */
const ignoresEarlierPlan = ({ planAnew: replan = false, attached = [] }: AgentRequest): boolean =>
  replan || attached.length > 0;

/** Proposes the recipe or the call of a tool that a model chose which makes no plans. */
async function fromChoice(planning: Planning, refusal: AppError): Promise<Result<ObtainedPlan>> {
  const tools = await plannerTools(planning);
  // Without a list of tools, the recipes are left.
  const match = await chooseRecipe(planning, refusal, tools.ok ? tools.value.listing.tools : []);
  if (!match.ok) return match;
  const { value } = match;
  const obtained = 'call' in value ? await fromFile(planning, value.call) : await fromRecipe(planning, value);
  return obtained.ok ? ok({ ...obtained.value, suggested: true }) : obtained;
}

/** Goal → plan without a plan of the model: why there is none offline, or what it chose; null: it plans. */
function unplanned(planning: Planning): ReturnType<typeof fromChoice> | null {
  const { request, models, recipes } = planning;
  if (request.model.providerId === offlineProviderId)
    return Promise.resolve(err(models.setupProblem() ?? noPlanner(recipes)));
  const refusal = models.planRefusal?.(request.model) ?? null;
  return refusal && fromChoice(planning, refusal);
}

/**
 * The plan of an earlier successful run with the same goal, tools and inputs, otherwise a new one from the
 * model. An earlier plan is checked again; one that is no longer valid is replaced by a new plan. A model that makes
 * no plans chooses a recipe or a tool.
 */
async function fromModel(planning: Planning): Promise<Result<ObtainedPlan | AnsweredInText>> {
  const { request, earlier } = planning;
  const other = unplanned(planning);
  if (other) return other;
  const { life, stageCancel } = planning;
  const own = stageCancel.begin(life);
  const tools = await plannerTools(planning);
  if (!tools.ok) return tools;
  const { listing, notAllowed } = tools.value;
  const messages = await conversationFor(planning);
  const key = planKey(request, listing.tools, messages);
  const known = ignoresEarlierPlan(request) || own.signal.aborted ? null : earlier.find(key);
  const checkedAgain = known ? checkPlan(known, listing, planning.budgets) : null;
  if (checkedAgain?.ok === true) {
    const { plan } = checkedAgain.value;
    const planner = await createPlanner(planning, listing, { notAllowed, messages, plan });
    stageCancel.end();
    return ok({ checked: checkedAgain.value, listing, source: 'earlier', key, planner });
  }
  const planner = await createPlanner(planning, listing, { notAllowed, messages });
  const planned = await steeredMove(planner, firstStage, planning, own);
  if (planned.ok) {
    if (planned.value.type === 'text') return ok({ text: planned.value.text });
    const { checked, look } = planned.value;
    return ok({ checked, listing, source: 'model', key, look, planner });
  }
  // A plan without the tools it needs fails in many ways, so the hint names the disallowed servers, which the
  // user can allow.
  const hint = [planned.error.hint, notAllowed].filter(Boolean).join(' ');
  return err({ ...planned.error, ...(hint !== '' && { hint }) });
}

/**
 * Goal → plan: the given plan, the recipe named or recognised, an earlier plan for the same goal, otherwise
 * the model's, which may also answer in words. An error contains every finding at once; nothing has run yet.
 */
export async function obtainPlan(planning: Planning): Promise<Result<ObtainedPlan | AnsweredInText>> {
  const { request, recipes } = planning;
  const { provided, project } = request;
  if (!provided) return fromGoal(planning);
  if ('plan' in provided) return fromFile(planning, provided.plan, provided.file);
  if ('prior' in provided) return fromPrior(planning, provided.prior);
  const match = recipes.byId(provided.recipeId, provided.params, project);
  return match.ok ? fromRecipe(planning, match.value) : match;
}

/** The plan of the recipe that the goal names, otherwise a model's. */
async function fromGoal(planning: Planning): Promise<Result<ObtainedPlan | AnsweredInText>> {
  const { request, recipes } = planning;
  const match = recipes.match(request.goal, request.project);
  if (!match.ok) return match;
  return match.value ? fromRecipe(planning, match.value) : fromModel(planning);
}
