import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { isObject, type Json } from '#shared/json';
import type { Plan } from '#shared/plan';
import type { RunState } from '#shared/session-state';
import type { MessagePart } from '#shared/run-fact';
import type { ModelMessage, ModelToolCall } from '../ports/llm';
import type { ToolListing } from '../tools/call-scope';
import { answerSlips } from './answer-slips';
import { checkPlan, joinFindings, type CheckedPlan, type EarlierNodes } from './check-plan';
import { modelTurn, type ModelTurn } from './model-turn';
import type { NodeOutcome } from './node-run';
import { maxReads, readResult, readResultText, readResultTool } from './observation';
import { completePlan, freeScriptId, onlyAnswer, replyOf, splitLook, submitPlan } from './plan-reply';
import type { Planning, PlanningFact } from './planning';
import { attachedText } from './attached';
import { sessionInputs } from './previous-run';
import { plannerBlocks, submitPlanTool } from './planning-prompt';
import { addedText, restorePlanning, type RestoredPlanning } from './restore-planning';
import { raceAbort, type RunLifecycle } from './run-lifecycle';
import { shownTools } from './shown-tools';
import { createToolIndex, findTools } from './tool-index';

/** The model's move in a planning conversation: a plan that can run, or words, which are the answer. */
export type PlannerMove =
  | { readonly type: 'plan'; readonly checked: CheckedPlan; readonly look: boolean }
  | { readonly type: 'text'; readonly text: string };

/** The stage that a move is for, and the stages before it. */
export interface PlannedStage {
  readonly stage: number;
  readonly earlier: EarlierNodes;
  /** Their outcomes, which the model may read. */
  readonly ends: readonly NodeOutcome[];
  /** The limits of the plans before, which hold for the whole run. */
  readonly constraints?: readonly string[];
  /** No further stage may begin: the model can only answer. */
  readonly last?: boolean;
}

export const firstStage: PlannedStage = {
  stage: 1,
  earlier: { done: new Set(), approvals: new Set() },
  ends: [],
};

/** The planning conversation of one run. Messages are only appended, so its beginning stays cached. */
export interface Planner {
  /**
   * Asks the model for its next move. The findings about a plan that cannot run go back to the model once, in
   * the same conversation; a second such plan is an error. HOST/CANCELLED as soon as the signal aborts.
   */
  readonly next: (stage: PlannedStage, signal: AbortSignal) => Promise<Result<PlannerMove>>;
  /**
   * Runs the commands that wait, and takes the user's waiting lines into the conversation; a plan that waits for its
   * results is answered: it did not run. False when no line waits.
   */
  readonly addSteering: (stage: number) => Promise<boolean>;
  /** Whether lines of the user joined the conversation, so that its plans are about more than the goal. */
  readonly steered: () => boolean;
  /** Gives the model the results of its last plan; once per plan. */
  readonly observe: (stage: number, content: string) => void;
  /** Whether the last plan still waits for its results. */
  readonly observes: () => boolean;
}

/** Maximum model calls for one move: those of other functions, and the move itself. */
const maxRounds = 8;

const noMove = appError('LLM', 'INVALID_REPLY', 'The model kept calling tools and returned no plan.', {
  retryable: true,
  hint: 'Send the goal again, or choose a model that is better at planning.',
});

const outOfStages = appError('LLM', 'INVALID_REPLY', 'The stages of this run are used up.', {
  hint: 'Answer in words from the results so far.',
});

/** The model planned once more where it could only answer; the user reads this, not the model. */
const noFinalAnswer = appError(
  'LLM',
  'INVALID_REPLY',
  'The stages of this run are used up, and the model gave no answer.',
  { hint: 'Send a new line to continue from the results so far.' },
);

const noFunction = `There is no such function. A tool is called in the code of a plan: call ${submitPlan}, or answer in words.`;

const onePlan = 'Only one plan at a time.';
const planNotRun = 'The plan was not run: the user said something first.';

/** A call was stopped, by the end of the run or by a line of the user. */
const stopped = appError('HOST', 'CANCELLED', 'Stopped.');

/** The stage that is planned, and the signal that stops the planning. */
interface PlanningStep {
  readonly at: PlannedStage;
  readonly signal: AbortSignal;
}

interface Replied {
  readonly turn: ModelTurn;
  readonly move: Result<PlannerMove>;
}

