import type { DataFlow } from '#shared/data-flow';
import { appError } from '#shared/app-error';
import { assertNever, err, ok, type Result } from '#shared/result';
import { turnAt, type ModelStep, type RunState, type SessionState, type Turn } from '#shared/session-state';
import { readPath, summaryText, wasTooLong } from '#shared/read-path';
import { pathTo } from '#shared/turn-tree';
import type { AgentRequest, EarlierTurn } from '../ports/agent';
import type { ContextItems } from '../ports/context-items';
import type { ModelClient, ModelMessage, ModelRequest, ModelTool } from '../ports/llm';
import { answerText, type AskRequest } from './ask-turn';
import type { ModelContext } from './model-context';
import type { LinePlace, SessionLine } from './session-line';
import { itemImage, itemText, userMessage } from '../tools/item-text';
import { isPlannerTool, type OfferedTools } from '../tools/offered-tools';
import { asMessage, imagesOf, systemMessage, withoutBytes } from './prompt';
import type { SessionLog } from './session-log';
import type { PromptText } from '../ports/prompt-text';
import type { CallKind, StepMaterial } from './step-material';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { FactOf } from '#shared/session-event';
import { offlineProviderId, type ModelRef } from '#shared/model';

/** The parts of a model call that are sent besides the conversation. */
interface SentStep {
  readonly turn: number;
  readonly part: ModelStep['part'];
  readonly blocks: readonly PromptText[];
  readonly tools: readonly string[];
  /** The plan node that makes the call. */
  readonly node?: string;
}

export const textHash = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/**
 * The record of a model call: its workspace snapshot and each block, with the texts that the session has not
 * stored yet.
 */
function modelStepFact(
  { sentTexts }: Pick<SessionState, 'sentTexts'>,
  { snapshot, promptPack, toolCatalog }: StepMaterial,
  { turn, part, blocks, tools, node }: SentStep,
): FactOf<'model-step-started'> {
  const hashed = blocks.map(({ source, text }) => ({ source, hash: textHash(text), text }));
  const images = imagesOf(blocks).map(withoutBytes);
  const newBlocks = hashed.filter(({ hash }) => !sentTexts.includes(hash));
  return {
    type: 'model-step-started',
    turn,
    part,
    snapshot,
    promptPack,
    toolCatalog,
    blocks: hashed.map(({ source, hash }) => ({ source, hash })),
    texts: Object.fromEntries(newBlocks.map(({ hash, text }) => [hash, text])),
    ...(images.length > 0 && { images }),
    tools: [...tools],
    ...(node !== undefined && { node }),
  };
}

/**
 * Whether a run did nothing because no model was connected: Patina's words about that are no part of the conversation,
 * like those of the offline provider.
 */
const lackedModel = ({ providerId }: ModelRef, { nodes, error }: RunState): boolean =>
  providerId === offlineProviderId &&
  nodes.length === 0 &&
  (error?.kind === 'LLM' || error?.kind === 'CONFIG');

/** The text that a run contributes to later turns: its answer, or its status. */
function runContent(run: RunState, model: ModelRef): string {
  if (lackedModel(model, run)) return `(The run ended as ${run.status}.)`;
  if (run.answer) return run.answer;
  const reason = run.error ? `: ${run.error.message}` : '';
  return `(The run ended as ${run.status}${reason}.)`;
}

/** Lines handled by the router are not part of the conversation; the system message shows their effects. */
const handledByRouter = (turn: Turn): boolean => turn.route !== undefined && !turn.reply && !turn.run;

/**
 * The model's own text. The offline provider's text comes from Patina and is not part of the conversation, so
 * the user's line has no reply.
 */
const replyContent = ({ model, reply }: Turn): string =>
  model.providerId === offlineProviderId ? '' : (reply?.text ?? '');

const answerOf = (turn: Turn): string => (turn.run ? runContent(turn.run, turn.model) : replyContent(turn));

/** The line of a turn, with the lines that its run took along. */
const lineOf = ({ text, run }: Turn): string =>
  [text, ...(run?.steered ?? []).map((line) => line.text)].join('\n\n');

