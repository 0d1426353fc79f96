import type { DdrAnswer, DdrCall } from '#shared/ddr';
import type { IpcHandlers } from '#shared/ipc';
import { ok, type Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import { commandScope } from '../../core/tools/call-scope';
import { resultText, writtenCall } from '../../core/tools/call-tool';
import { choiceOutcome } from '../../core/control-plane/input-controller';
import type { App } from '../app';

/** The user's own call: it passes the gate like any other, and counts as approved. */
async function callDdrTool(app: Pick<App, 'toolCalls'>, call: DdrCall): Promise<Result<DdrAnswer>> {
  const signal = new AbortController().signal;
  const made = writtenCall('agent_ddr_manager', JSON.stringify(call));
  const result = resultText(await app.toolCalls.callTool(commandScope(), made, signal));
  return result.ok ? ok(JSON.parse(result.value) as DdrAnswer) : result;
}

/** The window's requests to the control plane. */
export function createControlHandlers(
  app: Pick<App, 'toolCalls' | 'lines' | 'log' | 'plane' | 'nearActions'>,
) {
  const { plane, lines, log } = app;
  /** A session's state, or null for a session that does not exist yet. */
  const stateOf = (sessionId: string | undefined): Result<SessionState | null> =>
    sessionId === undefined ? ok(null) : log.peek(sessionId);
  return {
    'route-preview': async ({ sessionId, text }) => {
      const state = stateOf(sessionId);
      return state.ok ? ok(await lines.preview(text, { state: state.value, ui: true })) : state;
    },
    'app-change': async ({ text }) => {
      const changed = await lines.changeApp(text);
      if (!changed.ok || changed.value === null) return changed.ok ? ok(null) : changed;
      const { undo, ...change } = changed.value;
      const slash = undo && plane.command(undo.commandId)?.slash;
      return ok({ ...change, ...(slash !== undefined && { undo: `/${slash} ${undo?.id}` }) });
    },
    'near-actions': async ({ text, localModel }) => ok(await app.nearActions(text, localModel)),
    'control-plane': ({ sessionId }) => {
      const state = stateOf(sessionId);
      return state.ok ? ok(plane.view(state.value)) : state;
    },
    'picker-page': async ({ sessionId, ...request }) => {
      const state = stateOf(sessionId);
      return state.ok ? ok(await plane.page(state.value, request)) : state;
    },
    'picker-choose': async ({ sessionId, turn, id }) => {
      const chosen = await lines.choose(sessionId, turn, id);
      return chosen.ok ? ok(choiceOutcome(chosen.value)) : chosen;
    },
    'picker-close': ({ sessionId, turn, then }) => {
      const closed = lines.closePicker(sessionId, turn, then);
      return closed.ok ? ok(null) : closed;
    },
    'question-answer': (place) => lines.answer(place),
    'ddr-call': (call) => callDdrTool(app, call),
  } satisfies Partial<IpcHandlers>;
}
