import { appError, type AppError } from '#shared/app-error';
import { maxMessageLength, type InputLine } from '#shared/input-line';
import { runParameters } from '#shared/model-parameters';
import { err, ok, type Result } from '#shared/result';
import type { RunMode } from '#shared/run-mode';
import type { WindowActionCall } from '#shared/window-action';
import { text } from '../locales/text';
import type { CommandDeps } from './command-deps';
import { newSessionDraft } from './drafts';
import { moveItems, putItems, takeItems } from './item-commands';
import { currentProject } from './session-commands';
import type { View } from './view-state';

/** A line can lead to another session: a command may open one, or a mode change may continue in one. */
export type OpenSession = (sessionId: string) => Promise<void>;

/** What a sent line leads to. */
interface Sent {
  readonly opened?: string;
  readonly windowAction?: WindowActionCall;
  /** The line was a command: it used nothing of what was attached or chosen. */
  readonly command?: true;
}

/** A line as the window sends it: written by the user in the composer, or the command of a control. */
export type LineSource = 'composer' | 'control';

/** The session that a first line creates; lines sent before it exists share it. */
interface Beginning {
  id: string | null;
  creating?: Promise<Result<string>>;
}

/** Where a line goes, whatever the user opens while it is being sent. */
export interface LinePlace {
  readonly sessionId: () => string | null;
  readonly project: string | null;
}

function tooLong({ length }: string): AppError | null {
  if (length <= maxMessageLength) return null;
  const message = text('store.error.tooLong', { length, max: maxMessageLength });
  return appError('HOST', 'INVALID_INPUT', message, { hint: text('store.error.tooLongHint') });
}

/** Why a line cannot run as a goal now; null if it can. */
function goalRefusal(deps: CommandDeps, runMode: RunMode, { project }: LinePlace): AppError | null {
  if (runMode === 'ask') return null;
  const agentMode = deps.mirror.store.getState().info?.agentMode;
  if (agentMode && !agentMode.enabled) {
    const message = agentMode.reason ?? text('shared.agentModeOff');
    return appError('HOST', 'STATE', message, { hint: text('store.error.noAgentModeHint') });
  }
  if (project !== null) return null;
  return appError('HOST', 'INVALID_INPUT', text('store.error.noFolder'), {
    hint: text('store.error.noFolderHint'),
  });
}

/** Whether the line is a host command; such a line is not a goal and needs neither a plan nor a folder. */
async function isCommand({ bridge }: CommandDeps, line: string, place: LinePlace): Promise<boolean> {
  if (line.startsWith('/')) return true;
  const sessionId = place.sessionId();
  const routed = await bridge.invoke('route-preview', {
    text: line,
    ...(sessionId !== null && { sessionId }),
  });
  return routed.ok && routed.value.action.type !== 'continue-with-llm';
}

/** Why a line cannot be sent as it is; null if it can. */
async function refusal(
  deps: CommandDeps,
  line: Pick<InputLine, 'text' | 'runMode'>,
  place: LinePlace,
): Promise<AppError | null> {
  const long = tooLong(line.text);
  if (long) return long;
  const refused = goalRefusal(deps, line.runMode, place);
  return refused && !(await isCommand(deps, line.text, place)) ? refused : null;
}

