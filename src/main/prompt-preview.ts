import { appError } from '#shared/app-error';
import type { PromptPreview } from '#shared/prompt';
import { err, ok, type Result } from '#shared/result';
import type { RunMode } from '#shared/run-mode';
import { emptySession, type SessionState } from '#shared/session-state';
import type { PlannerPrompt } from './agent/planner-prompt';
import type { AgentMode } from './agent-mode';
import type { ControlSide } from './compose-control-plane';
import { previewPrompt } from './session/prompt';
import type { PromptQuestion } from './prompt-question';
import type { SessionLog } from './session/session-log';
import { loadTokenCount } from './session/token-count';

export interface PromptPreviewDeps {
  readonly log: SessionLog;
  readonly control: ControlSide;
  readonly agentMode: AgentMode;
  readonly agentSide: () => Promise<{ plannerPrompt(project: string): Promise<Result<PlannerPrompt>> }>;
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

const nothing: PlannerPrompt = { blocks: [], tools: [] };

/** What the planner would add; nothing for Ask, whose request knows no planner. */
async function plannerPart(
  deps: PromptPreviewDeps,
  runMode: RunMode,
  own: string | null,
): Promise<Result<PlannerPrompt>> {
  if (runMode === 'ask') return ok(nothing);
  const { enabled, reason = 'Agent Mode is switched off.' } = deps.agentMode;
  if (!enabled) return err(appError('HOST', 'STATE', reason));
  const project = own ?? deps.project();
  return project === null ? err(noFolder) : (await deps.agentSide()).plannerPrompt(project);
}

/**
 * What the model would be sent before the conversation: blocks and tools in their order, with what they cost. HOST/NOT_FOUND
 * for an unknown mode, HOST/STATE for a planning call while Agent Mode is off.
 */
export function createPromptPreview(deps: PromptPreviewDeps) {
  const { log, control } = deps;
  const stateFor = ({ sessionId, mode }: PromptQuestion): Result<SessionState> => {
    const stored = sessionId === null ? ok(emptySession('')) : log.peek(sessionId);
    if (!stored.ok || mode === undefined) return stored;
    const { modes } = control.plane;
    const wanted = modes.find(mode);
    if (!wanted) return err(appError('HOST', 'NOT_FOUND', modes.unknownMode(mode)));
    return ok({ ...stored.value, modeId: wanted.id });
  };
  return async (question: PromptQuestion): Promise<Result<PromptPreview>> => {
    const state = stateFor(question);
    if (!state.ok) return state;
    const planner = await plannerPart(deps, question.runMode, state.value.project);
    if (!planner.ok) return planner;
    const blocks = [...control.host.blocks(state.value), ...planner.value.blocks];
    const tools = [...planner.value.tools, ...control.host.tools(state.value)];
    return ok(previewPrompt(blocks, tools, await loadTokenCount()));
  };
}