/** What a planning conversation begins with, besides the goal and the tools. */
export interface PlannerStart {
  /** Text about servers that this project does not allow; empty when there are none. */
  readonly notAllowed?: string;
  /** The earlier turns of the session. */
  readonly messages?: readonly ModelMessage[];
  /** The first plan, when this conversation did not make it; ignored where one is recorded. */
  readonly plan?: Plan;
}

/** With review `none` nobody confirms a change of mode, so its card is not shown. */
const unattended = JSON.stringify({
  success: false,
  error: 'The mode was not changed: nobody is here to confirm it. Continue in this mode.',
});

/** Builds the planning conversation of a goal. */
export async function createPlanner(
  planning: Planning,
  listing: ToolListing,
  { notAllowed = '', messages = [], plan }: PlannerStart = {},
): Promise<Planner> {
  const { request, models, meter } = planning;
  const { goal, model, builtInTools } = request;
  const inputs = sessionInputs(request);
  const ofSession = inputs.map(({ id }) => id);
  const shown = shownTools(listing.tools, { lists: request.lists(), describe: request.describe });
  // Built once: types that a run observes must not change the messages already sent.
  const toolIndex = await createToolIndex(shown, goal, planning.observed.schemaOf, meter.estimate.exact);
  const prior = request.provided && 'prior' in request.provided ? request.provided.prior : undefined;
  const declared = prior?.declared ?? [toolIndex.text, notAllowed].filter(Boolean).join('\n');
  const { blocks, leading } = plannerBlocks(declared);
  const offered = [...toolIndex.offered, readResultTool, ...(builtInTools?.tools ?? [])];
  const restored = restorePlanning(prior);
  const attached = attachedText(goal, request);
  const line = { ...attached, content: addedText(attached.content, ...restored.addedToGoal) };
  const messagesSent: ModelMessage[] = [...messages, { role: 'user', ...line }, ...restored.messages];
  /** The call of the last plan while it has no answer; null for a plan that came as text. */
  let open = restored.open;

  let recorded = prior?.declared !== undefined;
  const recordStart = (): void => {
    if (!recorded) planning.note?.({ type: 'planning-started', declared });
    recorded = true;
  };

  const placed = placedCall(plan, restored);
  if (placed.length > 0) open = placed[0];
  messagesSent.push(
    ...placed.map((call) => ({ role: 'assistant' as const, content: '', toolCalls: [call] })),
  );
  /** A placed plan is recorded once the run goes on from it, so that a run without failures records nothing more. */
  let unrecorded = placed;
  const recordPlaced = (stage: number): void => {
    for (const call of unrecorded) {
      recordStart();
      planning.note?.({ type: 'model-step-ended', stage, parts: [callPart(call)] });
    }
    unrecorded = [];
  };

  const ask = async (part: 'plan' | 'repair', { at, signal }: PlanningStep): Promise<Result<ModelTurn>> => {
    recordStart();
    const tools = at.last === true ? offered : [submitPlanTool, ...offered];
    const system = request.prompt(part, { blocks, leading, tools: tools.map(({ name }) => name) });
    if (!system.ok) return system;
    const sent = { model, messages: [system.value, ...messagesSent], tools, ...request.response?.(part) };
    let thought = 0;
    const onThought = (words: string): void => {
      request.onThought?.(thought, words);
      thought += words.length;
    };
    const reply = await untilAborted(modelTurn(models, sent, meter, signal, { part, onThought }), signal);
    if (!reply.ok) return reply;
    const { text, calls, parts: replyParts } = reply.value;
    messagesSent.push({
      role: 'assistant',
      content: text,
      ...(calls.length > 0 && { toolCalls: calls }),
      ...(replyParts && { parts: replyParts }),
    });
    const parts = replyParts ?? [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map(callPart),
    ];
    planning.note?.({ type: 'model-step-ended', stage: at.stage, parts: [...parts] });
    return reply;
  };

  const reads = new Map<number, number>();
  const answerCall = async (call: ModelToolCall, { at, signal }: PlanningStep): Promise<string> => {
    if (call.name === findTools) return toolIndex.answer(call);
    const { stage, ends } = at;
    if (call.name === readResult) {
      const count = (reads.get(stage) ?? restored.readsIn(stage)) + 1;
      reads.set(stage, count);
      return count > maxReads
        ? `Only ${maxReads} parts of results can be read before the next stage.`
        : readResultText(call, [...ends, ...inputs], planning.artifacts, meter.estimate.exact);
    }
    if (request.review === 'none' && call.name === 'agent_change_mode') return unattended;
    const known = builtInTools?.tools.some(({ name }) => name === call.name) === true;
    return builtInTools && known ? builtInTools.call(call, signal) : noFunction;
  };

  const answer = (stage: number, callId: string | undefined, content: string): void => {
    messagesSent.push(answerMessage(callId, content));
    planning.note?.(answerFact(stage, callId, content));
  };

  /** Answers every call but the plan. */
  const answerOtherCalls = async (
    { calls }: ModelTurn,
    plan: ModelToolCall | undefined,
    step: PlanningStep,
  ): Promise<void> => {
    for (const call of calls.filter((one) => one !== plan)) {
      const isPlan = call.name === submitPlan;
      const content = isPlan ? onePlan : await raceAbort(answerCall(call, step), step.signal);
      answer(step.at.stage, call.id, content ?? stopped.message);
    }
  };

  /** Answers the plan itself: in the result of its call, or as a message when it came as text. */
  const respond = (stage: number, content: string): void => {
    recordPlaced(stage);
    answer(stage, open?.id, content);
    open = undefined;
  };

  const read = (turn: ModelTurn, at: PlannedStage): Result<PlannerMove> => {
    const { earlier } = at;
    const move = replyOf(turn);
    if (!move.ok) return move;
    if (move.value.type === 'text') return ok(move.value);
    const words = onlyAnswer(move.value.plan);
    if (words !== null) return ok({ type: 'text', text: words });
    if (at.last === true) return err(outOfStages);
    const { plan, look } = splitLook(move.value.plan);
    const completed = completePlan(plan, goal, freeScriptId(earlier.done));
    const limited = withConstraints(completed, at.constraints ?? []);
    const checked = checkPlan(limited, listing, planning.budgets, { ...earlier, ofSession });
    return checked.ok ? ok({ type: 'plan', checked: checked.value, look }) : err(joinFindings(checked.error));
  };

  /** Asks until the model makes a move; calls of other functions are answered first. */
  const nextReply = async (part: 'plan' | 'repair', step: PlanningStep): Promise<Result<Replied>> => {
    for (let round = 0; round < maxRounds; round += 1) {
      const turn = step.signal.aborted ? err(stopped) : await ask(part, step);
      if (!turn.ok) return turn;
      const plan = turn.value.calls.find(({ name }) => name === submitPlan);
      await answerOtherCalls(turn.value, plan, step);
      if (turn.value.calls.length > 0 && !plan) continue;
      open = plan ?? null;
      return ok({ turn: turn.value, move: read(turn.value, step.at) });
    }
    return err(noMove);
  };

  /** After a reply with nothing to correct, such as an empty one, asks the same again. */
  const firstReply = async (step: PlanningStep): Promise<Result<Replied>> => {
    const reply = await nextReply('plan', step);
    return isUnusable(reply) ? nextReply('plan', step) : reply;
  };

  const next: Planner['next'] = async (at, signal) => {
    const first = await firstReply({ at, signal });
    if (!first.ok) return first;
    const { move } = first.value;
    const findings = findingsOf(move);
    if (findings === null) return move;
    respond(at.stage, repairText(findings));
    /** A plan that can run although its answer's template has a slip: used if it is not corrected. */
    const usable = move.ok ? move : null;
    const second = await nextReply('repair', { at, signal });
    if (!second.ok) return signal.aborted ? second : (usable ?? second);
    const { move: repaired } = second.value;
    if (findingsOf(repaired) === null && !isText(repaired)) return repaired;
    if (!repaired.ok && repaired.error === outOfStages) return err(noFinalAnswer);
    return usable ?? repaired;
  };

  /** Answers the plan that waits with the user's lines, otherwise adds them to the last message. */
  const addLines = (stage: number, texts: readonly string[]): PlanningFact => {
    recordPlaced(stage);
    const last = messagesSent.at(-1);
    const callId = open?.id ?? (last?.role === 'tool' ? last.toolCallId : undefined);
    const words = callId === undefined ? addedText(...texts) : JSON.stringify({ said: texts });
    const content = open ? addedText(planNotRun, words) : words;
    if (open === undefined && last)
      messagesSent.splice(-1, 1, { ...last, content: addedText(last.content, words) });
    else messagesSent.push(answerMessage(callId, content));
    open = undefined;
    return answerFact(stage, callId, content);
  };

  let steered = wasSteered(prior);
  const addSteering = async (stage: number): Promise<boolean> => {
    await request.runWaitingCommands?.();
    const lines = request.steeringLines?.() ?? [];
    if (lines.length === 0) return false;
    steered = true;
    const added = addLines(
      stage,
      lines.map(({ text }) => text),
    );
    const facts = lines.map(
      ({ lineId }) => ({ type: 'line-steered', lineId, stage, planning: true }) as const,
    );
    planning.note?.(...facts, added);
    return true;
  };
  return { next, observe: respond, observes: () => open !== undefined, addSteering, steered: () => steered };
}

