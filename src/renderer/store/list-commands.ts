import type { CommandDeps } from './command-deps';
import type { SessionCommands } from './commands';
import { placeSummaries } from './mirror-state';

type ListCommands = Pick<
  SessionCommands,
  'renameSession' | 'archiveSession' | 'restoreSession' | 'deleteSession'
>;

const titleLength = 200;

/** Commands about the list of sessions. Each shows at once and is taken back when main says no. */
export function createListCommands(
  { bridge, mirror, view, drafts }: CommandDeps,
  leaveSession: () => void,
): ListCommands {
  function change(sessionId: string, patch: { title?: string; archived?: boolean }): void {
    mirror.store.setState((state) => {
      const summary = state.summaries[sessionId];
      return summary ? placeSummaries(state, [{ ...summary, ...patch }]) : state;
    }, true);
  }

  async function restoreSession(sessionId: string): Promise<void> {
    change(sessionId, { archived: false });
    const restored = await bridge.invoke('session-restore', { sessionId });
    if (restored.ok) return;
    change(sessionId, { archived: true });
    view.fail('This session could not be restored', restored.error);
  }

  return {
    restoreSession,
    deleteSession: async (sessionId) => {
      const asked = await bridge.invoke('session-delete', { sessionId });
      if (!asked.ok) return view.fail('This session could not be deleted', asked.error);
      if (!asked.value.deleted) return;
      if (view.store.getState().sessionId === sessionId) leaveSession();
      drafts.write(sessionId, '');
      view.toast('Session deleted');
    },
    renameSession: async (sessionId, title) => {
      const old = mirror.store.getState().summaries[sessionId]?.title ?? '';
      const name = title.trim().slice(0, titleLength);
      view.set({ renaming: null });
      if (name === '' || name === old) return;
      change(sessionId, { title: name });
      const renamed = await bridge.invoke('session-rename', { sessionId, title: name });
      if (renamed.ok) return;
      change(sessionId, { title: old });
      view.fail('This session could not be renamed', renamed.error);
    },
    archiveSession: async (sessionId) => {
      change(sessionId, { archived: true });
      if (view.store.getState().sessionId === sessionId) leaveSession();
      const archived = await bridge.invoke('session-archive', { sessionId });
      if (archived.ok) {
        view.toast('Session archived', { label: 'Undo', run: () => void restoreSession(sessionId) });
        return;
      }
      change(sessionId, { archived: false });
      view.fail('This session could not be archived', archived.error);
    },
  };
}
