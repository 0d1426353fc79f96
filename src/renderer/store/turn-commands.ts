import { busyTurn } from '#shared/attention';
import type { InputLine } from '#shared/input-line';
import { offlineProviderId, type ModelRef } from '#shared/model';
import { modelKey } from '#shared/model-parameters';
import type { Bridge, IpcInput } from '#shared/ipc';
import type { QueuedLine } from '#shared/line-queue';
import { assertNever, err, type Result } from '#shared/result';
import type { Settings } from '#shared/settings';
import type { UndoReport } from '#shared/undo';
import { turnAt, type SessionState, type Turn } from '#shared/session-state';
import { lastAnswered, lastModelOf, newestAfter, parentOf } from '#shared/turn-tree';
import { text } from '../locales/text';
import { chooseModel } from './choose-model';
import { noSession, type CommandDeps } from './command-deps';
import { editDraft, newSessionDraft } from './drafts';
import { createHeadMoves } from './head-moves';
import type { SettingCommands, TurnCommands } from './commands';
import { putItems } from './item-commands';
import { returnLeftEdits } from './left-edits';
import { runModeInUse } from './run-mode-in-use';
import { createPost, sendInPlace, type OpenSession } from './send-line';
import { isCommandRun, lastTurn } from './session-view';
import type { RunAction } from './turn-actions';

const maxRecent = 10;

/** The models chosen last with this one first; the offline provider is always available. */
function recent({ recentModels }: Pick<Settings, 'recentModels'>, picked: ModelRef) {
  if (picked.providerId === offlineProviderId) return {};
  const key = modelKey(picked);
  return { recentModels: [key, ...recentModels.filter((each) => each !== key)].slice(0, maxRecent) };
}

function currentSession({ mirror, view }: CommandDeps): SessionState | undefined {
  const { sessionId } = view.store.getState();
  return sessionId === null ? undefined : mirror.store.getState().sessions[sessionId];
}

