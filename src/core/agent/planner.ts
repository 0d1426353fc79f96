import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { ModelMessage, ModelToolCall } from '../ports/llm';
import type { ToolListing } from '../tools/call-scope';
import { answerSlips } from './answer-slips';
import { checkPlan, joinFindings, type CheckedPlan } from './check-plan';
import { modelTurn, type ModelTurn } from './model-turn';
import { completePlan, replyOf, onlyAnswer, submitPlan } from './plan-reply';
import type { Planning } from './planning';
import { plannerBlocks, submitPlanTool } from './planning-prompt';
import { shownTools } from './shown-tools';
import { createToolIndex, findTools } from './tool-index';

/** The model's move in a planning conversation: a plan that can run, or words, which are the answer. */
export type PlannerMove =
  { readonly type: 'plan'; readonly checked: CheckedPlan } | { readonly type: 'text'; readonly text: string };

/** The planning conversation of one run. Messages are only appended, so its beginning stays cached. */
export interface Planner {
  /**
   * Asks the model for its next move. The findings about a plan that cannot run go back to the model once, in
   * the same conversation; a second such plan is an error.
   */
  readonly next: () => Promise<Result<PlannerMove>>;
}

/** Maximum model calls for one move: the plan, its repair, and the calls of other functions before them. */
const maxRounds = 8;

const noMove = appError('LLM', 'INVALID_REPLY', 'The model went on calling tools and gave no plan.', {
  retryable: true,
});

/** What a planning conversation begins with, besides the goal and the tools. */
export interface PlannerStart {
  /** Text about servers that this project does not allow; empty when there are none. */
  readonly notAllowed?: string;
  /** The earlier turns of the session. */
  readonly messages?: readonly ModelMessage[];
}

/** Builds the planning conversation of a goal. */
export function createPlanner(
  planning: Planning,
  listing: ToolListing,
  { notAllowed = '', messages = [] }: PlannerStart = {},
): Planner {
  const { request, models, meter, signal } = planning;
  const { goal, model, builtInTools } = request;
  const shown = shownTools(listing.tools, { lists: request.lists(), describe: request.describe });
  // Built once: types that a run observes must not change the messages already sent.
  const toolIndex = createToolIndex(shown, goal, planning.observed.schemaOf);
  const { blocks, leading } = plannerBlocks([toolIndex.text, notAllowed].filter(Boolean).join('\n'));
  const tools = [submitPlanTool, ...toolIndex.offered, ...(builtInTools?.tools ?? [])];
  const said: ModelMessage[] = [...messages, { role: 'user', content: goal }];

  const ask = async (part: 'plan' | 'repair'): Promise<Result<ModelTurn>> => {
    const system = request.prompt(part, { blocks, leading, tools: tools.map(({ name }) => name) });
    if (!system.ok) return system;
    const sent = { model, messages: [system.value, ...said], tools, ...request.response?.(part) };
    const { reply } = await modelTurn(models, sent, meter, signal, { part });
    if (!reply.ok) return reply;
    const { text, calls } = reply.value;
    said.push({ role: 'assistant', content: text, ...(calls.length > 0 && { toolCalls: calls }) });
    return reply;
  };

  const answerCall = async (call: ModelToolCall): Promise<string> => {
    if (call.name === findTools) return toolIndex.answer(call);
    const offered = builtInTools?.tools.some(({ name }) => name === call.name) === true;
    return builtInTools && offered ? builtInTools.call(call, signal) : 'There is no such function.';
  };

  /** Answers every call but the plan, which `respond` answers later. */
  const answerOthers = async ({ calls }: ModelTurn, plan: ModelToolCall | undefined): Promise<void> => {
    for (const call of calls.filter((one) => one !== plan)) {
      const content = call.name === submitPlan ? 'Only one plan at a time.' : await answerCall(call);
      said.push({ role: 'tool', toolCallId: call.id, content });
    }
  };

  /** Answers the plan itself: in the result of its call, or as a message when it came as text. */
  const respond = (plan: ModelToolCall | undefined, content: string): void => {
    said.push(plan ? { role: 'tool', toolCallId: plan.id, content } : { role: 'user', content });
  };

  const read = (turn: ModelTurn): Result<PlannerMove> => {
    const move = replyOf(turn);
    if (!move.ok) return move;
    if (move.value.type === 'text') return ok(move.value);
    const checked = checkPlan(completePlan(move.value.plan, goal), listing, planning.budgets);
    return checked.ok ? ok({ type: 'plan', checked: checked.value }) : err(joinFindings(checked.error));
  };

  /** The answer of a second plan without steps: the model has nothing to run, only something to say. */
  const wordsOf = (turn: ModelTurn): Result<PlannerMove> | null => {
    const move = replyOf(turn);
    const text = move.ok && move.value.type === 'plan' ? onlyAnswer(move.value.plan) : null;
    return text === null ? null : ok({ type: 'text', text });
  };

  const next = async (): Promise<Result<PlannerMove>> => {
    /** A plan that can run although its answer's template has a slip: used if it is not corrected. */
    let usable: Result<PlannerMove> | null = null;
    let refused = false;
    for (let round = 0; round < maxRounds; round += 1) {
      const turn = await ask(refused ? 'repair' : 'plan');
      if (!turn.ok) return usable ?? turn;
      const plan = turn.value.calls.find(({ name }) => name === submitPlan);
      await answerOthers(turn.value, plan);
      if (turn.value.calls.length > 0 && !plan) continue;
      const move = read(turn.value);
      const findings = findingsOf(move);
      if (findings === null) return usable && isText(move) ? usable : move;
      if (refused) return usable ?? wordsOf(turn.value) ?? move;
      refused = true;
      if (move.ok) usable = move;
      respond(plan, repairText(findings));
    }
    return usable ?? err(noMove);
  };
  return { next };
}

/** What is wrong with a move; null when nothing is. */
function findingsOf(move: Result<PlannerMove>): AppError | null {
  if (!move.ok) return move.error;
  if (move.value.type === 'text') return null;
  const slips = answerSlips(move.value.checked.plan);
  return slips.length > 0 ? joinFindings(slips) : null;
}

const isText = (move: Result<PlannerMove>): boolean => move.ok && move.value.type === 'text';

const repairText = ({ message, hint, problems }: AppError): string =>
  `The plan was not run. Findings:\n${problems || hint === undefined ? message : `${message} ${hint}`}\nCorrect exactly these and call ${submitPlan} again with the whole plan.`;
