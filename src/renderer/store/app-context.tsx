import type { SessionState } from '#shared/session-state';
import { createContext, use } from 'react';
import { useStore } from 'zustand';
import type { Commands } from './commands';
import { liveKey } from './live-replies';
import type { MirrorState } from './mirror-state';
import { runModeInUse } from './run-mode-in-use';
import type { WindowApp } from './start-window';
import type { ViewState } from './view-state';

export const AppContext = createContext<WindowApp | null>(null);

/** The window's parts; a component outside the app is a bug. */
export function useApp(): WindowApp {
  const app = use(AppContext);
  if (!app) throw new Error('A component was drawn outside the app.');
  return app;
}

/** Selects part of main's state; the component renders again only when that part changes. */
export function useMirror<T>(select: (state: MirrorState) => T): T {
  return useStore(useApp().mirror.store, select);
}

/** Selects part of the window's own state. */
export function useView<T>(select: (state: ViewState) => T): T {
  return useStore(useApp().view.store, select);
}

export function useCommands(): Commands {
  return useApp().commands;
}

/** Selects from the session on the screen once it is fully loaded. */
export function useCurrentSession<T>(select: (session: SessionState | undefined) => T): T {
  const sessionId = useView((view) => view.sessionId);
  return useMirror((mirror) => select(sessionId === null ? undefined : mirror.sessions[sessionId]));
}

/** The text of a streaming reply in the session on the screen (`UseLive` of the conversation). */
export function useLiveText(turn: number): string | undefined {
  const sessionId = useView((view) => view.sessionId);
  return useMirror((mirror) =>
    sessionId === null ? undefined : mirror.live[liveKey(sessionId, turn)]?.text,
  );
}

/**
 * The project folder of the next line: the session's folder, or the one chosen for a session not yet created.
 */
export function useProject(): string | null {
  const newProject = useView((view) => (view.sessionId === null ? view.newProject : null));
  const own = useCurrentSession((session) => session?.project ?? null);
  return own ?? newProject;
}

/** Whether the next line starts a run and Agent Mode is allowed. */
export function useAgentMode(): boolean {
  return useMirror((mirror) => runModeInUse(mirror) === 'agent');
}
