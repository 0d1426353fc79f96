import type { Bridge } from '#shared/ipc';
import type { Result } from '#shared/result';
import { translateActions } from '#shared/row-names';
import { rowNames, text } from '../locales/text';
import { liveRegionMessages } from './announce-changes';
import type { CommandDeps } from './command-deps';
import type { Commands } from './commands';
import { createAuthoringCommands } from './authoring-commands';
import { createControlPlaneCommands } from './control-plane-commands';
import { newSessionDraft, startingDraft, type Drafts } from './drafts';
import { announceElicitations, createElicitationCommands } from './elicitation-commands';
import { followControlPlane } from './follow-control-plane';
import { dropLeftAnswers, followLeftEdits } from './left-edits';
import { createItemCommands } from './item-commands';
import { createGrantCommands } from './grant-commands';
import { placeElicitations, placeSummaries } from './mirror-state';
import { createPictureCommands } from './picture-commands';
import { createDataCommands } from './data-commands';
import { createLocalModelCommands } from './local-model-commands';
import { createRecipeCommands } from './recipe-commands';
import { createSessionCommands } from './session-commands';
import type { SessionMirror } from './session-mirror';
import { createServerCommands } from './server-commands';
import { createSettingCommands } from './setting-commands';
import { guardUnload, restorePanels, restoreReading, type ReloadState } from './reload-state';
import { createTurnCommands } from './turn-commands';
import type { View } from './view-state';
import { createArtifactCommands } from './artifact-commands';
import { persistDraftItems } from './draft-items';
import { createInstructionCommands } from './instruction-commands';
import { createWorkspaceCommands } from './workspace-commands';

/** Everything that components use: the mirror, the view, the drafts and the commands. */
export interface WindowApp {
  readonly mirror: SessionMirror;
  readonly view: View;
  readonly drafts: Drafts;
  readonly commands: Commands;
}

export function createCommands(deps: CommandDeps): Commands {
  const sessions = createSessionCommands(deps);
  const settings = createSettingCommands(deps);
  return {
    ...sessions,
    ...createTurnCommands(deps, sessions.openSession, settings.changeSettings),
    ...settings,
    ...createServerCommands(deps),
    ...createInstructionCommands(deps),
    ...createWorkspaceCommands(deps),
    ...createArtifactCommands(deps),
    ...createItemCommands(deps),
    ...createGrantCommands(deps),
    ...createDataCommands(deps),
    ...createLocalModelCommands(deps),
    ...createPictureCommands(deps),
    ...createRecipeCommands(deps),
    ...createElicitationCommands(deps),
    ...createAuthoringCommands(deps),
    ...createControlPlaneCommands(deps, sessions.openSession),
  };
}

/** Announces changes in the session on the screen to screen readers. */
function announceTurns({ mirror, view }: WindowApp): () => void {
  return mirror.store.subscribe((after, before) => {
    const { sessionId } = view.store.getState();
    if (sessionId === null) return;
    const text = liveRegionMessages(before.sessions[sessionId], after.sessions[sessionId]);
    if (text) view.announce(text);
  });
}

/** Attaches a project file that the user takes into focus: the next line contains it. */
function attachFocus({ mirror, view, commands }: WindowApp): () => void {
  return mirror.store.subscribe((after, before) => {
    const { sessionId } = view.store.getState();
    if (sessionId === null) return;
    const [was, is] = [before.sessions[sessionId], after.sessions[sessionId]];
    const file = is?.context?.entityType === 'project_file' ? is.context.entityHeader?.id : undefined;
    if (!was || file === undefined || was.context?.entityHeader?.id === file) return;
    void commands.attach({ type: 'path', path: file }, file);
  });
}

/**
 * Loads the data of the first screen; each part appears when it arrives, and one failure does not affect the
 * others.
 */
async function readAll({ mirror, view, drafts }: WindowApp, bridge: Bridge): Promise<void> {
  const { store } = mirror;
  async function read<T>(request: Promise<Result<T>>, failed: string, apply: (value: T) => void) {
    const answer = await request;
    if (answer.ok) apply(answer.value);
    else view.fail(failed, answer.error);
  }
  const sessions = () =>
    read(bridge.invoke('session-list', {}), text('store.failed.sessions'), (list) =>
      store.setState((state) => placeSummaries(state, list)),
    );
  async function readInfo() {
    const answer = await bridge.invoke('app-info', undefined);
    if (answer.ok) {
      const actions = [...translateActions(answer.value.actions, rowNames)];
      store.setState({ info: { ...answer.value, actions }, notices: answer.value.notices });
      view.set({ newProject: answer.value.projectSuggestion });
    } else if (answer.error.kind === 'CONFIG') {
      view.set({ refused: answer.error });
      view.announce(text('startRefused.title'));
    } else {
      view.fail(text('store.failed.state'), answer.error);
    }
  }
  // Model discovery can take as long as a server needs to answer, so the window does not wait for it.
  void read(bridge.invoke('model-list', { refresh: false }), text('store.failed.models'), (models) =>
    store.setState({ models }),
  );
  void read(bridge.invoke('elicitation-list', undefined), text('store.failed.questions'), (pending) => {
    store.setState((state) => placeElicitations(state, pending));
    dropLeftAnswers({ drafts }, pending);
  });
  await Promise.all([
    sessions(),
    readInfo(),
    read(bridge.invoke('settings-get', undefined), text('store.failed.settings'), (settings) =>
      store.setState({ settings }),
    ),
  ]);
}

/** Adds what the user typed while the window started to the draft of the session that it then shows. */
function moveStartingDraft({ drafts, view }: WindowApp): void {
  const startText = drafts.read(startingDraft);
  if (startText === '') return;
  const key = view.store.getState().sessionId ?? newSessionDraft;
  const before = drafts.read(key);
  const space = before === '' || /\s$/u.test(before) ? '' : ' ';
  const start = before.length + space.length;
  const folds = [
    ...drafts.folds(key),
    ...drafts.folds(startingDraft).map(([from, to]) => [start + from, start + to] as const),
  ];
  drafts.write(key, before + space + startText, folds);
  drafts.write(startingDraft, '');
}

/**
 * Starts the window: loads the first screen, then the last open session, then what a page before this one
 * showed. Returns the function that stops it.
 */
export async function startWindow(
  app: WindowApp,
  bridge: Bridge,
  reloaded: ReloadState | null = null,
): Promise<() => void> {
  const { mirror, view, commands } = app;
  const stops = [mirror.follow(), announceTurns(app), announceElicitations(app), attachFocus(app)];
  stops.push(persistDraftItems(app), followLeftEdits(app));
  await readAll(app, bridge);
  const { settings, summaries } = mirror.store.getState();
  const { ownSession } = view.store.getState();
  const last = summaries[ownSession ?? settings.lastSessionId ?? ''];
  if (last && (ownSession !== null || !last.archived)) {
    const opening = commands.openSession(last.id);
    if (reloaded?.sessionId === last.id) restoreReading(view, reloaded);
    await opening;
  }
  stops.push(followControlPlane(app), guardUnload(app));
  moveStartingDraft(app);
  view.set({ ready: true });
  view.focusComposer();
  if (reloaded) restorePanels(view, reloaded);
  return () => stops.forEach((stop) => stop());
}
