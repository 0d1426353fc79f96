import { busyTurn } from '#shared/attention';
import { appError, type AppError } from '#shared/app-error';
import type { ContextItem } from '#shared/context-item';
import { maxMessageLength, type InputLine } from '#shared/input-line';
import { offlineProviderId, type ModelRef } from '#shared/model';
import { modelKey, runParameters } from '#shared/model-parameters';
import type { Bridge, IpcInput } from '#shared/ipc';
import type { QueuedLine } from '#shared/line-queue';
import { assertNever, err, ok, type Result } from '#shared/result';
import type { RunMode } from '#shared/run-mode';
import type { Settings } from '#shared/settings';
import type { UndoReport } from '#shared/undo';
import type { WindowActionCall } from '#shared/window-action';
import { turnAt, type SessionState, type Turn } from '#shared/session-state';
import { lastAnswered, lastModelOf, newestAfter, parentOf } from '#shared/turn-tree';
import { text } from '../locales/text';
import { chooseModel } from './choose-model';
import { noSession, type CommandDeps } from './command-deps';
import { createHeadMoves } from './head-moves';
import type { SettingCommands, TurnCommands } from './commands';
import { newSessionDraft } from './drafts';
import { giveBackItems, putItems, takeItems } from './item-commands';
import { runModeInUse } from './run-mode-in-use';
import { currentProject } from './session-commands';
import { isCommandRun, lastTurn } from './session-view';
import type { View } from './view-state';
import type { RunAction } from './turn-actions';

const maxRecent = 10;

/** The models chosen last with this one first; the offline provider is always available. */
function recent({ recentModels }: Pick<Settings, 'recentModels'>, picked: ModelRef) {
  if (picked.providerId === offlineProviderId) return {};
  const key = modelKey(picked);
  return { recentModels: [key, ...recentModels.filter((each) => each !== key)].slice(0, maxRecent) };
}

function tooLong({ length }: string): AppError | null {
  if (length <= maxMessageLength) return null;
  const message = text('store.error.tooLong', { length, max: maxMessageLength });
  return appError('HOST', 'INVALID_INPUT', message, { hint: text('store.error.tooLongHint') });
}

/** Why a line cannot run as a goal now; null if it can. */
function goalRefusal(deps: CommandDeps, runMode: RunMode): AppError | null {
  if (runMode === 'ask') return null;
  const agentMode = deps.mirror.store.getState().info?.agentMode;
  if (agentMode && !agentMode.enabled) {
    const message = agentMode.reason ?? text('shared.agentModeOff');
    return appError('HOST', 'STATE', message, { hint: text('store.error.noAgentModeHint') });
  }
  if (currentProject(deps) !== null) return null;
  return appError('HOST', 'INVALID_INPUT', text('store.error.noFolder'), {
    hint: text('store.error.noFolderHint'),
  });
}

/** Whether the line is a host command; such a line is not a goal and needs neither a plan nor a folder. */
async function isCommand({ bridge, view }: CommandDeps, line: string): Promise<boolean> {
  if (line.startsWith('/')) return true;
  const { sessionId } = view.store.getState();
  const routed = await bridge.invoke('route-preview', {
    text: line,
    ...(sessionId !== null && { sessionId }),
  });
  return routed.ok && routed.value.action.type !== 'continue-with-llm';
}

/** Why a line cannot be sent as it is; null if it can. */
async function refusal(deps: CommandDeps, line: string, runMode: RunMode): Promise<AppError | null> {
  const long = tooLong(line);
  if (long) return long;
  const refused = goalRefusal(deps, runMode);
  return refused && !(await isCommand(deps, line)) ? refused : null;
}

function currentSession({ mirror, view }: CommandDeps): SessionState | undefined {
  const { sessionId } = view.store.getState();
  return sessionId === null ? undefined : mirror.store.getState().sessions[sessionId];
}

/** The session on the screen; creates it if this line is its first. */
async function ensureSession({ bridge, mirror, view, drafts }: CommandDeps): Promise<Result<string>> {
  const { sessionId, newProject } = view.store.getState();
  if (sessionId !== null) return ok(sessionId);
  const created = await bridge.invoke('session-create', { project: newProject });
  if (!created.ok) return created;
  const { id } = created.value;
  // Text typed since the line was sent belongs to the session that the line created.
  drafts.write(id, drafts.read(newSessionDraft), drafts.folds(newSessionDraft));
  drafts.write(newSessionDraft, '');
  mirror.adopt(created.value);
  view.set({ sessionId: id });
  void bridge.invoke('settings-set', { lastSessionId: id });
  return ok(id);
}

/** A line can lead to another session: a command may open one, or a mode change may continue in one. */
type OpenSession = (sessionId: string) => Promise<void>;

/** What a sent line leads to. */
interface Sent {
  readonly opened?: string;
  readonly windowAction?: WindowActionCall;
}

/** Acts on a first line that changes the app and no session; null for any other line. */
async function changeApp({ bridge, view }: CommandDeps, line: string): Promise<Result<Sent> | null> {
  const changed = await bridge.invoke('app-change', { text: line });
  if (!changed.ok) return changed;
  if (changed.value === null) return null;
  const { summary, undo, ...sent } = changed.value;
  const action = undo !== undefined && {
    label: text('controlPlane.undo'),
    run: () => void bridge.invoke('app-change', { text: undo }),
  };
  if (!sent.windowAction && sent.opened === undefined) view.toast(summary, action || undefined);
  return ok(sent);
}