/**
 * The model's next move. A line that the user sends now stops the call and joins the conversation, and the model is
 * asked again. `began`: the lifecycle of a planning that has begun already.
 */
export async function steeredMove(
  planner: Planner,
  at: PlannedStage,
  { life, stageCancel }: Pick<Planning, 'life' | 'stageCancel'>,
  began: RunLifecycle = stageCancel.begin(life),
): Promise<Result<PlannerMove>> {
  for (let own = began; ;) {
    const move = await planner.next(at, own.signal);
    if (!stageCancel.end() || life.signal.aborted) return move;
    own = stageCancel.begin(life);
    const steered = await planner.addSteering(at.stage);
    if (!steered && move.ok) {
      stageCancel.end();
      return move;
    }
  }
}

const answerMessage = (callId: string | undefined, content: string): ModelMessage =>
  callId === undefined ? { role: 'user', content } : { role: 'tool', toolCallId: callId, content };

const answerFact = (stage: number, callId: string | undefined, content: string): PlanningFact => ({
  type: 'planning-answered',
  stage,
  content,
  ...(callId !== undefined && { callId }),
});

/** Ends as soon as the signal aborts, because the model may hang. */
async function untilAborted(
  turn: ReturnType<typeof modelTurn>,
  signal: AbortSignal,
): Promise<Result<ModelTurn>> {
  const ended = await raceAbort(turn, signal);
  return ended && !signal.aborted ? ended.reply : err(stopped);
}

