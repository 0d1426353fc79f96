import { appError } from '#shared/app-error';
import type { ModelRef } from '#shared/model';
import type { PromptPreview } from '#shared/prompt';
import { err, ok, type Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { WorkspaceOverride, WorkspaceState } from '#shared/workspace';
import type { PlannerPrompt } from '../../core/agent/planner-prompt';
import type { ShownTools } from '../../core/agent/shown-tools';
import type { AgentMode } from '../compose/agent-mode';
import type { ModeCatalog } from '../../core/modes/mode-catalog';
import type { SessionModelContext } from '../../core/session/model-context';
import type { ModelClient, ModelTool } from '../../core/ports/llm';
import { previewPrompt } from '../../core/session/prompt';
import type { PromptQuestion } from './prompt-question';
import type { SessionLog } from '../../core/session/session-log';
import { loadTokenCount } from '../../core/session/token-count';
import type { ToolCalls } from '../../core/tools/call-tool';
import { isPlannerTool, type OfferedTools } from '../../core/tools/offered-tools';
import { findScope } from '../../core/workspace/scopes';
import type { Snapshots } from '../../core/workspace/snapshots';
import { startTool } from '../../core/workflows/start-tool';
import { materialize } from '../../core/workspace/step-content';
import { toolVerdicts } from '../../core/tools/tool-lists';

export interface PromptPreviewDeps {
  readonly log: SessionLog;
  readonly modelContext: SessionModelContext;
  readonly modes: ModeCatalog;
  readonly toolCalls: Pick<ToolCalls, 'offered' | 'find'>;
  readonly agentMode: AgentMode;
  readonly agentRuntime: () => Promise<{
    plannerPrompt(project: string, shown: ShownTools): Promise<Result<PlannerPrompt>>;
  }>;
  readonly snapshots: Snapshots;
  /** The model that the next line of a session goes to. */
  readonly chosenModel: (sessionId?: string) => Promise<ModelRef>;
  readonly models: Pick<ModelClient, 'callsNoTools'>;
  /** The project for a session that has none. */
  readonly project: () => string | null;
}

const noFolder = appError(
  'HOST',
  'INVALID_INPUT',
  'A planning call names the tools of a project folder, and none is open.',
  {
    hint: 'Choose a project folder first.',
  },
);

const nothing: PlannerPrompt = { blocks: [], tools: [], listed: [] };

/** What the planner would add to a planning call. */
async function plannerPart(
  deps: PromptPreviewDeps,
  { own, shown }: { readonly own: string | null; readonly shown: ShownTools },
): Promise<Result<PlannerPrompt>> {
  const { enabled, reason = 'Agent Mode is switched off.' } = deps.agentMode;
  if (!enabled) return err(appError('HOST', 'STATE', reason));
  const project = own ?? deps.project();
  return project === null ? err(noFolder) : (await deps.agentRuntime()).plannerPrompt(project, shown);
}

/**
 * The servers' tools that a reply would offer, with tools in Ask or in a workflow. Otherwise queries no
 * server.
 */
async function replyPart(
  { modelContext, agentRuntime }: PromptPreviewDeps,
  { sessionId, tools }: PromptQuestion,
  { state, shown }: { readonly state: SessionState; readonly shown: ShownTools },
): Promise<PlannerPrompt> {
  const { project, turnCount } = state;
  const line = { sessionId: sessionId ?? '', turn: turnCount, tools };
  if (project === null || !modelContext.asksServers(line, state)) return nothing;
  const offered = await modelContext.serverTools(state, line);
  const known = await (await agentRuntime()).plannerPrompt(project, shown);
  return { blocks: [], tools: offered, listed: known.ok ? known.value.listed : [] };
}

const wished = (own: WorkspaceState, { snapshot, promptPack, toolCatalog }: WorkspaceOverride = {}) => ({
  ...own,
  active: snapshot ?? own.active,
  promptPack: promptPack ?? own.promptPack,
  toolCatalog: toolCatalog ?? own.toolCatalog,
});

/** The session state for a question, with the question's overrides applied. */
function stateFor(deps: PromptPreviewDeps, question: PromptQuestion): Result<SessionState> {
  const { log, modes, project } = deps;
  const { sessionId, mode } = question;
  const scope = sessionId === null ? { project: project() } : { sessionId };
  const stored = findScope(log.peek, scope);
  if (!stored.ok) return stored;
  const { state } = stored.value;
  const wanted = mode === undefined ? undefined : modes.find(mode);
  if (mode !== undefined && !wanted) return err(appError('HOST', 'NOT_FOUND', modes.unknownMode(mode)));
  const content = wished(state.workspace, question.workspace);
  return ok({ ...state, workspace: content, ...(wanted && { modeId: wanted.id }) });
}

/**
 * Every known tool, for its verdict: the built-in ones, the servers' if they were queried, and those with only a
 * descriptor.
 */
function subjectsOf(
  { toolCalls }: PromptPreviewDeps,
  { workflow }: SessionState,
  described: readonly string[],
  planner: PlannerPrompt,
) {
  const own = toolCalls.offered({}).map(({ name }) => ({
    // Every list contains the tool that starts a workflow while none is running.
    always: toolCalls.find(name)?.alwaysOffered === true || (name === startTool && workflow === null),
    name,
  }));
  const servers = planner.listed.map(({ uri, allowed }) => ({ name: uri, denied: !allowed }));
  const known = new Set([...own, ...servers].map(({ name }) => name));
  const isOffered = (name: string): boolean => !name.startsWith('mcp://') || planner.listed.length > 0;
  const unbound = described
    .filter((name) => !known.has(name) && !name.includes('*') && isOffered(name))
    .map((name) => ({ name, unbound: true }));
  return [...own, ...servers, ...unbound];
}

/** A model that takes no tools is offered none; the scripts of its plan still call those of servers. */
const withoutCalls = (subjects: ReturnType<typeof subjectsOf>, inAsk: boolean) =>
  subjects.map((subject) => ({ ...subject, uncalled: inAsk || !subject.name.startsWith('mcp://') }));

/** Whether the model that the next line goes to is known to call no tools. */
async function takesNoTools(
  { models, chosenModel }: PromptPreviewDeps,
  { sessionId }: PromptQuestion,
): Promise<boolean> {
  return models.callsNoTools?.(await chosenModel(sessionId ?? undefined)) === true;
}

interface OfferedPart {
  readonly tools: readonly ModelTool[];
  readonly offered: OfferedTools;
}

const namesOf = (tools: readonly ModelTool[]): readonly string[] => tools.map(({ name }) => name);

/** The tools of a reply; null: the model takes none. */
function replyTools(tools: readonly ModelTool[] | null, { tools: servers }: PlannerPrompt): OfferedPart {
  if (!tools) return { tools: [], offered: { names: [], reach: 'nothing' } };
  const reach = servers.length > 0 ? 'servers' : 'patina';
  return { tools, offered: { names: namesOf(tools), reach } };
}

const planningTools = (tools: readonly ModelTool[]): OfferedPart => ({
  tools,
  offered: { names: namesOf(tools), reach: 'scripts' },
});

/**
 * The prompt that precedes the conversation: blocks and tools in their order, with their token costs, and why
 * each tool is or is not included. HOST/NOT_FOUND for an unknown mode, pack or catalog, HOST/STATE for a
 * planning call while Agent Mode is off.
 */
export function createPromptPreview(deps: PromptPreviewDeps) {
  const { modelContext, snapshots } = deps;
  return async (question: PromptQuestion): Promise<Result<PromptPreview>> => {
    const state = stateFor(deps, question);
    if (!state.ok) return state;
    const material = materialize(snapshots, state.value, question.workspace);
    if (!material.ok) return material;
    const { snapshot, promptPack, toolCatalog, describe, tools: described } = material.value;
    const lists = modelContext.lists(state.value);
    const shown = { lists, describe };
    const inAsk = question.runMode === 'ask';
    const takesNone = await takesNoTools(deps, question);
    const part = !inAsk
      ? await plannerPart(deps, { own: state.value.project, shown })
      : ok(takesNone ? nothing : await replyPart(deps, question, { state: state.value, shown }));
    if (!part.ok) return part;
    const builtIn = modelContext.builtInTools(state.value);
    const wanted = inAsk
      ? replyTools(takesNone ? null : [...builtIn, ...part.value.tools], part.value)
      : planningTools([...part.value.tools, ...builtIn.filter(({ name }) => isPlannerTool(name))]);
    // A planning call names its tools in words too; they are left out of the request itself.
    const tools = takesNone ? [] : wanted.tools;
    const { blocks: added, leading = 0 } = part.value;
    const hosts = modelContext.blocks(state.value, inAsk ? 'ask' : 'plan', wanted.offered);
    const subjects = subjectsOf(deps, state.value, described, part.value);
    const blocks = [...added.slice(0, leading), ...hosts, ...added.slice(leading)];
    return ok({
      ...previewPrompt(blocks, tools, await loadTokenCount()),
      content: { snapshot, promptPack, toolCatalog },
      verdicts: toolVerdicts(lists, takesNone ? withoutCalls(subjects, inAsk) : subjects),
    });
  };
}
