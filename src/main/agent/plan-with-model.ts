import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { ModelMessage, ModelTool, ModelToolCall } from '../ports/llm';
import type { ToolDefinition } from '../ports/tool-definition';
import type { PromptText } from '../session/prompt';
import type { ToolListing } from '../tools/call-scope';
import { nearestNames } from '../tools/nearest-names';
import { checkPlan, joinFindings, type CheckedPlan } from './check-plan';
import { modelTurn, type ModelTurn } from './model-turn';
import type { Planning } from './planning';
import { completePlan, planIn, submitPlan } from './plan-reply';
import { plannerBlocks, repairBlocks, repairText, submitPlanTool } from './planning-prompt';
import { createToolCatalogue, findTools, type ToolCatalogue } from './tool-catalogue';
import { toolLines } from './tool-signature';
import { shownTools } from './shown-tools';

/** A planner that only calls tools and never plans is no planner. */
const mostRounds = 4;
const noPlan = appError('LLM', 'INVALID_REPLY', 'The model went on calling tools and gave no plan.', {
  retryable: true,
});

interface PlanCall {
  readonly part: 'plan' | 'repair';
  /** What its system message says beside the host's words. */
  readonly blocks: readonly PromptText[];
  /** The user's message. */
  readonly text: string;
  readonly tools: readonly ModelTool[];
  /** What a call of one of the tools is answered with. */
  readonly answer: (call: ModelToolCall) => Promise<string>;
}

/** One plan reply. Tools the model calls before it are carried out and answered; without any the plan is forced. */
async function ask(
  planning: Planning,
  { part, blocks, text, tools: offered, answer }: PlanCall,
): Promise<Result<ModelTurn>> {
  const { model } = planning.request;
  const names = new Set(offered.map(({ name }) => name));
  const tools = [submitPlanTool, ...offered];
  let said: readonly ModelMessage[] = [];
  for (let round = 0; round < mostRounds; round += 1) {
    const system = planning.request.prompt(part, { blocks, tools: tools.map(({ name }) => name) });
    if (!system.ok) return system;
    const asked: readonly ModelMessage[] = [
      { role: 'system', content: system.value },
      { role: 'user', content: text },
    ];
    const messages = [...asked, ...said];
    const request = { model, messages, tools, ...(offered.length === 0 && { toolChoice: submitPlan }) };
    const turn = await modelTurn(planning.models, request, planning.meter, planning.signal);
    if (!turn.ok) return turn;
    const calls = turn.value.calls.filter(({ name }) => names.has(name));
    if (calls.length === 0 || turn.value.calls.some(({ name }) => name === submitPlan)) return turn;
    const answers: ModelMessage[] = [];
    for (const call of calls)
      answers.push({ role: 'tool', toolCallId: call.id, content: await answer(call) });
    said = [...said, { role: 'assistant', content: turn.value.text, toolCalls: calls }, ...answers];
  }
  return err(noPlan);
}

/** The planning call: what the catalogue leaves out is found on the host's side, host tools pass their own gate. */
function firstCall(planning: Planning, catalogue: ToolCatalogue): PlanCall {
  const { goal, hostTools } = planning.request;
  return {
    part: 'plan',
    blocks: plannerBlocks(catalogue.text),
    text: goal,
    tools: [...catalogue.offered, ...(hostTools?.tools ?? [])],
    answer: async (call) => {
      if (call.name === findTools) return catalogue.answer(call);
      return hostTools ? hostTools.call(call, planning.signal) : 'There is no such function.';
    },
  };
}

const asText = (turn: ModelTurn): string =>
  turn.calls.find(({ name }) => name === submitPlan)?.argumentsJson ?? turn.text;

/** The lines of the tools a plan names, and of those it may have meant. */
function linesNamed(plan: string, listing: ToolListing, planning: Planning): string {
  const lines = toolLines(listing.tools, planning.observed.schemaOf);
  const named = new Set([...plan.matchAll(/\.([A-Za-z_]\w*)/g)].map(([, tool = '']) => tool));
  const spelled = (tool: ToolDefinition): string => tool.tool.replace(/\W/g, '_');
  const known = new Set(listing.tools.map(spelled));
  const near = [...named]
    .filter((name) => !known.has(name))
    .flatMap((name) => nearestNames(name, [...known]));
  const wanted = new Set([...named, ...near]);
  return listing.tools
    .flatMap((tool) => (wanted.has(spelled(tool)) ? [lines.get(tool.uri) ?? ''] : []))
    .join('\n');
}

/** The plan of a reply, checked; findings in words when it cannot run. */
function read(planning: Planning, turn: ModelTurn, listing: ToolListing): Result<CheckedPlan> {
  const value = planIn(turn);
  if (!value.ok) return value;
  const checked = checkPlan(completePlan(value.value, planning.request.goal), listing, planning.budgets);
  return checked.ok ? checked : err(joinFindings(checked.error));
}

/** Asks the model for a plan; what is wrong with it goes back once, all at once, and a second wrong plan ends the run. */
export async function planWithModel(
  planning: Planning,
  listing: ToolListing,
): Promise<Result<CheckedPlan, AppError>> {
  const { goal, lists, describe } = planning.request;
  const shown = shownTools(listing.tools, { lists: lists(), describe });
  const catalogue = createToolCatalogue(shown, goal, planning.observed.schemaOf);
  const first = await ask(planning, firstCall(planning, catalogue));
  if (!first.ok) return first;
  const plan = read(planning, first.value, listing);
  if (plan.ok) return ok(plan.value);
  const previous = asText(first.value);
  const tools = linesNamed(previous, listing, planning);
  const findings = plan.error.message;
  const second = await ask(planning, {
    part: 'repair',
    blocks: repairBlocks({ tools }),
    text: repairText({ goal, previous, findings }),
    tools: [],
    answer: () => Promise.resolve(''),
  });
  return second.ok ? read(planning, second.value, listing) : second;
}
