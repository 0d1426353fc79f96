import type { SessionSummary } from '#shared/session-state';
import { text } from '../locales/text';
import type { CommandDeps } from './command-deps';
import type { SessionCommands } from './commands';
import { instructionsDraft } from './drafts';
import { dropSession, placeSummaries } from './mirror-state';

type ListCommands = Pick<
  SessionCommands,
  | 'renameSession'
  | 'archiveSessions'
  | 'restoreSession'
  | 'markSessions'
  | 'repairSession'
  | 'canRepairSession'
  | 'deleteSession'
>;

const titleLength = 200;

interface Navigation {
  readonly leaveSession: () => void;
  readonly openSession: (sessionId: string) => Promise<void>;
}

/** Commands for the session list. Each applies optimistically and rolls back when main refuses. */
export function createListCommands(
  { bridge, mirror, view, drafts }: CommandDeps,
  { leaveSession, openSession }: Navigation,
): ListCommands {
  function change(sessionId: string, patch: Partial<SessionSummary>): void {
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
    view.fail(text('store.failed.restore'), restored.error);
  }

  /** Restores sessions, and shows the one that was on the screen unless the user has opened another since. */
  function undoArchive(sessionIds: readonly string[], left: string | null): void {
    for (const sessionId of sessionIds) void restoreSession(sessionId);
    if (left !== null && sessionIds.includes(left) && view.store.getState().sessionId === null)
      void openSession(left);
  }

  return {
    restoreSession,
    repairSession: async (sessionId) => {
      const title = text('store.failed.repair');
      const repaired = await bridge.invoke('session-repair', { sessionId });
      if (!repaired.ok) return view.fail(title, repaired.error);
      change(sessionId, { damaged: repaired.value.damaged });
      // The repair adds events under the same numbers, so only a new snapshot can show them.
      mirror.store.setState((state) => dropSession(state, sessionId), true);
      const opened = await mirror.open(sessionId);
      if (!opened.ok) return view.fail(title, opened.error);
      const { restored, damaged } = repaired.value;
      view.toast(text('store.session.repaired', { restored, damaged }));
    },
    canRepairSession: async (sessionId) => {
      const restorable = await bridge.invoke('session-restorable', { sessionId });
      return !restorable.ok || restorable.value > 0;
    },
    deleteSession: async (sessionId) => {
      const removed = await bridge.invoke('session-delete', { sessionId });
      if (!removed.ok) return view.fail(text('store.failed.delete'), removed.error);
      if (!removed.value.deleted) return;
      if (view.store.getState().sessionId === sessionId) leaveSession();
      drafts.write(sessionId, '');
      drafts.write(instructionsDraft(sessionId), '');
      drafts.dropEdits(sessionId);
      view.toast(text('store.session.deleted'));
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
      view.fail(text('store.failed.rename'), renamed.error);
    },
    archiveSessions: async (sessionIds) => {
      const current = view.store.getState().sessionId;
      if (current !== null && sessionIds.includes(current)) leaveSession();
      for (const sessionId of sessionIds) change(sessionId, { archived: true });
      const archived: string[] = [];
      for (const sessionId of sessionIds) {
        const answer = await bridge.invoke('session-archive', { sessionId });
        if (answer.ok) archived.push(sessionId);
        else {
          change(sessionId, { archived: false });
          view.fail(text('store.failed.archive'), answer.error);
        }
      }
      if (archived.length === 0) return;
      view.toast(text('store.session.archived', { count: archived.length }), {
        label: text('store.undo'),
        run: () => undoArchive(archived, current),
      });
    },
    markSessions: async (sessionIds, marks) => {
      const { summaries } = mirror.store.getState();
      const wanted = Object.entries(marks) as [keyof typeof marks, boolean][];
      for (const sessionId of sessionIds) {
        const before = summaries[sessionId]?.marks;
        // Setting a mark that a session already has records no event.
        if (!before || wanted.every(([name, value]) => before[name] === value)) continue;
        change(sessionId, { marks: { ...before, ...marks } });
        const marked = await bridge.invoke('session-mark', { sessionId, ...marks });
        if (marked.ok) continue;
        change(sessionId, { marks: before });
        view.fail(text('store.failed.mark'), marked.error);
      }
    },
  };
}