/** Commands for single lines of input. */
export function createTurnCommands(
  deps: CommandDeps,
  openSession: OpenSession,
  changeSettings: SettingCommands['changeSettings'],
): TurnCommands {
  const { bridge, mirror, view, drafts } = deps;
  const post = createPost(deps, openSession);

  const turnOf = (number: number): Turn | undefined => {
    const session = currentSession(deps);
    return session && turnAt(session, number);
  };
  const suggest = (draft: string): void => {
    const { sessionId } = view.store.getState();
    if (sessionId === null) return;
    drafts.write(sessionId, draft);
    view.focusComposer();
  };
  /** The draft of an edit in the session on the screen. */
  const editOf = (line: number | string) =>
    editDraft(view.store.getState().sessionId ?? newSessionDraft, line);
  const { getState } = mirror.store;
  const changeQueue = async (change: (sessionId: string) => Promise<Result<null>>): Promise<boolean> => {
    const session = currentSession(deps);
    const changed = session ? await change(session.id) : err(noSession());
    if (!changed.ok) view.fail(text('store.failed.queue'), changed.error);
    return changed.ok;
  };
  /** Puts a withdrawn line before the draft of its session, where it cannot be sent by itself. */
  const editWithdrawn = async (sessionId: string, line: QueuedLine): Promise<void> => {
    drafts.prepend(sessionId, line.text);
    putItems(view, sessionId, line.items);
    if (view.store.getState().sessionId === sessionId) view.focusComposer();
    else await openSession(sessionId);
  };
  const review = () => getState().settings.review;
  const model = () => {
    const session = currentSession(deps);
    const { settings, models } = getState();
    return chooseModel(settings.model, models, session ? lastModelOf(session) : undefined);
  };
  const undoWrites = async (
    sessionId: string | undefined,
    request: Omit<IpcInput<'run-undo'>, 'sessionId'>,
  ): Promise<UndoReport | null> => {
    const undone =
      sessionId === undefined ? err(noSession()) : await bridge.invoke('run-undo', { sessionId, ...request });
    if (!undone.ok) {
      view.fail(text('store.failed.undo'), undone.error);
      return null;
    }
    const [done, refused] = [undone.value.undone.length, undone.value.refused.length];
    view.toast(text(refused > 0 ? 'store.undoneSome' : 'store.undone', { count: done, refused }));
    return undone.value;
  };
  const heads = createHeadMoves(
    deps,
    (sessionId, line) => {
      const runMode = runModeInUse(mirror.store.getState());
      return bridge.invoke('message-send', { sessionId, text: line, runMode, model: model() });
    },
    (sessionId, runId) => undoWrites(sessionId, { runId }),
  );
  /** Sends a line in a turn's place; a refusal leaves everything as it was. */
  const replace = async (turn: Turn, line: InputLine & { readonly parent: number }): Promise<boolean> => {
    const before = currentSession(deps);
    if (!before) {
      view.fail(text('store.failed.send'), noSession());
      return false;
    }
    const sent = await sendInPlace(deps, before.id, line, openSession);
    if (sent) heads.offerUndo({ sessionId: before.id, head: before.head, to: parentOf(turn) });
    return sent;
  };
  const regenerateTurn = async (
    session: SessionState | undefined,
    request: Omit<IpcInput<'turn-regenerate'>, 'sessionId'>,
  ): Promise<void> => {
    const sent = session
      ? await bridge.invoke('turn-regenerate', { sessionId: session.id, ...request })
      : err(noSession());
    if (!sent.ok) return view.fail(text('store.failed.regenerate'), sent.error);
    const turn = session && turnAt(session, request.turn);
    if (turn) heads.offerUndo({ sessionId: session.id, head: session.head, to: parentOf(turn) });
  };
  /** A turn's line again, for its place. */
  const lineInPlaceOf = (turn: Turn) => {
    const { text: line, runMode, items, parameters } = turn;
    const repeated = { ...(items && { items: [...items] }), ...(parameters && { parameters }) };
    return { text: line, ...repeated, runMode, model: model(), review: review(), parent: parentOf(turn) };
  };

  return {
    send: (line, runMode = runModeInUse(mirror.store.getState())) =>
      post({ text: line, runMode, model: model(), review: review() }, 'control'),
    sendDraft: (line, runMode = runModeInUse(mirror.store.getState())) =>
      post({ text: line, runMode, model: model(), review: review() }, 'composer'),
    suggest,
    regenerate: async (number, options = {}) => {
      const turn = turnOf(number);
      if (turn && isCommandRun(turn)) await replace(turn, { ...lineInPlaceOf(turn), ...options });
      else {
        const request = { turn: number, model: model(), review: review(), ...options };
        await regenerateTurn(currentSession(deps), request);
      }
    },
    askOtherModel: (turn) => view.set({ modelPickerOpen: true, modelFor: turn }),
    pickModel: async (picked) => {
      const { modelFor: turn } = view.store.getState();
      view.set({ modelPickerOpen: false, modelFor: null });
      const session = currentSession(deps);
      // Another answer to an ended turn is one answer; a provider that refuses is left for the next lines, too.
      const lasting = turn === null || busyTurn(session)?.turn === turn;
      const { settings } = mirror.store.getState();
      await changeSettings({ ...(lasting && { model: picked }), ...recent(settings, picked) });
      if (turn === null || !session) return;
      await regenerateTurn(session, { turn, model: picked, review: review(), instead: true });
    },
    edit: (editing) => view.set({ editing, reloaded: null }),
    editLast: () => {
      const session = currentSession(deps);
      view.set({ editing: (session && lastAnswered(session))?.turn ?? lastTurn(session)?.turn ?? null });
    },
    unsentEdit: (line) => drafts.read(editOf(line)),
    saveEdit: (line, edited) => drafts.write(editOf(line), edited),
    sendEdited: async (number, edited) => {
      const turn = turnOf(number);
      if (!turn) return;
      const edit = editOf(number);
      const line = { ...lineInPlaceOf(turn), text: edited };
      if (!(await replace(turn, line))) return;
      drafts.write(edit, '');
      // The user may have opened another edit meanwhile.
      if (view.store.getState().editing === number && editOf(number) === edit) view.set({ editing: null });
    },
    undoCompaction: async (upTo) => {
      const session = currentSession(deps);
      if (!session) return;
      const undone = await bridge.invoke('compaction-undo', { sessionId: session.id, upTo });
      if (!undone.ok) view.fail(text('store.failed.undoCompaction'), undone.error);
    },
    chooseBranch: async (turn) => {
      const session = currentSession(deps);
      if (session) await heads.move(session, newestAfter(session, turn));
    },
    fork: async (turn) => {
      const session = currentSession(deps);
      const forked = session
        ? await bridge.invoke('session-fork', { sessionId: session.id, turn })
        : err(noSession());
      if (forked.ok) await openSession(forked.value.id);
      else view.fail(text('store.failed.fork'), forked.error);
    },
    goBackTo: async (turn) => {
      const session = currentSession(deps);
      const takeBack = session && (await heads.move(session, turn));
      if (takeBack) view.toast(text('store.wentBack'), { label: text('store.undoMove'), run: takeBack });
    },
    undoLast: () => heads.undoLast(currentSession(deps)),
    stop: async (number) => {
      const session = currentSession(deps);
      const turn = number ?? busyTurn(session)?.turn;
      if (!session || turn === undefined) return;
      const stopped = await bridge.invoke('turn-stop', { sessionId: session.id, turn });
      if (!stopped.ok) view.fail(text('store.failed.stop'), stopped.error);
    },
    editLine: (edit) => changeQueue((sessionId) => bridge.invoke('line-edit', { sessionId, ...edit })),
    saveLine: async (lineId, changed) => {
      const edit = editOf(lineId);
      // Before the edit ends: the line may then be sent at once.
      drafts.write(edit, '');
      const saved = { lineId, text: changed, held: false };
      if (await changeQueue((sessionId) => bridge.invoke('line-edit', { sessionId, ...saved }))) return;
      drafts.write(edit, changed);
      const session = currentSession(deps);
      if (session) returnLeftEdits(deps, session);
    },
    withdrawLine: async (lineId) => {
      const session = currentSession(deps);
      const line = session?.queue?.lines.find((one) => one.lineId === lineId);
      const done = await changeQueue((sessionId) => bridge.invoke('line-withdraw', { sessionId, lineId }));
      if (!done || !session || !line) return;
      const run = () => void editWithdrawn(session.id, line);
      view.toast(text('store.withdrawn'), { label: text('store.editWithdrawn'), run });
    },
    moveLine: (lineId, before) =>
      changeQueue((sessionId) => bridge.invoke('line-move', { sessionId, lineId, before })),
    resumeQueue: async () =>
      void (await changeQueue((sessionId) => bridge.invoke('queue-resume', { sessionId }))),
    controlRun: async (turn, action) => {
      if (action.type === 'review-plan') return view.set({ dialog: { kind: 'plan', turn } });
      const session = currentSession(deps);
      const controlled = session ? await invokeRunAction(bridge, session.id, turn, action) : err(noSession());
      if (!controlled.ok) view.fail(text('store.failed.run'), controlled.error);
    },
    runPlan: async (runId, decision) => {
      const session = currentSession(deps);
      if (!session) return err(noSession());
      return bridge.invoke('plan-review', { sessionId: session.id, runId, decision });
    },
    checkPlan: async (runId, edit) => {
      const session = currentSession(deps);
      if (!session) return err(noSession());
      return bridge.invoke('plan-check', { sessionId: session.id, runId, edit });
    },
    writeFile: async (path, content) => {
      const session = currentSession(deps);
      const file = { path, content, model: model() };
      const sent = session
        ? await bridge.invoke('file-write', { sessionId: session.id, ...file })
        : err(noSession());
      return sent.ok ? null : sent.error;
    },
    undoWrites: (request) => undoWrites(currentSession(deps)?.id, request),
    readRunDiff: async (runId) => {
      const session = currentSession(deps);
      const diff = session
        ? await bridge.invoke('run-diff', { sessionId: session.id, runId })
        : err(noSession());
      if (diff.ok) return diff.value;
      view.fail(text('store.failed.undo'), diff.error);
      return null;
    },
    editApproval: async (edit) => {
      const session = currentSession(deps);
      if (!session) return err(noSession());
      return bridge.invoke('approval-edit', { sessionId: session.id, edit });
    },
    answerApproval: async (answer) => {
      const session = currentSession(deps);
      if (!session) return;
      const answered = await bridge.invoke('approval-answer', { sessionId: session.id, ...answer });
      if (!answered.ok) view.fail(text('store.failed.answer'), answered.error);
    },
  };
}

function invokeRunAction(
  { invoke }: Bridge,
  sessionId: string,
  turn: number,
  action: Exclude<RunAction, { type: 'review-plan' }>,
): Promise<Result<null>> {
  switch (action.type) {
    case 'pause':
    case 'continue':
      return invoke('run-pause', { sessionId, runId: action.runId, paused: action.type === 'pause' });
    case 'run-plan':
      return invoke('plan-review', { sessionId, runId: action.runId, decision: action.decision });
    case 'reject-plan':
      return invoke('plan-reject', { sessionId, runId: action.runId });
    case 'again':
      return invoke('run-again', {
        sessionId,
        turn,
        ...(action.from !== undefined && { from: action.from }),
      });
    case 'settle-write': {
      const { runId, callId, happened } = action;
      return invoke('write-settle', { sessionId, runId, callId, happened });
    }
    default:
      return assertNever(action);
  }
}