/** Opens the session that a line leads to, and asks for the window action that it stands for. */
async function showSent(view: View, { opened, windowAction }: Sent, openSession: OpenSession): Promise<void> {
  if (opened !== undefined) await openSession(opened);
  if (windowAction) view.set({ requested: windowAction });
}

/** What the user chose for the next line alone. */
function chosenForLine({ store }: View, runMode: RunMode) {
  const { lineContent: workspace, lineParameters } = store.getState();
  const parameters = runMode === 'ask' ? lineParameters : runParameters(lineParameters ?? {});
  return { ...(workspace && { workspace }), ...(parameters && { parameters }) };
}

/** Sends lines; two lines sent at once without a session share the one session they create. */
function createPost(deps: CommandDeps, openSession: OpenSession): (line: InputLine) => Promise<void> {
  const { bridge, view, drafts } = deps;
  let beginning: Promise<Result<string>> | undefined;

  async function attempt(input: InputLine, items: readonly ContextItem[]): Promise<Result<Sent>> {
    const line = items.length > 0 ? { ...input, items: [...items] } : input;
    const first = view.store.getState().sessionId === null && beginning === undefined && !line.items;
    const changed = first && !tooLong(line.text) ? await changeApp(deps, line.text) : null;
    if (changed) return changed;
    const refused = await refusal(deps, line.text, line.runMode);
    if (refused) return err(refused);
    beginning ??= ensureSession(deps).finally(() => {
      beginning = undefined;
    });
    const session = await beginning;
    return session.ok ? sendWithChoices(session.value, line) : session;
  }

  async function sendWithChoices(sessionId: string, line: InputLine): Promise<Result<Sent>> {
    const chosen = chosenForLine(view, line.runMode);
    const sent = await bridge.invoke('message-send', { sessionId, ...line, ...chosen });
    if (sent.ok) view.set({ lineContent: null, lineParameters: null });
    return sent;
  }

  return async (line) => {
    view.set({ failure: null });
    const items = await takeItems(view);
    const sent = await attempt(line, items);
    if (sent.ok) {
      await showSent(view, sent.value, openSession);
      return;
    }
    const key = view.store.getState().sessionId ?? newSessionDraft;
    giveBackItems(view, items);
    // A draft typed since takes precedence over the restored one.
    if (drafts.read(key) === '') drafts.write(key, line.text);
    view.focusComposer();
    view.fail(text('store.failed.send'), sent.error);
  };
}

/** Sends a line in place of another; a refusal leaves the text where the user edited it. */
async function sendEdited(
  deps: CommandDeps,
  line: InputLine & { readonly parent: number },
  openSession: OpenSession,
): Promise<boolean> {
  const { bridge, view } = deps;
  const session = currentSession(deps);
  const refused = session ? await refusal(deps, line.text, line.runMode) : noSession();
  const sent =
    refused || !session
      ? err(refused ?? noSession())
      : await bridge.invoke('message-send', { sessionId: session.id, ...line });
  if (!sent.ok) view.fail(text('store.failed.send'), sent.error);
  else await showSent(view, sent.value, openSession);
  return sent.ok;
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
  const { getState } = mirror.store;
  const changeQueue = async (change: (sessionId: string) => Promise<Result<null>>): Promise<boolean> => {
    const session = currentSession(deps);
    const changed = session ? await change(session.id) : err(noSession());
    if (!changed.ok) view.fail(text('store.failed.queue'), changed.error);
    return changed.ok;
  };
  /** Puts a withdrawn line before the draft of its session, where it cannot be sent by itself. */
  const editWithdrawn = async (sessionId: string, line: QueuedLine): Promise<void> => {
    const draft = drafts.read(sessionId);
    drafts.write(sessionId, draft === '' ? line.text : `${line.text}\n\n${draft}`);
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
    const sent = await sendEdited(deps, line, openSession);
    if (sent && before) heads.offerUndo({ sessionId: before.id, head: before.head, to: parentOf(turn) });
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
      post({ text: line, runMode, model: model(), review: review() }),
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
    sendEdited: async (number, edited) => {
      const turn = turnOf(number);
      if (!turn) return;
      const line = { ...lineInPlaceOf(turn), text: edited };
      if (await replace(turn, line)) view.set({ editing: null });
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
    editLine: async (edit) =>
      void (await changeQueue((sessionId) => bridge.invoke('line-edit', { sessionId, ...edit }))),
    withdrawLine: async (lineId) => {
      const session = currentSession(deps);
      const line = session?.queue?.lines.find((one) => one.lineId === lineId);
      const done = await changeQueue((sessionId) => bridge.invoke('line-withdraw', { sessionId, lineId }));
      if (!done || !session || !line) return;
      const run = () => void editWithdrawn(session.id, line);
      view.toast(text('store.withdrawn'), { label: text('store.editWithdrawn'), run });
    },
    moveLine: async (lineId, before) =>
      void (await changeQueue((sessionId) => bridge.invoke('line-move', { sessionId, lineId, before }))),
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