/** The messages that a turn contributes to later requests. Pure. */
export function turnMessages(turn: Turn, read: ReadItem): readonly ModelMessage[] {
  if (handledByRouter(turn) || wasTooLong(turn)) return [];
  const user = userMessage(lineOf(turn), turn, read);
  const content = answerOf(turn);
  return content === '' ? [user] : [user, { role: 'assistant', content }];
}

/** The items of a turn as a run receives them. */
function attachedTo({ items }: Turn, read: ReadItem): Pick<EarlierTurn, 'attached'> {
  if (!items) return {};
  return {
    attached: items.map((item, at) => {
      const image = itemImage(item, at + 1, read);
      return { item, text: itemText(item, read), ...(image && { image }) };
    }),
  };
}

/** The tools of servers that returned something to the model during its reply; a refused call returned nothing. */
function calledIn({ reply }: Turn): Pick<EarlierTurn, 'called'> {
  const answered = (reply?.calls ?? []).filter(({ error }) => !error || error.kind === 'TOOL');
  const called = new Set(answered.map(({ tool }) => tool).filter((tool) => tool.startsWith('mcp://')));
  return called.size === 0 ? {} : { called: [...called] };
}

/** The conversation before `turn` on its path, for a planning call; a run's list of writes is in its state. Pure. */
function turnsBefore(state: SessionState, turn: number, read: ReadItem): readonly EarlierTurn[] {
  const turns = pathTo(state, turn).filter((each) => each.turn !== turn && !handledByRouter(each));
  return turns.map((each) => {
    const { run } = each;
    const answer = answerOf(each).slice(0, run?.writesFrom).trim();
    return { line: lineOf(each), answer, ...attachedTo(each, read), ...calledIn(each), ...(run && { run }) };
  });
}

/** The flows that a person allowed on a card of this session; a policy that answers every write is not a person. */
const allowedFlows = (state: SessionState): readonly DataFlow[] =>
  state.blocks
    .flat()
    .flatMap(({ run }) => run?.approvals ?? [])
    .filter(({ status, card }) => status === 'approved' && card !== undefined)
    .flatMap(({ flows = [] }) => flows);

/** The messages with a text before the first of them, which is always the user's: many models want turns to alternate. */
function withSummary(messages: readonly ModelMessage[], summary: string): readonly ModelMessage[] {
  const [first, ...rest] = messages;
  if (first?.role !== 'user') return [{ role: 'user', content: summary }, ...messages];
  return [{ ...first, content: `${summary}\n\n${first.content}` }, ...rest];
}

/**
 * The conversation before `turn` on its path, followed by that turn's own line. A summary, where the session has one,
 * stands in for the turns that it covers; nothing else is omitted or shortened. Pure.
 */
function historyMessages(state: SessionState, turn: number, read: ReadItem): readonly ModelMessage[] {
  const { compaction, covered, turns } = readPath(state, turn);
  const messages = turns.flatMap((each) =>
    each.turn === turn ? [userMessage(each.text, each, read)] : turnMessages(each, read),
  );
  return compaction ? withSummary(messages, summaryText(compaction, covered)) : messages;
}

/** The messages of one Ask request; they do not depend on the run mode. Pure. */
function askMessages(
  blocks: readonly PromptText[],
  state: SessionState,
  turn: number,
  read: ReadItem,
): readonly ModelMessage[] {
  const system = asMessage(blocks);
  const history = historyMessages(state, turn, read);
  return system.content === '' ? history : [system, ...history];
}

/** The source of steps and the log that records them. */
interface StepDeps {
  readonly log: Pick<SessionLog, 'state' | 'append'>;
  readonly modelContext: ModelContext;
  readonly models?: Pick<ModelClient, 'callsNoTools'>;
  /** The contents of context items; absent: none is stored. */
  readonly items?: Pick<ContextItems, 'read'>;
  /** Shortens the history of a request that is about to exceed the model's context. */
  readonly fit?: FitHistory;
}

export type ReadItem = ContextItems['read'];

export const noContent: ReadItem = () => err(appError('HOST', 'NOT_FOUND', 'No content is stored.'));

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

/** The part of a line that its requests depend on. */
export type AskLine = Pick<SessionLine, 'sessionId' | 'turn' | 'tools' | 'model' | 'parameters'>;

