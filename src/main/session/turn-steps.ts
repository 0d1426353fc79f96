import { ok, type Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { AgentRequest } from '../agent/agent';
import type { ModelMessage } from '../ports/llm';
import type { StepMaterial } from '../workspace/step-content';
import type { AskRequest } from './ask-turn';
import { historyMessages } from './history-messages';
import type { ModelHost, ModelLine } from './model-host';
import { modelStepFact, type SentStep } from './model-step';
import type { OfferedTools } from './offered-tools';
import { asMessage, imagesOf, systemMessage, type PromptText } from './prompt';
import type { SessionLog } from './session-log';

/** The messages of one Ask request: the same whatever the run mode is, was or could be. Pure. */
export function askMessages(
  blocks: readonly PromptText[],
  state: SessionState,
  turn: number,
): readonly ModelMessage[] {
  const system = asMessage(blocks);
  const history = historyMessages(state, turn);
  return system.content === '' ? history : [system, ...history];
}

interface LinePlace {
  readonly sessionId: string;
  readonly turn: number;
}

/** What steps are taken from, and recorded in. */
export interface StepDeps {
  readonly log: Pick<SessionLog, 'state' | 'append'>;
  readonly host: ModelHost;
}

/** What a step is made from; null where there is no workspace. */
function beginStep(
  { host }: StepDeps,
  line: LinePlace,
  boundary: 'run-start' | 'step',
): Result<StepMaterial | null> {
  return host.step ? host.step(line, boundary) : ok(null);
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

/** The requests of one reply: each is a step, and takes what holds when it begins. */
export function createCompose(deps: StepDeps, line: ModelLine, state: SessionState): AskRequest['compose'] {
  const { host, log } = deps;
  const { sessionId, turn } = line;
  let boundary: 'run-start' | 'step' = 'run-start';
  return async () => {
    const begun = beginStep(deps, line, boundary);
    if (!begun.ok) return begun;
    boundary = 'step';
    const now = log.state(sessionId) ?? state;
    const servers = await host.stepTools(now, line);
    const tools = [...host.tools(now, turn), ...servers];
    const names = tools.map(({ name }) => name);
    const blocks = host.blocks(now, { names, reach: servers.length > 0 ? 'servers' : 'patina' }, turn);
    const sent: SentStep = { turn, part: 'reply', blocks, tools: names };
    const recorded = recordStep(deps, line, begun.value, sent);
    if (!recorded.ok) return recorded;
    const most = begun.value?.maxOutputTokens;
    return ok({
      messages: askMessages(blocks, state, turn),
      ...(tools.length > 0 && { tools }),
      ...(most !== undefined && { maxOutputTokens: most }),
    });
  };
}

/** All a planning call is told, images by their hashes. */
const planningText = (blocks: readonly PromptText[]): string =>
  [systemMessage(blocks), ...imagesOf(blocks).map(({ sha256 }) => sha256)].join('\n');

/** What a run takes over from its session: the prompt's blocks, the mode's tools, the host's own tools. */
export function sessionPart(
  deps: StepDeps,
  state: SessionState,
  line: LinePlace,
): Pick<AgentRequest, 'prompt' | 'planningText' | 'beginNode' | 'describe' | 'lists' | 'hostTools'> {
  const { host, log } = deps;
  // A step that starts later is bound by what holds then.
  const now = (): SessionState => log.state(line.sessionId) ?? state;
  let material: StepMaterial | null = null;
  const begin = (): Result<StepMaterial | null> => {
    const begun = beginStep(deps, line, material === null ? 'run-start' : 'step');
    if (begun.ok) material = begun.value;
    return begun;
  };
  return {
    prompt: (part, own) => {
      const begun = begin();
      if (!begun.ok) return begun;
      const { tools = [], node } = own;
      const offered: OfferedTools = { names: tools, reach: 'scripts' };
      const words = part === 'plan' ? host.blocks(now(), offered, line.turn) : host.brief(now(), offered);
      const blocks = [...words, ...own.blocks];
      const sent: SentStep = { turn: line.turn, part, blocks, tools, ...(node !== undefined && { node }) };
      const recorded = recordStep(deps, line, begun.value, sent);
      return recorded.ok ? ok(asMessage(blocks)) : recorded;
    },
    planningText: () => {
      const names = host.tools(now(), line.turn).map(({ name }) => name);
      return planningText(host.blocks(now(), { names, reach: 'scripts' }, line.turn));
    },
    beginNode: () => {
      const begun = begin();
      return begun.ok ? ok(begun.value?.snapshot ?? null) : begun;
    },
    describe: (tool) => material?.describe(tool),
    lists: () => host.lists(now(), line.turn),
    hostTools: {
      tools: host.tools(state, line.turn),
      call: async (call, signal) => {
        const { record, content } = await host.call(line, call, signal);
        log.append(line.sessionId, [{ type: 'host-tool-called', turn: line.turn, call: record }]);
        return content;
      },
    },
  };
}

/** A run that has no session takes nothing over. */
export const nothingOfASession: Pick<AgentRequest, 'prompt' | 'beginNode' | 'lists'> = {
  prompt: (_part, { blocks }) => ok(asMessage(blocks)),
  beginNode: () => ok(null),
  lists: () => ({}),
};
