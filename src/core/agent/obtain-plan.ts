import { appError, type AppError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { offlineProviderId } from '#shared/model';
import type { PlanNode } from '#shared/plan';
import { err, ok, type Result } from '#shared/result';
import type { PlanSource } from '#shared/session-event';
import type { RunState } from '#shared/session-state';
import type { ToolListing } from '../tools/call-scope';
import type { ModelMessage } from '../ports/llm';
import type { DiscoveryMode } from '../ports/discovery-mode';
import { unallowedServers, unallowedServerText } from '../tools/server-permission';
import { readCode } from './check-code';
import { checkPlan, joinFindings, readableNodes, type CheckedPlan, type EarlierNodes } from './check-plan';
import { conversationMessages } from './conversation-messages';
import { planKey } from './earlier-plans';
import { withoutApprovals } from './insert-approvals';
import { createPlanner, type Planner } from './planner';
import { earlierStages } from './prior-run';
import type { Planning } from './planning';
import { allowedTools } from './planning-prompt';
import { toPlan, type RecipeMatch, type Recipes } from './recipes';
import { serverOf } from './script-tools';

/** A plan that may run, with its source and the tools that its gate knows. */
export interface ObtainedPlan {
  readonly checked: CheckedPlan;
  readonly listing: ToolListing;
  readonly source: PlanSource;
  readonly recipeId?: string;
  readonly params?: JsonObject;
  /** The cache key of a model's plan, used once its run is done. */
  readonly key?: string;
  /** The model reads the results of this plan before it goes on. */
  readonly look?: boolean;
  /** The conversation in which the next stage is planned. */
  readonly planner?: Planner;
}

/** The model answered the goal in words; there is nothing to run. */
export interface AnsweredInText {
  readonly text: string;
}

/** The servers that a script names, as spelled in the script and with `-` for `_`. */
function serversIn({ code = '' }: PlanNode): readonly string[] {
  const spelled = readCode(code, false).tools.map(({ alias }) => alias.slice(0, alias.indexOf('.')));
  return spelled.flatMap((name) => [name, name.replaceAll('_', '-')]);
}

/** The servers that a plan names; `undefined` (all of them) when the tools of a script are not declared. */
function serversOf(nodes: readonly PlanNode[]): readonly string[] | undefined {
  const scripts = nodes.filter(({ code }) => code?.includes('tools') === true);
  const declared = nodes.flatMap(({ tools }) => tools ?? []).map((uri) => serverOf(uri));
  const known =
    scripts.every(({ tools }) => tools !== undefined) && !declared.some((name) => name.includes('*'));
  return known ? [...new Set([...declared, ...scripts.flatMap(serversIn)])] : undefined;
}

const noTools: ToolListing = { tools: [], servers: [] };

type Checked = Result<Pick<ObtainedPlan, 'checked' | 'listing'>>;

async function check(
  planning: Planning,
  value: unknown,
  how: DiscoveryMode = 'needed',
  earlier?: EarlierNodes,
): Promise<Checked> {
  const servers = serversOf(readableNodes(value));
  const { project } = planning.request;
  const listed = servers?.length === 0 ? ok(noTools) : await planning.toolCalls.list(project, servers, how);
  if (!listed.ok) return listed;
  const checked = checkPlan(value, listed.value, planning.budgets, earlier);
  if (checked.ok) return ok({ checked: checked.value, listing: listed.value });
  // A tool list cached in an earlier start may lack tools that the servers offer by now.
  const missing = checked.error.some(({ code }) => code === 'UNKNOWN_TOOL');
  // An aborted run starts no servers for a live listing.
  const again = missing && how === 'needed' && !planning.signal.aborted;
  return again ? check(planning, value, 'live', earlier) : err(joinFindings(checked.error));
}

async function fromRecipe(planning: Planning, match: RecipeMatch): Promise<Result<ObtainedPlan>> {
  const { recipe, params } = match;
  const checked = await check(planning, toPlan(recipe, params));
  return checked.ok ? ok({ ...checked.value, source: 'recipe', recipeId: recipe.id, params }) : checked;
}

async function fromFile(planning: Planning, plan: unknown): Promise<Result<ObtainedPlan>> {
  const checked = await check(planning, plan);
  return checked.ok ? ok({ ...checked.value, source: 'file' }) : checked;
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

/**
 * The plan of an earlier run's last stage, checked against the current tools. A run that stopped while its
 * first plan was made is planned again, in the conversation as far as it was recorded.
 */
async function fromPrior(
  planning: Planning,
  prior: RunState,
): Promise<Result<ObtainedPlan | AnsweredInText>> {
  const last = prior.stages?.at(-1);
  if (!last) return fromModel(planning);
  const source = prior.source ?? 'file';
  const plan = withoutApprovals(last.plan, last.announces ?? {});
  if (source !== 'model' || (!last.look && last.stage === 1)) {
    const checked = await check(planning, plan);
    return checked.ok ? ok({ ...checked.value, source }) : checked;
  }
  const tools = await plannerTools(planning);
  if (!tools.ok) return tools;
  const { listing, notAllowed } = tools.value;
  const checked = checkPlan(plan, listing, planning.budgets, earlierStages(prior));
  if (!checked.ok) return err(joinFindings(checked.error));
  const messages = await conversationFor(planning);
  const planner = createPlanner(planning, listing, { notAllowed, messages });
  return ok({ checked: checked.value, listing, source, planner, ...(last.look && { look: true }) });
}

function noPlanner(recipes: Recipes): AppError {
  const examples = recipes.all.flatMap(({ example }) => (example === undefined ? [] : [`“${example}”`]));
  return appError('LLM', 'UNAVAILABLE', 'No recipe fits this goal, and no model is connected to plan it.', {
    hint: `Connect a model in the model picker, or try ${examples.join(', ')}.`,
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
  const providers = await models.listModels(false);
  const context = providers.find(({ providerId }) => providerId === model.providerId)?.contextTokens?.[
    model.model
  ];
  return context === undefined ? messages : conversationMessages(conversation, count, context);
}

/**
 * The plan of an earlier successful run with the same goal, tools and inputs, otherwise a new one from the
 * model. An earlier plan is checked again; one that is no longer valid is replaced by a new plan.
 */
async function fromModel(planning: Planning): Promise<Result<ObtainedPlan | AnsweredInText>> {
  const { request, earlier } = planning;
  if (request.model.providerId === offlineProviderId)
    return err(planning.models.setupProblem() ?? noPlanner(planning.recipes));
  const tools = await plannerTools(planning);
  if (!tools.ok) return tools;
  const { listing, notAllowed } = tools.value;
  const messages = await conversationFor(planning);
  const key = planKey(request, listing.tools, messages);
  const known = request.planAnew === true ? null : earlier.find(key);
  const again = known ? checkPlan(known, listing, planning.budgets) : null;
  if (again?.ok === true) return ok({ checked: again.value, listing, source: 'earlier', key });
  const planner = createPlanner(planning, listing, { notAllowed, messages });
  const planned = await planner.next();
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
  const { given, goal, project } = request;
  if (given && 'plan' in given) return fromFile(planning, given.plan);
  if (given && 'prior' in given) return fromPrior(planning, given.prior);
  const match = given ? recipes.byId(given.recipeId, given.params, project) : recipes.match(goal, project);
  if (!match.ok) return match;
  if (match.value) return fromRecipe(planning, match.value);
  return fromModel(planning);
}
