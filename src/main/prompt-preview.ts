import { appError } from '#shared/app-error';
import type { PromptPreview } from '#shared/prompt';
import { err, ok, type Result } from '#shared/result';
import { emptySession, type SessionState } from '#shared/session-state';
import type { ControlSide } from './compose-control-plane';
import { previewPrompt } from './session/prompt';
import type { SessionLog } from './session/session-log';
import { loadTokenCount } from './session/token-count';

export interface PromptQuestion {
  /** Null: a session that does not exist yet. */
  readonly sessionId: string | null;
  /** A mode's Key that stands in for the session's own. */
  readonly mode?: string;
}

/** What the model would be sent before the conversation: blocks and tools, with what they cost. HOST/NOT_FOUND for an unknown mode. */
export function createPromptPreview({
  log,
  control,
}: {
  readonly log: SessionLog;
  readonly control: ControlSide;
}) {
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
    const tools = control.host.tools(state.value);
    return ok(previewPrompt(control.host.blocks(state.value), tools, await loadTokenCount()));
  };
}