const wasSteered = ({ steered = [] }: Pick<RunState, 'steered'> = {}): boolean =>
  steered.some(({ planning }) => planning);

/** Adds the limits of earlier plans; a value that is not a plan stays unchanged, and the check reports it. */
function withConstraints(plan: Json, constraints: readonly string[]): Json {
  if (!isObject(plan) || constraints.length === 0) return plan;
  const own = plan['constraints'] ?? [];
  return Array.isArray(own)
    ? { ...plan, constraints: [...new Set([...constraints, ...(own as Json[])])] }
    : plan;
}

const callPart = ({ id, name, argumentsJson }: ModelToolCall): MessagePart => ({
  type: 'call',
  id,
  name,
  arguments: argumentsJson,
});

/** The call of a plan that this conversation did not make; none where the conversation is recorded. */
const placedCall = (plan: Plan | undefined, { messages }: RestoredPlanning): readonly ModelToolCall[] =>
  plan && messages.length === 0
    ? [{ id: 'earlier_plan', name: submitPlan, argumentsJson: JSON.stringify(plan) }]
    : [];

/** The problem with a move; null when there is none. */
function findingsOf(move: Result<PlannerMove>): AppError | null {
  if (!move.ok) return move.error;
  if (move.value.type === 'text') return null;
  const slips = answerSlips(move.value.checked.plan);
  return slips.length > 0 ? joinFindings(slips) : null;
}

const isUnusable = (reply: Result<Replied>): boolean =>
  !reply.ok && reply.error.code === 'INVALID_REPLY' && reply.error.retryable && reply.error !== noMove;

const isText = (move: Result<PlannerMove>): boolean => move.ok && move.value.type === 'text';

const repairText = ({ message, hint, problems }: AppError): string =>
  `The plan was not run. Findings:\n${problems || hint === undefined ? message : `${message} ${hint}`}\nCorrect exactly these and call ${submitPlan} again with the whole plan.`;
