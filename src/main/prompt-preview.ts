import { appError } from '#shared/app-error';
import type { PromptPreview } from '#shared/prompt';
import { err, ok, type Result } from '#shared/result';
import type { RunMode } from '#shared/run-mode';
import type { SessionState } from '#shared/session-state';
import type { WorkspaceOverride, WorkspaceState } from '#shared/workspace';
import type { PlannerPrompt } from './agent/planner-prompt';
import type { ShownTools } from './agent/shown-tools';
import type { AgentMode } from './agent-mode';
import type { ControlSide } from './compose-control-plane';
import { previewPrompt } from './session/prompt';
import type { PromptQuestion } from './prompt-question';
import type { SessionLog } from './session/session-log';
import { loadTokenCount } from './session/token-count';
import { toolVerdicts } from './tools/tool-verdicts';
import { findScope } from './workspace/scopes';
import type { Snapshots } from './workspace/snapshots';
import { materialize } from './workspace/step-content';

export interface PromptPreviewDeps {
  readonly log: SessionLog;
  readonly control: ControlSide;
  readonly agentMode: AgentMode;
  readonly agentSide: () => Promise<{
    plannerPrompt(project: string, shown: ShownTools): Promise<Result<PlannerPrompt>>;
  }>;
  readonly snapshots: Snapshots;
  /** The project of a session that has none. */
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

/** What the planner would add; nothing for Ask, whose request knows no planner. */
async function plannerPart(
  deps: PromptPreviewDeps,
  runMode: RunMode,
  { own, shown }: { readonly own: string | null; readonly shown: ShownTools },
): Promise<Result<PlannerPrompt>> {
  if (runMode === 'ask') return ok(nothing);
  const { enabled, reason = 'Agent Mode is switched off.' } = deps.agentMode;
  if (!enabled) return err(appError('HOST', 'STATE', reason));
  const project = own ?? deps.project();
  return project === null ? err(noFolder) : (await deps.agentSide()).plannerPrompt(project, shown);
}

const wished = (own: WorkspaceState, { snapshot, promptPack, toolCatalog }: WorkspaceOverride = {}) => ({
  ...own,
  active: snapshot ?? own.active,
  promptPack: promptPack ?? own.promptPack,
  toolCatalog: toolCatalog ?? own.toolCatalog,
});

/** The state a question is about, with its wishes in place of the session's own content. */
function stateFor(deps: PromptPreviewDeps, question: PromptQuestion): Result<SessionState> {
  const { log, control, project } = deps;
  const { sessionId, mode } = question;
  const scope = sessionId === null ? { project: project() } : { sessionId };
  const stored = findScope(log.peek, scope);
  if (!stored.ok) return stored;
  const { state } = stored.value;
  const { modes } = control.plane;
  const wanted = mode === undefined ? undefined : modes.find(mode);
  if (mode !== undefined && !wanted) return err(appError('HOST', 'NOT_FOUND', modes.unknownMode(mode)));
  const content = wished(state.workspace, question.workspace);
  return ok({ ...state, workspace: content, ...(wanted && { modeId: wanted.id }) });
}

/** Every tool that is known here, for its verdict: the host's, the servers' where they were asked, and what is only described. */
function subjectsOf({ control }: PromptPreviewDeps, described: readonly string[], planner: PlannerPrompt) {
  const { hostCalls } = control;
  const host = hostCalls.offered({}).map(({ name }) => ({
    ...{ name, always: hostCalls.find(name)?.alwaysOffered === true },
  }));
  const servers = planner.listed.map(({ uri, allowed }) => ({ name: uri, denied: !allowed }));
  const known = new Set([...host, ...servers].map(({ name }) => name));
  const asked = (name: string): boolean => !name.startsWith('mcp://') || planner.listed.length > 0;
  const unbound = described
    .filter((name) => !known.has(name) && !name.includes('*') && asked(name))
    .map((name) => ({ name, unbound: true }));
  return [...host, ...servers, ...unbound];
}

/**
 * What the model would be sent before the conversation: blocks and tools in their order, with what they cost, and why each
 * tool is or is not there. HOST/NOT_FOUND for an unknown mode, pack or catalog, HOST/STATE for a planning call while Agent
 * Mode is off.
 */
export function createPromptPreview(deps: PromptPreviewDeps) {
  const { control, snapshots } = deps;
  return async (question: PromptQuestion): Promise<Result<PromptPreview>> => {
    const state = stateFor(deps, question);
    if (!state.ok) return state;
    const material = materialize(snapshots, state.value, question.workspace);
    if (!material.ok) return material;
    const { snapshot, promptPack, toolCatalog, describe, tools: described } = material.value;
    const lists = control.host.lists(state.value);
    const shown = { lists, describe };
    const planner = await plannerPart(deps, question.runMode, { own: state.value.project, shown });
    if (!planner.ok) return planner;
    const blocks = [...control.host.blocks(state.value), ...planner.value.blocks];
    const tools = [...planner.value.tools, ...control.host.tools(state.value)];
    return ok({
      ...previewPrompt(blocks, tools, await loadTokenCount()),
      content: { snapshot, promptPack, toolCatalog },
      verdicts: toolVerdicts(lists, subjectsOf(deps, described, planner.value)),
    });
  };
}
