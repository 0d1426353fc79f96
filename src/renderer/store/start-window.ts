import type { Bridge } from '#shared/ipc';
import type { AppError } from '#shared/app-error';
import type { Result } from '#shared/result';
import { changesWorthSaying } from './announce-changes';
import type { Commands, CommandDeps } from './commands';
import type { Drafts } from './drafts';
import { placeSummaries } from './mirror-state';
import { createSessionCommands } from './session-commands';
import type { SessionMirror } from './session-mirror';
import { createSettingCommands } from './setting-commands';
import { createTurnCommands } from './turn-commands';
import type { View } from './view-state';

/** Everything the components reach: the mirror, the view, the drafts and what can be done. */
export interface WindowApp {
  readonly mirror: SessionMirror;
  readonly view: View;
  readonly drafts: Drafts;
  readonly commands: Commands;
}

/** Puts the commands together. */
export function createCommands(deps: CommandDeps): Commands {
  return { ...createSessionCommands(deps), ...createTurnCommands(deps), ...createSettingCommands(deps) };
}

/** Says aloud what ended in the session on the screen. */
function announceTurns({ mirror, view }: WindowApp): () => void {
  return mirror.store.subscribe((after, before) => {
    const { sessionId } = view.store.getState();
    if (sessionId === null) return;
    const text = changesWorthSaying(before.sessions[sessionId], after.sessions[sessionId]);
    if (text) view.announce(text);
  });
}

/** Reads what the first screen needs, all at once, and opens the session that was open last. */
export async function startWindow(app: WindowApp, bridge: Bridge): Promise<() => void> {
  const { mirror, view, commands } = app;
  const { store } = mirror;
  const stops = [mirror.follow(), announceTurns(app)];
  /** The rest of the window still works when one of these calls does not. */
  const take = <T>(title: string, result: Result<T, AppError>, use: (value: T) => void) =>
    result.ok ? use(result.value) : view.fail(title, result.error);

  const modelsListed = bridge
    .invoke('model-list', { refresh: false })
    .then((models) =>
      take('The models could not be listed', models, (value) => store.setState({ models: value })),
    );
  const [info, settings, sessions, archived] = await Promise.all([
    bridge.invoke('app-info', undefined),
    bridge.invoke('settings-get', undefined),
    bridge.invoke('session-list', { archived: false }),
    bridge.invoke('session-list', { archived: true }),
  ]);
  take('Patina could not read its own state', info, (value) =>
    store.setState({ info: value, notices: value.notices }),
  );
  take('The settings could not be read', settings, (value) => store.setState({ settings: value }));
  for (const list of [sessions, archived]) {
    take('The sessions could not be listed', list, (value) =>
      store.setState((state) => placeSummaries(state, value)),
    );
  }
  const { settings: known, summaries } = store.getState();
  view.set({ newProject: known.project });
  const last = known.lastSessionId === null ? undefined : summaries[known.lastSessionId];
  if (last && !last.archived) await commands.openSession(last.id);
  view.set({ ready: true });
  view.focusComposer();
  void modelsListed;
  return () => stops.forEach((stop) => stop());
}
