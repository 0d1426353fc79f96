import { busyTurn } from '#shared/attention';
import type { Turn } from '#shared/session-state';
import { activePath, lastAnswered } from '#shared/turn-tree';
import { exportMarkdown } from '#shared/export-markdown';
import type { ExportFormat } from '#shared/session-file';
import type { WindowActionCall } from '#shared/window-action';
import type { WindowActionId } from '#shared/window-action-ids';
import { text } from '../locales/text';
import { hasUnknownOutcome } from '../store/session-view';
import type { WindowApp } from '../store/start-window';

/** How the window executes a row of `seeds/actions`. */
export interface Implementation {
  /** Whether the action is available now; always, if absent. */
  readonly available?: (app: WindowApp) => boolean;
  readonly run: (app: WindowApp) => void;
  /** Runs it with the text of a line. */
  readonly withText?: (app: WindowApp, text: string) => void;
  /** How it runs for a line, if that differs. */
  readonly byLine?: (app: WindowApp) => void;
}

function current({ mirror, view }: WindowApp) {
  const { sessionId } = view.store.getState();
  return sessionId === null ? undefined : mirror.store.getState().sessions[sessionId];
}

/** The newest turn whose run finished successfully. */
function newestDone(app: WindowApp): number | undefined {
  const session = current(app);
  return session && activePath(session).findLast(({ run }) => run?.status === 'done')?.turn;
}

/** The newest turn on the screen that a model or a run answered. */
function lastAnswer(app: WindowApp): Turn | undefined {
  const session = current(app);
  return session && lastAnswered(session);
}

/** The text of the last reply or answer on the screen. */
function lastReply(app: WindowApp): string | undefined {
  const turn = lastAnswer(app);
  return turn?.reply?.text || turn?.run?.answer || undefined;
}

/** The last turn on the screen, while a new answer to it can be asked for. */
function retriable(app: WindowApp): number | undefined {
  const session = current(app);
  const turn = lastAnswer(app);
  if (!turn || busyTurn(session) || (turn.run && hasUnknownOutcome(turn.run))) return undefined;
  return turn.turn;
}

const summary = ({ mirror, view }: WindowApp) =>
  mirror.store.getState().summaries[view.store.getState().sessionId ?? ''];

function markSession(app: WindowApp, marks: { readonly pinned: boolean }): void {
  const { sessionId } = app.view.store.getState();
  if (sessionId !== null) void app.commands.markSessions([sessionId], marks);
}

const inSession = (app: WindowApp): boolean => current(app) !== undefined;

/** Whether the window is too narrow to show the inspector beside the conversation, so that it covers it. */
function isInspectorOverlay({ mirror }: WindowApp): boolean {
  return mirror.store.getState().settings.inspectorOpen && window.matchMedia('(max-width: 899px)').matches;
}

/** Closes the topmost layer; if none is open, stops the work in progress. */
function stopOrClose(app: WindowApp): void {
  const { railOpen, find, failure } = app.view.store.getState();
  if (railOpen) return app.view.set({ railOpen: false });
  if (find) return app.view.set({ find: null });
  if (isInspectorOverlay(app)) return void app.commands.toggleInspector();
  if (busyTurn(current(app))) return void app.commands.stop();
  if (failure) app.view.set({ failure: null });
}

function deleteCurrent(app: WindowApp): void {
  const session = current(app);
  if (session) void app.commands.deleteSession(session.id);
}

/** Exports the session on the screen and says where the file is. */
async function exportSession({ commands, view }: WindowApp, format: ExportFormat): Promise<void> {
  const saved = await commands.exportSession(format);
  if (!saved.ok) return view.fail(text('store.failed.export'), saved.error);
  if (saved.value !== null) view.toast(text('store.exported', { file: saved.value }));
}

