import type { AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { ToolListing } from '../tools/call-scope';
import { answerSlips } from './answer-slips';
import { checkPlan, joinFindings, type CheckedPlan } from './check-plan';
import type { ModelTurn } from './model-turn';
import { askForPlan, linesOf, plainCall, planText, toolsNamed, type PlanCall } from './plan-call';
import type { Planning } from './planning';
import { completePlan, planIn } from './plan-reply';
import { plannerBlocks, repairBlocks, repairText } from './planning-prompt';
import { createToolIndex, findTools, type ToolIndex } from './tool-index';
import { shownTools } from './shown-tools';

/** The planning call: the host answers `find_tools` itself, and host tools pass their own gate. */
function firstCall(planning: Planning, toolIndex: ToolIndex, notAllowed: string): PlanCall {
  const { goal, builtInTools } = planning.request;
  return {
    part: 'plan',
    blocks: plannerBlocks([toolIndex.text, notAllowed].filter(Boolean).join('\n')),
    text: goal,
    tools: [...toolIndex.offered, ...(builtInTools?.tools ?? [])],
    answer: async (call) => {
      if (call.name === findTools) return toolIndex.answer(call);
      return builtInTools ? builtInTools.call(call, planning.signal) : 'There is no such function.';
    },
  };
}

/** The checked plan of a reply, or its findings as text. */
function read(planning: Planning, turn: ModelTurn, listing: ToolListing): Result<CheckedPlan> {
  const value = planIn(turn);
  if (!value.ok) return value;
  const checked = checkPlan(completePlan(value.value, planning.request.goal), listing, planning.budgets);
  return checked.ok ? checked : err(joinFindings(checked.error));
}

/** Asks the model for a plan. All findings go back to it once; a second invalid plan ends the run. */
export async function planWithModel(
  planning: Planning,
  listing: ToolListing,
  /** Text about servers that this project does not allow; empty when there are none. */
  notAllowed = '',
): Promise<Result<CheckedPlan, AppError>> {
  const { goal, lists, describe } = planning.request;
  const shown = shownTools(listing.tools, { lists: lists(), describe });
  const toolIndex = createToolIndex(shown, goal, planning.observed.schemaOf);
  const first = await askForPlan(planning, firstCall(planning, toolIndex, notAllowed));
  if (!first.ok) return first;
  const plan = read(planning, first.value, listing);
  const slips = plan.ok ? answerSlips(plan.value.plan) : [];
  if (plan.ok && slips.length === 0) return ok(plan.value);
  const previous = planText(first.value);
  const tools = linesOf(toolsNamed(previous, listing), listing, planning).join('\n');
  const findings = plan.ok ? joinFindings(slips).message : plan.error.message;
  const blocks = repairBlocks({ tools });
  const text = repairText({ goal, previous, findings });
  const second = await askForPlan(planning, plainCall({ part: 'repair', blocks, text }));
  const repaired = second.ok ? read(planning, second.value, listing) : second;
  // A slip in the answer alone does not prevent the plan from running.
  return plan.ok && !repaired.ok ? ok(plan.value) : repaired;
}