/** Creates the session of a first line and shows it, unless the user has opened another one meanwhile. */
async function createSession({ bridge, mirror, view, drafts }: CommandDeps): Promise<Result<string>> {
  const { newProject } = view.store.getState();
  const created = await bridge.invoke('session-create', { project: newProject });
  if (!created.ok) return created;
  const { id } = created.value;
  // What was typed or attached since the line was sent belongs to the session that the line created.
  drafts.write(id, drafts.read(newSessionDraft), drafts.folds(newSessionDraft));
  drafts.write(newSessionDraft, '');
  moveItems(view, newSessionDraft, id);
  mirror.adopt(created.value);
  if (view.store.getState().sessionId === null) {
    view.set({ sessionId: id });
    void bridge.invoke('settings-set', { lastSessionId: id });
  }
  return ok(id);
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

const isShown = ({ store }: View, draftKey: string): boolean =>
  (store.getState().sessionId ?? newSessionDraft) === draftKey;

/** What the user chose for the next line alone; from now on, it is chosen no more. */
function takeChoices({ store, set }: View, runMode: RunMode) {
  const { lineContent, lineParameters } = store.getState();
  set({ lineContent: null, lineParameters: null });
  const parameters = runMode === 'ask' ? lineParameters : runParameters(lineParameters ?? {});
  return {
    fields: { ...(lineContent && { workspace: lineContent }), ...(parameters && { parameters }) },
    giveBack: () => {
      const { lineContent: content, lineParameters: chosen } = store.getState();
      // A choice made since takes precedence.
      if (content === null && chosen === null) set({ lineContent, lineParameters });
    },
  };
}

/** What goes with a line of the composer, and its way back there. */
async function takeFromComposer(
  { view, drafts }: CommandDeps,
  { text: line, runMode }: InputLine,
  draftKey: () => string,
) {
  const sending = drafts.sending(draftKey(), line);
  const choices = takeChoices(view, runMode);
  const { items, left } = await takeItems(view, draftKey);
  const giveBackExtras = () => {
    putItems(view, draftKey(), items);
    if (isShown(view, draftKey())) choices.giveBack();
  };
  return {
    fields: { ...choices.fields, ...(items.length > 0 && { items: [...items] }) },
    sent: ({ command }: Sent) => {
      sending.sent();
      if (command) giveBackExtras();
      left();
    },
    refused: () => {
      giveBackExtras();
      left();
      sending.refused(draftKey());
    },
  };
}

/** The command of a control takes nothing from the composer; refused, it is shown only in an empty field. */
function takeFromControl({ drafts }: CommandDeps, { text: line }: InputLine, draftKey: () => string) {
  return {
    fields: {},
    sent: () => undefined,
    refused: () => {
      if (drafts.read(draftKey()) === '') drafts.write(draftKey(), line);
    },
  };
}

/** Sends lines; two lines sent at once without a session share the one session they create. */
export function createPost(
  deps: CommandDeps,
  openSession: OpenSession,
): (line: InputLine, source: LineSource) => Promise<void> {
  const { bridge, view } = deps;
  let next: Beginning = { id: null };

  /** The place of a line that is sent now. */
  function placeOf(beginning: Beginning): LinePlace {
    const { sessionId } = view.store.getState();
    return { sessionId: () => sessionId ?? beginning.id, project: currentProject(deps) };
  }

  function ensureSession(place: LinePlace, beginning: Beginning): Promise<Result<string>> {
    const sessionId = place.sessionId();
    if (sessionId !== null) return Promise.resolve(ok(sessionId));
    beginning.creating ??= createSession(deps).then((created) => {
      if (created.ok) {
        beginning.id = created.value;
        if (next === beginning) next = { id: null };
      } else delete beginning.creating;
      return created;
    });
    return beginning.creating;
  }

  async function attempt(line: InputLine, place: LinePlace, beginning: Beginning): Promise<Result<Sent>> {
    const first = place.sessionId() === null && beginning.creating === undefined && !line.items;
    const changed = first && !tooLong(line.text) ? await changeApp(deps, line.text) : null;
    if (changed) return changed;
    const refused = await refusal(deps, line, place);
    if (refused) return err(refused);
    const session = await ensureSession(place, beginning);
    return session.ok ? bridge.invoke('message-send', { sessionId: session.value, ...line }) : session;
  }

  return async (input, source) => {
    view.set({ failure: null });
    const beginning = next;
    const place = placeOf(beginning);
    const draftKey = () => place.sessionId() ?? newSessionDraft;
    const taken =
      source === 'composer'
        ? await takeFromComposer(deps, input, draftKey)
        : takeFromControl(deps, input, draftKey);
    const sent = await attempt({ ...input, ...taken.fields }, place, beginning);
    if (sent.ok) {
      taken.sent(sent.value);
      await showSent(view, sent.value, openSession);
      return;
    }
    taken.refused();
    if (isShown(view, draftKey())) view.focusComposer();
    view.fail(text('store.failed.send'), sent.error);
  };
}

/** Sends a line in place of another in a session; a refusal leaves the text where the user edited it. */
export async function sendInPlace(
  deps: CommandDeps,
  sessionId: string,
  line: InputLine & { readonly parent: number },
  openSession: OpenSession,
): Promise<boolean> {
  const { bridge, view } = deps;
  const place: LinePlace = { sessionId: () => sessionId, project: currentProject(deps) };
  const refused = await refusal(deps, line, place);
  const sent = refused ? err(refused) : await bridge.invoke('message-send', { sessionId, ...line });
  if (!sent.ok) view.fail(text('store.failed.send'), sent.error);
  else await showSent(view, sent.value, openSession);
  return sent.ok;
}
