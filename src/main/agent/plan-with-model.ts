import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { ModelMessage } from '../ports/llm';
import type { ToolListing } from '../tools/call';
import { checkPlan, joinFindings, type CheckedPlan } from './check-plan';
import { modelTurn, type ModelTurn } from './model-turn';
import type { Planning } from './planning';
import { planIn, submitPlan } from './plan-reply';
import { allowedTools, planningMessages, repairMessages, submitPlanTool } from './planning-prompt';

interface ModelPlan {
  readonly checked: CheckedPlan;
  readonly listing: ToolListing;
}

/** A planner that only calls host tools and never plans is no planner. */
const mostRounds = 4;
const noPlan = appError('LLM', 'INVALID_REPLY', 'The model went on calling tools and gave no plan.', {
  retryable: true,
});

/** One plan reply. Host tools the model calls before it are carried out and answered; without them the plan is forced. */
async function ask(planning: Planning, given: readonly ModelMessage[]): Promise<Result<ModelTurn>> {
  const { model, hostTools } = planning.request;
  const offered = hostTools?.tools ?? [];
  const names = new Set(offered.map(({ name }) => name));
  let messages = given;
  for (let round = 0; round < mostRounds; round += 1) {
    const tools = [submitPlanTool(), ...offered];
    const request = { model, messages, tools, ...(offered.length === 0 && { toolChoice: submitPlan }) };
    const turn = await modelTurn(planning.models, request, planning.meter, planning.signal);
    if (!turn.ok || !hostTools) return turn;
    const calls = turn.value.calls.filter(({ name }) => names.has(name));
    if (calls.length === 0) return turn;
    const answers: ModelMessage[] = [];
    for (const call of calls) {
      const content = await hostTools.call(call, planning.signal);
      answers.push({ role: 'tool', toolCallId: call.id, content });
    }
    messages = [...messages, { role: 'assistant', content: turn.value.text, toolCalls: calls }, ...answers];
  }
  return err(noPlan);
}

/** The plan of a reply, checked; findings in words when it cannot run. */
function read(planning: Planning, turn: ModelTurn, listing: ToolListing): Result<CheckedPlan> {
  const value = planIn(turn);
  if (!value.ok) return value;
  const checked = checkPlan(value.value, listing, planning.budgets.run.nodes);
  return checked.ok ? checked : err(joinFindings(checked.error));
}

const asText = (turn: ModelTurn): string =>
  turn.calls.find(({ name }) => name === submitPlan)?.argumentsJson ?? turn.text;

/** Asks the model for a plan; what is wrong with it goes back once, all at once, and a second wrong plan ends the run. */
export async function planWithModel(planning: Planning): Promise<Result<ModelPlan, AppError>> {
  const listed = await planning.toolCalls.list();
  if (!listed.ok) return listed;
  const listing = { ...listed.value, tools: allowedTools(listed.value.tools, planning.capabilities) };
  const messages = planningMessages(planning.request.goal, listing.tools, planning.request.prompt.planning);
  const first = await ask(planning, messages);
  if (!first.ok) return first;
  const plan = read(planning, first.value, listing);
  if (plan.ok) return ok({ checked: plan.value, listing });
  const repair = repairMessages(asText(first.value), plan.error.message);
  const second = await ask(planning, [...messages, ...repair]);
  if (!second.ok) return second;
  const repaired = read(planning, second.value, listing);
  return repaired.ok ? ok({ checked: repaired.value, listing }) : repaired;
}
