import { appError } from '#shared/app-error';
import { maxMessageLength } from '#shared/ipc';
import { err, ok, type Result } from '#shared/result';
import type { RunMode } from '#shared/run-mode';
import { turnAt, type SessionState, type Turn } from '#shared/session-state';
import { chooseModel } from './choose-model';
import type { CommandDeps, TurnCommands } from './commands';
import { newSessionDraft } from './drafts';
import { currentProject } from './session-commands';
import { busyTurn, lastTurn } from './session-view';

const grouped = new Intl.NumberFormat('en-US');

/** Why a line cannot go out as it is, or nothing. */
function refusal(deps: CommandDeps, text: string, runMode: RunMode) {
  if (text.length > maxMessageLength) {
    const message = `It has ${grouped.format(text.length)} characters; at most ${grouped.format(maxMessageLength)} can be sent at once.`;
    return appError('HOST', 'INVALID_INPUT', message, { hint: 'Put it into a file in the project folder.' });
  }
  const agentMode = deps.mirror.store.getState().info?.agentMode;
  if (runMode === 'agent' && agentMode && !agentMode.enabled) {
    return appError('HOST', 'STATE', agentMode.reason ?? 'Agent Mode is switched off.', {
      hint: 'Switch to Ask.',
    });
  }
  if (runMode === 'agent' && currentProject(deps) === null) {
    return appError('HOST', 'INVALID_INPUT', 'Agent Mode works in a folder, and none is chosen yet.', {
      hint: 'Choose a folder above the message, then send again.',
    });
  }
  return null;
}

/** Commands about single lines of input. */
export function createTurnCommands(deps: CommandDeps): TurnCommands {
  const { bridge, mirror, view, drafts } = deps;

  const current = (): SessionState | undefined => {
    const { sessionId } = view.store.getState();
    return sessionId === null ? undefined : mirror.store.getState().sessions[sessionId];
  };

  /** A draft typed since is worth more than the one that comes back. */
  function giveBack(key: string, text: string): void {
    if (drafts.read(key) === '') drafts.write(key, text);
    view.focusComposer();
  }

  async function ensureSession(): Promise<Result<string>> {
    const { sessionId, newProject } = view.store.getState();
    if (sessionId !== null) return ok(sessionId);
    const created = await bridge.invoke('session-create', { project: newProject });
    if (!created.ok) return err(created.error);
    mirror.adopt(created.value);
    view.set({ sessionId: created.value.id });
    void bridge.invoke('settings-set', { lastSessionId: created.value.id });
    return ok(created.value.id);
  }

  async function post(text: string, runMode: RunMode, model: Turn['model']): Promise<void> {
    const session = await ensureSession();
    const sent = session.ok
      ? await bridge.invoke('message-send', { sessionId: session.value, text, runMode, model })
      : session;
    if (sent.ok) return;
    giveBack(session.ok ? session.value : newSessionDraft, text);
    view.fail('This message was not sent', sent.error);
  }

  async function send(text: string, asMode?: RunMode): Promise<void> {
    const { settings, models } = mirror.store.getState();
    const runMode = asMode ?? settings.mode;
    const refused = refusal(deps, text, runMode);
    view.set({ failure: null });
    if (refused) {
      giveBack(view.store.getState().sessionId ?? newSessionDraft, text);
      view.fail('This message was not sent', refused);
      return;
    }
    await post(text, runMode, chooseModel(settings.model, models));
  }

  function edit(turn: Turn | undefined): void {
    const session = current();
    if (!session || !turn) return;
    drafts.write(session.id, turn.text);
    view.focusComposer();
  }

  return {
    send,
    retry: async (number) => {
      const session = current();
      const turn = session && turnAt(session, number);
      if (turn) await send(turn.text, turn.runMode);
    },
    edit: (number) => {
      const session = current();
      edit(session && turnAt(session, number));
    },
    editLast: () => edit(lastTurn(current())),
    stop: async (number) => {
      const session = current();
      const turn = number ?? busyTurn(session)?.turn;
      if (!session || turn === undefined) return;
      const stopped = await bridge.invoke('turn-stop', { sessionId: session.id, turn });
      if (!stopped.ok) view.fail('This could not be stopped', stopped.error);
    },
    answerApproval: async (answer) => {
      const session = current();
      if (!session) return;
      const answered = await bridge.invoke('approval-answer', { sessionId: session.id, ...answer });
      if (!answered.ok) view.fail('The answer did not arrive', answered.error);
    },
  };
}
