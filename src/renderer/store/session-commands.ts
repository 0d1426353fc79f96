import { turnAt } from '#shared/session-state';
import { activePath, newestAfter } from '#shared/turn-tree';
import { text } from '../locales/text';
import type { CommandDeps } from './command-deps';
import type { SessionCommands } from './commands';
import { createListCommands } from './list-commands';
import { groupSessions } from './session-view';
import { runModeInUse } from './run-mode-in-use';

/**
 * The project folder of the next line: the session's folder, or the one chosen for a session not yet created.
 */
export function currentProject({ mirror, view }: CommandDeps): string | null {
  const { sessionId, newProject } = view.store.getState();
  if (sessionId === null) return newProject;
  return mirror.store.getState().sessions[sessionId]?.project ?? null;
}

/** The view state that belongs to one session and resets when another opens. */
const closedPanels = {
  failure: null,
  lineContent: null,
  lineParameters: null,
  railOpen: false,
  inspected: { turn: null, tab: 'run' },
  find: null,
  focusTurn: null,
  reloaded: null,
  editing: null,
} as const;

type Navigation = Pick<SessionCommands, 'newSession' | 'openSession' | 'openOwnWindow' | 'stepSession'>;

/** Opens sessions and moves between them. */
function createNavigation(
  { bridge, mirror, view, drafts }: CommandDeps,
  markSessions: SessionCommands['markSessions'],
): Navigation {
  const { ownSession } = view.store.getState();
  const remember = (sessionId: string | null) => {
    if (ownSession === null) void bridge.invoke('settings-set', { lastSessionId: sessionId });
  };

  const look = (sessionId: string | null) => {
    view.set({ sessionId, ...closedPanels });
    view.focusComposer();
  };

  /** Switches to the branch of a turn that is not on the active path; false when that is refused. */
  async function chooseBranchOf(sessionId: string, turn: number): Promise<boolean> {
    const session = mirror.store.getState().sessions[sessionId];
    if (!session || !turnAt(session, turn)) return true;
    if (activePath(session).some((each) => each.turn === turn)) return true;
    const moved = await bridge.invoke('head-move', { sessionId, turn: newestAfter(session, turn) });
    if (!moved.ok) view.fail(text('store.failed.branch'), moved.error);
    return moved.ok;
  }

  /** Shows a session in another window if it belongs there; whether it does. */
  function showElsewhere(sessionId: string, turn?: number): boolean {
    const place = { sessionId, ...(turn !== undefined && { turn }) };
    const inMain = ownSession !== null && ownSession !== sessionId;
    const inOwn = ownSession === null && mirror.store.getState().ownWindows.includes(sessionId);
    if (inMain) void bridge.invoke('window-main', place);
    if (inOwn) void bridge.invoke('window-open', place);
    return inMain || inOwn;
  }

  function newSession(): void {
    if (ownSession !== null) return void bridge.invoke('window-main', {});
    look(null);
    remember(null);
  }

  async function openSession(sessionId: string, turn?: number): Promise<void> {
    if (showElsewhere(sessionId, turn)) return;
    look(sessionId);
    // Asked for a turn, the window must not show another part of the session first.
    if (turn === undefined) await mirror.preview(sessionId);
    // The user may have opened another session meanwhile; then this one no longer concerns the screen.
    if (view.store.getState().sessionId !== sessionId) return;
    const opened = await mirror.open(sessionId);
    if (view.store.getState().sessionId !== sessionId) return;
    if (!opened.ok) {
      look(null);
      return view.fail(text('store.failed.open'), opened.error);
    }
    remember(sessionId);
    void markSessions([sessionId], { unread: false });
    if (turn !== undefined && (await chooseBranchOf(sessionId, turn))) view.showTurn(turn);
  }
  return {
    openSession,
    newSession,
    openOwnWindow: async (sessionId) => {
      // The other window reads the draft from the storage.
      drafts.flush();
      const opened = await bridge.invoke('window-open', { sessionId });
      if (!opened.ok) return view.fail(text('store.failed.window'), opened.error);
      if (view.store.getState().sessionId === sessionId) newSession();
    },
    stepSession: async (step) => {
      const { summaries, settings } = mirror.store.getState();
      const { groups } = groupSessions(summaries, Date.now(), settings.sessionGroups);
      const order = groups.flatMap((group) => group.sessions.map(({ id }) => id));
      const { sessionId } = view.store.getState();
      const at = sessionId === null ? -1 : order.indexOf(sessionId);
      const next = order[at === -1 ? 0 : at + step];
      if (next !== undefined) await openSession(next);
    },
  };
}

type FolderCommands = Pick<SessionCommands, 'chooseProject' | 'takeProject'>;

/** Sets the folder in which a session works. */
function createFolderCommands({ bridge, view }: CommandDeps): FolderCommands {
  async function takeProject(project: string): Promise<void> {
    const { sessionId } = view.store.getState();
    if (sessionId === null) {
      view.set({ newProject: project });
    } else {
      const set = await bridge.invoke('session-set-project', { sessionId, project });
      if (!set.ok) return view.fail(text('store.failed.setFolder'), set.error);
    }
    view.set({ failure: null });
    void bridge.invoke('settings-set', { project });
    view.focusComposer();
  }
  return {
    takeProject,
    chooseProject: async () => {
      const chosen = await bridge.invoke('project-choose', undefined);
      if (!chosen.ok) return view.fail(text('store.failed.openFolder'), chosen.error);
      if (chosen.value !== null) await takeProject(chosen.value);
    },
  };
}

/** Commands for whole sessions: navigation, name, list position and folder. */
export function createSessionCommands(deps: CommandDeps): SessionCommands {
  const { bridge, mirror, view } = deps;
  const list = createListCommands(deps, {
    leaveSession: () => navigation.newSession(),
    openSession: (sessionId) => navigation.openSession(sessionId),
  });
  const navigation = createNavigation(deps, list.markSessions);
  return {
    ...navigation,
    ...list,
    ...createFolderCommands(deps),
    setInstructions: async (instructions) => {
      const { sessionId } = view.store.getState();
      if (sessionId === null) return;
      const saved = await bridge.invoke('session-instructions', { sessionId, text: instructions });
      if (!saved.ok) view.fail(text('store.failed.instructions'), saved.error);
    },
    setParameters: async (parameters) => {
      const { sessionId } = view.store.getState();
      if (sessionId === null) return;
      const saved = await bridge.invoke('session-parameters', { sessionId, parameters });
      if (!saved.ok) view.fail(text('store.failed.parameters'), saved.error);
    },
    search: (words) => bridge.invoke('session-search', { text: words }),
    similarSessions: (words) => bridge.invoke('session-similar', { text: words }),
    nearActions: (words, localModel) =>
      bridge.invoke('near-actions', {
        text: words.slice(0, 500),
        ...(localModel !== undefined && { localModel }),
      }),
    previewPrompt: () => {
      const { sessionId } = view.store.getState();
      const runMode = runModeInUse(mirror.store.getState());
      return bridge.invoke('prompt-preview', { runMode, ...(sessionId !== null && { sessionId }) });
    },
  };
}