/** A request whose history may have to become shorter before it is sent. */
interface FitRequest {
  readonly line: AskLine;
  readonly state: SessionState;
  readonly request: Pick<ModelRequest, 'messages' | 'tools'>;
  /** The provider refused the request as too long, so it is shortened whatever the count says. */
  readonly refused: boolean;
  readonly signal: AbortSignal;
}

/**
 * Records a summary of earlier turns if the request needs one; whether it did. LLM/CONTEXT_LIMIT when the line
 * cannot fit even without them.
 */
export type FitHistory = (request: FitRequest) => Promise<Result<boolean>>;

interface ReplyTools {
  readonly tools: readonly ModelTool[];
  readonly offered: OfferedTools;
}

/** The tools of a reply; none for a model that calls none, so that the prompt promises none either. */
async function toolsOfReply(
  { modelContext, models }: StepDeps,
  line: AskLine,
  state: SessionState,
): Promise<ReplyTools> {
  if (models?.callsNoTools?.(line.model)) return { tools: [], offered: { names: [], reach: 'nothing' } };
  const servers = await modelContext.serverTools(state, line);
  const tools = [...modelContext.builtInTools(state, line.turn), ...servers];
  const reach = servers.length > 0 ? 'servers' : 'patina';
  return { tools, offered: { names: tools.map(({ name }) => name), reach } };
}

/** Builds the requests of one reply. Each request is a step and uses the state at its beginning. */
export function createCompose(deps: StepDeps, line: AskLine, state: SessionState): AskRequest['compose'] {
  const { modelContext, log } = deps;
  const { sessionId, turn } = line;
  let boundary: 'run-start' | 'step' = 'run-start';
  return async ({ exchanged, refused, signal }) => {
    const begun = beginStep(deps, line, boundary);
    if (!begun.ok) return begun;
    boundary = 'step';
    const now = log.state(sessionId) ?? state;
    const { tools, offered } = await toolsOfReply(deps, line, now);
    const blocks = modelContext.blocks(now, 'ask', offered, turn);
    const sent: SentStep = { turn, part: 'reply', blocks, tools: offered.names };
    const recorded = recordStep(deps, line, begun.value, sent);
    if (!recorded.ok) return recorded;
    const messages = (): readonly ModelMessage[] => {
      const { compactions } = log.state(sessionId) ?? state;
      const read = { ...state, ...(compactions && { compactions }) };
      return askMessages(blocks, read, turn, deps.items?.read ?? noContent);
    };
    const before = messages();
    const unfitted = { messages: [...before, ...exchanged], tools };
    const fitted = await deps.fit?.({ line, state: now, request: unfitted, refused, signal });
    if (fitted && !fitted.ok) return fitted;
    const shortened = fitted?.value === true;
    return ok({
      messages: shortened ? messages() : before,
      fitted: shortened,
      ...(tools.length > 0 && { tools }),
      ...begun.value?.response('ask'),
      ...modelContext.parameters?.(now, line),
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
    case 'recipe':
      return 'step';
    default:
      return assertNever(part);
  }
}

const ownParameters = (own: Turn | undefined): Pick<AskLine, 'parameters'> =>
  own?.parameters ? { parameters: own.parameters } : {};

/**
 * The parts of a run's request that come from its session: the prompt's blocks, the mode's tools, the host's
 * own tools.
 */
export function sessionPart(
  deps: StepDeps,
  state: SessionState,
  line: LinePlace & Pick<SessionLine, 'model'>,
): Pick<
  AgentRequest,
  | 'prompt'
  | 'response'
  | 'effort'
  | 'words'
  | 'planningText'
  | 'attached'
  | 'conversation'
  | 'allowedFlows'
  | 'beginNode'
  | 'describe'
  | 'lists'
  | 'builtInTools'
> {
  const { modelContext, log } = deps;
  const read = deps.items?.read ?? noContent;
  const own = turnAt(state, line.turn);
  const { effort } = modelContext.parameters?.(state, { model: line.model, ...ownParameters(own) }) ?? {};
  const chosen = effort ? { effort } : {};
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
    response: (part) => ({ ...chosen, ...material?.response(kindOf(part)) }),
    ...chosen,
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
    conversation: turnsBefore(state, line.turn, read),
    ...(own && attachedTo(own, read)),
    allowedFlows: allowedFlows(state),
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
