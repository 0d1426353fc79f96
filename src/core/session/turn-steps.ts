import { assertNever, ok, type Result } from '#shared/result';
import type { ModelStep, SessionState } from '#shared/session-state';
import type { AgentRequest } from '../ports/agent';
import type { ModelMessage } from '../ports/llm';
import { answerText, type AskRequest } from './ask-turn';
import { historyMessages, turnsBefore } from './history-messages';
import type { ModelContext } from './model-context';
import type { LinePlace, ModelLine } from './session-line';
import { modelStepFact, type SentStep } from './model-step';
import { isPlannerTool, type OfferedTools } from '../tools/offered-tools';
import { asMessage, imagesOf, systemMessage } from './prompt';
import type { SessionLog } from './session-log';
import type { PromptText } from '../ports/prompt-text';
import type { CallKind } from './step-material';
import type { StepMaterial } from './step-material';

/** The messages of one Ask request; they do not depend on the run mode. Pure. */
export function askMessages(
  blocks: readonly PromptText[],
  state: SessionState,
  turn: number,
): readonly ModelMessage[] {
  const system = asMessage(blocks);
  const history = historyMessages(state, turn);
  return system.content === '' ? history : [system, ...history];
}

/** The source of steps and the log that records them. */
export interface StepDeps {
  readonly log: Pick<SessionLog, 'state' | 'append'>;
  readonly modelContext: ModelContext;
}

/** The workspace content of a new step; null when there is no workspace. */
function beginStep(
  { modelContext }: StepDeps,
  line: LinePlace,
  boundary: 'run-start' | 'step',
): Result<StepMaterial | null> {
  return modelContext.step ? modelContext.step(line, boundary) : ok(null);
}

/** Records a model call before it is made. */
function recordStep(
  { log }: StepDeps,
  { sessionId }: LinePlace,
  material: StepMaterial | null,
  sent: SentStep,
): Result<null> {
  const state = material && log.state(sessionId);
  if (!material || !state) return ok(null);
  const appended = log.append(sessionId, [modelStepFact(state, material, sent)]);
  return appended.ok ? ok(null) : appended;
}

/** Builds the requests of one reply. Each request is a step and uses the state at its beginning. */
export function createCompose(deps: StepDeps, line: ModelLine, state: SessionState): AskRequest['compose'] {
  const { modelContext, log } = deps;
  const { sessionId, turn } = line;
  let boundary: 'run-start' | 'step' = 'run-start';
  return async () => {
    const begun = beginStep(deps, line, boundary);
    if (!begun.ok) return begun;
    boundary = 'step';
    const now = log.state(sessionId) ?? state;
    const servers = await modelContext.serverTools(now, line);
    const tools = [...modelContext.builtInTools(now, turn), ...servers];
    const names = tools.map(({ name }) => name);
    const reach = servers.length > 0 ? ('servers' as const) : ('patina' as const);
    const blocks = modelContext.blocks(now, 'ask', { names, reach }, turn);
    const sent: SentStep = { turn, part: 'reply', blocks, tools: names };
    const recorded = recordStep(deps, line, begun.value, sent);
    if (!recorded.ok) return recorded;
    return ok({
      messages: askMessages(blocks, state, turn),
      ...(tools.length > 0 && { tools }),
      ...begun.value?.response('ask'),
    });
  };
}

/** All text that the host sends with a call; images are represented by their hashes. */
const wordsOf = (blocks: readonly PromptText[]): string =>
  [systemMessage(blocks), ...imagesOf(blocks).map(({ sha256 }) => sha256)].join('\n');

/** Maps a part of a turn to the kind of call used by prompt packs. */
function kindOf(part: ModelStep['part']): CallKind {
  switch (part) {
    case 'reply':
      return 'ask';
    case 'plan':
    case 'repair':
    case 'replan':
      return 'plan';
    case 'answer':
      return 'answer';
    case 'node':
      return 'step';
    default:
      return assertNever(part);
  }
}

/**
 * The parts of a run's request that come from its session: the prompt's blocks, the mode's tools, the host's
 * own tools.
 */
export function sessionPart(
  deps: StepDeps,
  state: SessionState,
  line: LinePlace,
): Pick<
  AgentRequest,
  | 'prompt'
  | 'response'
  | 'words'
  | 'planningText'
  | 'conversation'
  | 'beginNode'
  | 'describe'
  | 'lists'
  | 'builtInTools'
> {
  const { modelContext, log } = deps;
  // A step that starts later uses the state at that time.
  const now = (): SessionState => log.state(line.sessionId) ?? state;
  let material: StepMaterial | null = null;
  const begin = (): Result<StepMaterial | null> => {
    const begun = beginStep(deps, line, material === null ? 'run-start' : 'step');
    if (begun.ok) material = begun.value;
    return begun;
  };
  const blocksOf = (part: ModelStep['part'], names: readonly string[]): readonly PromptText[] => {
    const offered: OfferedTools = { names, reach: 'scripts' };
    const blocks = part === 'plan' || part === 'repair' ? modelContext.blocks : modelContext.brief;
    return blocks(now(), kindOf(part), offered, line.turn);
  };
  return {
    prompt: (part, own) => {
      const begun = begin();
      if (!begun.ok) return begun;
      const { tools = [], node, leading = 0 } = own;
      const hosts = blocksOf(part, tools);
      const blocks = [...own.blocks.slice(0, leading), ...hosts, ...own.blocks.slice(leading)];
      const sent: SentStep = { turn: line.turn, part, blocks, tools, ...(node !== undefined && { node }) };
      const recorded = recordStep(deps, line, begun.value, sent);
      return recorded.ok ? ok(asMessage(blocks)) : recorded;
    },
    response: (part) => material?.response(kindOf(part)) ?? {},
    words: (part) => wordsOf(blocksOf(part, [])),
    planningText: () => {
      const names = modelContext
        .builtInTools(now(), line.turn)
        .map(({ name }) => name)
        .filter(isPlannerTool);
      return wordsOf(blocksOf('plan', names));
    },
    beginNode: () => {
      const begun = begin();
      return begun.ok ? ok(begun.value?.snapshot ?? null) : begun;
    },
    describe: (tool) => material?.describe(tool),
    lists: () => modelContext.lists(now(), line.turn),
    conversation: turnsBefore(state, line.turn),
    builtInTools: {
      tools: modelContext.builtInTools(state, line.turn).filter(({ name }) => isPlannerTool(name)),
      call: async (call, signal) => {
        const { record, result } = await modelContext.callTool(line, call, signal);
        log.append(line.sessionId, [{ type: 'host-tool-called', turn: line.turn, call: record }]);
        return answerText(result);
      },
    },
  };
}

/** A run without a session uses empty defaults. */
export const sessionlessDefaults: Pick<AgentRequest, 'prompt' | 'beginNode' | 'lists'> = {
  prompt: (_part, { blocks }) => ok(asMessage(blocks)),
  beginNode: () => ok(null),
  lists: () => ({}),
};