/** One implementation per id; a missing id does not compile. */
export const implementations: Readonly<Record<WindowActionId, Implementation>> = {
  'new-session': {
    run: ({ commands }) => commands.newSession(),
    byLine: (app) => {
      // The line itself has just begun a session: that is the new one.
      if ((current(app)?.turnCount ?? 0) > 1) app.commands.newSession();
    },
  },
  'search-sessions': {
    run: ({ view }) => view.set({ dialog: { kind: 'search' } }),
    withText: ({ view }, words) => view.set({ dialog: { kind: 'search', text: words } }),
  },
  find: {
    available: (app) => (current(app)?.turnCount ?? 0) > 0,
    run: ({ view }) => view.openFind(),
  },
  'previous-session': {
    run: ({ commands }) => void commands.stepSession(-1),
  },
  'next-session': {
    run: ({ commands }) => void commands.stepSession(1),
  },
  'rename-session': {
    available: inSession,
    run: (app) => {
      const session = current(app);
      if (session) app.view.set({ renaming: session.id });
    },
    withText: (app, title) => {
      const session = current(app);
      if (session) void app.commands.renameSession(session.id, title);
    },
  },
  'pin-session': {
    available: (app) => summary(app)?.marks.pinned === false,
    run: (app) => markSession(app, { pinned: true }),
  },
  'unpin-session': {
    available: (app) => summary(app)?.marks.pinned === true,
    run: (app) => markSession(app, { pinned: false }),
  },
  'copy-reply': {
    available: (app) => lastReply(app) !== undefined,
    run: (app) => void app.commands.copy(lastReply(app) ?? ''),
  },
  'retry-reply': {
    available: (app) => retriable(app) !== undefined,
    run: (app) => void app.commands.regenerate(retriable(app) ?? 0),
  },
  'retry-with-model': {
    available: (app) => retriable(app) !== undefined,
    run: (app) => app.commands.askOtherModel(retriable(app) ?? 0),
  },
  'edit-message': {
    available: (app) => lastAnswer(app) !== undefined,
    run: ({ commands }) => commands.editLast(),
  },
  'fork-session': {
    available: (app) => (current(app)?.turnCount ?? 0) > 0 && !busyTurn(current(app)),
    run: (app) => {
      const session = current(app);
      if (session) void app.commands.fork(session.head);
    },
  },
  'own-window': {
    available: (app) => inSession(app) && app.view.store.getState().ownSession === null,
    run: (app) => {
      const session = current(app);
      if (session) void app.commands.openOwnWindow(session.id);
    },
  },
  'archive-session': {
    available: (app) => current(app)?.archived === false,
    run: (app) => {
      const session = current(app);
      if (session) void app.commands.archiveSessions([session.id]);
    },
  },
  'restore-session': {
    available: (app) => current(app)?.archived === true,
    run: (app) => {
      const session = current(app);
      if (session) void app.commands.restoreSession(session.id);
    },
  },
  'delete-session': {
    available: inSession,
    run: deleteCurrent,
    // A question of the system comes first in either case.
    byLine: deleteCurrent,
  },
  'copy-session': {
    available: inSession,
    run: (app) => {
      const session = current(app);
      if (session) void app.commands.copy(exportMarkdown(session));
    },
  },
  'export-markdown': {
    available: inSession,
    run: (app) => void exportSession(app, 'md'),
  },
  'export-html': {
    available: inSession,
    run: (app) => void exportSession(app, 'html'),
  },
  'export-json': {
    available: inSession,
    run: (app) => void exportSession(app, 'json'),
  },
  'your-data': {
    run: ({ view }) => view.set({ dialog: { kind: 'settings', section: 'data' } }),
  },
  'save-recipe': {
    available: (app) => newestDone(app) !== undefined,
    run: (app) => {
      const turn = newestDone(app);
      if (turn !== undefined) app.view.set({ dialog: { kind: 'recipe', turn } });
    },
  },
  stop: {
    run: stopOrClose,
    byLine: ({ commands }) => void commands.stop(),
  },
  'toggle-ask-tools': {
    run: ({ commands }) => void commands.toggleAskTools(),
  },
  'toggle-run-mode': {
    run: ({ commands }) => void commands.toggleRunMode(),
  },
  'choose-model': {
    run: ({ view }) => view.set({ modelPickerOpen: true }),
  },
  'choose-folder': {
    run: ({ commands }) => void commands.chooseProject(),
  },
  'connect-model': {
    run: ({ view }) => view.set({ dialog: { kind: 'settings', section: 'models' } }),
  },
  'add-server': {
    run: ({ view }) => view.set({ dialog: { kind: 'settings', section: 'servers' } }),
  },
  'toggle-inspector': {
    run: ({ commands }) => void commands.toggleInspector(),
  },
  ddrs: {
    run: ({ view }) => view.set({ dialog: { kind: 'ddrs' } }),
  },
  workspace: {
    run: ({ view }) => view.set({ dialog: { kind: 'workspace' } }),
  },
  workflows: {
    run: ({ view }) => view.set({ dialog: { kind: 'workflows' } }),
  },
  'route-inspector': {
    run: ({ commands }) => commands.inspect(null, 'route'),
  },
  'reload-workflows': {
    available: (app) => current(app)?.workflow === null,
    run: (app) => void app.commands.reloadWorkflows(),
  },
  'theme-light': {
    run: ({ commands }) => void commands.changeSettings({ theme: 'light' }),
  },
  'theme-dark': {
    run: ({ commands }) => void commands.changeSettings({ theme: 'dark' }),
  },
  'theme-system': {
    run: ({ commands }) => void commands.changeSettings({ theme: 'system' }),
  },
  palette: {
    run: ({ view }) => view.set({ dialog: { kind: 'palette' } }),
  },
  settings: {
    run: ({ view }) => view.set({ dialog: { kind: 'settings', section: 'appearance' } }),
  },
  shortcuts: {
    run: ({ view }) => view.set({ dialog: { kind: 'shortcuts' } }),
  },
  help: {
    run: ({ view }) => view.set({ dialog: { kind: 'help' } }),
  },
};

/** Carries out what a line asked for; says so where that is impossible now. */
export function runRequest(app: WindowApp, { actionId, text: words }: WindowActionCall): void {
  const { available, byLine, run, withText } = implementations[actionId];
  if (words !== undefined && withText) withText(app, words);
  else if (byLine) byLine(app);
  else if (available?.(app) === false) app.view.toast(text('actions.unavailable'));
  else run(app);
}
