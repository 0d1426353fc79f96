import type { AppError } from '#shared/app-error';
import type { CommandDeps, SessionCommands } from './commands';
import { placeSummaries } from './mirror-state';
import { groupSessions } from './session-view';

/** The project folder the next line works in: the session's, or the one chosen for a session yet to begin. */
export function currentProject({ mirror, view }: CommandDeps): string | null {
  const { sessionId, newProject } = view.store.getState();
  if (sessionId === null) return newProject;
  return mirror.store.getState().sessions[sessionId]?.project ?? null;
}

/** Commands about whole sessions: which one is looked at, its name, its place, its folder. */
export function createSessionCommands(deps: CommandDeps): SessionCommands {
  const { bridge, mirror, view } = deps;

  const remember = (sessionId: string | null) =>
    void bridge.invoke('settings-set', { lastSessionId: sessionId });

  function newSession(): void {
    view.set({ sessionId: null, failure: null, railOpen: false, inspected: { turn: null, tab: 'run' } });
    view.focusComposer();
    remember(null);
  }

  async function openSession(sessionId: string): Promise<void> {
    view.set({ sessionId, opening: true, failure: null, railOpen: false });
    view.set({ inspected: { turn: null, tab: 'run' } });
    view.focusComposer();
    const opened = await mirror.open(sessionId);
    // Another session may have been chosen meanwhile: then this answer is no longer about what is on the screen.
    if (view.store.getState().sessionId !== sessionId) return;
    view.set({ opening: false });
    if (opened.ok) return remember(sessionId);
    view.set({ sessionId: null });
    view.fail('This session could not be opened', opened.error);
  }

  async function stepSession(step: -1 | 1): Promise<void> {
    const { groups } = groupSessions(mirror.store.getState().summaries, Date.now());
    const order = groups.flatMap((group) => group.sessions.map(({ id }) => id));
    const { sessionId } = view.store.getState();
    const at = sessionId === null ? -1 : order.indexOf(sessionId);
    const next = order[at === -1 ? (step === 1 ? 0 : -1) : at + step];
    if (next !== undefined) await openSession(next);
  }

  /** Shows a change of the list at once; main's word follows and is the same. */
  function changeSummary(sessionId: string, patch: { title?: string; archived?: boolean }): void {
    mirror.store.setState((state) => {
      const summary = state.summaries[sessionId];
      return summary ? placeSummaries(state, [{ ...summary, ...patch }]) : state;
    }, true);
  }

  async function setProject(project: string): Promise<void> {
    const { sessionId } = view.store.getState();
    if (sessionId === null) {
      view.set({ newProject: project });
    } else {
      const set = await bridge.invoke('session-set-project', { sessionId, project });
      if (!set.ok) return view.fail('The folder could not be set', set.error);
    }
    void bridge.invoke('settings-set', { project });
    view.focusComposer();
  }

  const list = createListCommands(deps, changeSummary, newSession);
  return {
    newSession,
    openSession,
    stepSession,
    ...list,
    chooseProject: async () => {
      const chosen = await bridge.invoke('project-choose', undefined);
      if (!chosen.ok) return view.fail('The folder could not be opened', chosen.error);
      if (chosen.value !== null) await setProject(chosen.value);
    },
    takeProject: setProject,
    search: (text) => bridge.invoke('session-search', { text }),
    previewPrompt: () => {
      const { sessionId } = view.store.getState();
      const runMode = mirror.store.getState().settings.mode;
      return bridge.invoke('prompt-preview', { runMode, ...(sessionId !== null && { sessionId }) });
    },
  };
}

type ChangeSummary = (sessionId: string, patch: { title?: string; archived?: boolean }) => void;

function createListCommands(
  { bridge, mirror, view }: CommandDeps,
  changeSummary: ChangeSummary,
  newSession: () => void,
): Pick<SessionCommands, 'renameSession' | 'archiveSession' | 'restoreSession'> {
  const failed = (title: string, error: AppError, undo: () => void) => {
    undo();
    view.fail(title, error);
  };

  async function restoreSession(sessionId: string): Promise<void> {
    changeSummary(sessionId, { archived: false });
    const restored = await bridge.invoke('session-restore', { sessionId });
    if (restored.ok) return;
    failed('This session could not be restored', restored.error, () =>
      changeSummary(sessionId, { archived: true }),
    );
  }

  return {
    restoreSession,
    renameSession: async (sessionId, title) => {
      const old = mirror.store.getState().summaries[sessionId]?.title ?? '';
      const name = title.trim().slice(0, 200);
      view.set({ renaming: null });
      if (name === '' || name === old) return;
      changeSummary(sessionId, { title: name });
      const renamed = await bridge.invoke('session-rename', { sessionId, title: name });
      if (renamed.ok) return;
      failed('This session could not be renamed', renamed.error, () =>
        changeSummary(sessionId, { title: old }),
      );
    },
    archiveSession: async (sessionId) => {
      changeSummary(sessionId, { archived: true });
      if (view.store.getState().sessionId === sessionId) newSession();
      const archived = await bridge.invoke('session-archive', { sessionId });
      if (archived.ok) {
        view.toast('Session archived', { label: 'Undo', run: () => void restoreSession(sessionId) });
        return;
      }
      failed('This session could not be archived', archived.error, () =>
        changeSummary(sessionId, { archived: false }),
      );
    },
  };
}
