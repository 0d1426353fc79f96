import type { AppError } from '#shared/app-error';
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

function ask(planning: Planning, messages: readonly ModelMessage[]): Promise<Result<ModelTurn>> {
  const request = {
    model: planning.request.model,
    messages,
    tools: [submitPlanTool()],
    toolChoice: submitPlan,
  };
  return modelTurn(planning.models, request, planning.meter, planning.signal);
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
  const messages = planningMessages(planning.request.goal, listing.tools);
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
