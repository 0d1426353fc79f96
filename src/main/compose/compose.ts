import { join, resolve } from 'node:path';
import { appError } from '#shared/app-error';
import type { AppInfo } from '#shared/ipc';
import { neverSilentlyOffline, offlineProviderId, type ProviderModels } from '#shared/model';
import { err, ok, type Result } from '#shared/result';
import type { WorkflowVersionLock } from '#shared/workflow';
import { lastModelOf } from '#shared/session-state';
import { createModelClient } from '../adapters/llm/model-client';
import { createOfflineProvider } from '../adapters/llm/offline-provider';
import { createProviderFile } from '../adapters/llm/provider-file';
import { createProviderStore } from '../adapters/llm/provider-store';
import { createSettingsStore } from '../adapters/settings/settings-store';
import { firstProjectFolder, isProjectFolder } from '../adapters/system/project-folder';
import { createRandomIds } from '../adapters/system/random-ids';
import { createSystemClock } from '../adapters/system/system-clock';
import { agentModeFrom } from './agent-mode';
import type { AgentRuntime, App } from '../app';
import type { AgentCoreDeps, CoreDeps } from './core-deps';
import { composeControlPlane, type ComposedControlPlane } from './control-plane';
import { traceAskCalls } from './ask-traces';
import { traceInterruptions } from './interrupted';
import { composeRecipeRegistry, recipesOf } from './recipes';
import { artifactsOf } from './artifacts';
import { composeSources } from './sources';
import {
  composeStoredWorkspace,
  composeWorkspace,
  type StoredWorkspace,
  type WorkspaceRuntime,
} from './workspace';
import { composeSeeds, packsLeftOut } from './seeds';
import { checkPacks, checkRecipes, createDoctor } from '../diagnostics/doctor';
import { checkStore, composeStanding, createStore, eraseNow, watchStore } from './store';
import type { ProcessHost } from '../adapters/process-host';
import { createLazyAgent } from './lazy-agent';
import { createElicitationQueue } from '../../core/tools/elicitation-queue';
import { createNotices } from '../notices/notices';
import { checkStoredFiles, raiseFileNotices } from './file-notices';
import { composeEventLog, logProcess } from './event-log';
import { packNotices } from '../notices/pack-notices';
import type { ModelClient } from '../../core/ports/llm';
import { createPromptPreview } from '../preview/prompt-preview';
import { createProviders } from '../settings/providers';
import { providerDefinitions } from '../../core/sources/provider-definitions';
import { createConversation, type ReplyDelta } from '../../core/session/conversation';
import { trackSecrets } from '../settings/known-secrets';
import { createRunControls } from '../../core/session/run-controls';
import { createSessionLog, type SessionLog } from '../../core/session/session-log';
import { loadTokenCount } from '../../core/session/token-count';
import { unsavedNotice } from '../notices/storage-notices';
import { checkWorkflows } from '../../core/workflows/doctor-checks';
import { createStepMaterialSource } from '../../core/workspace/step-material-source';
import type { WorkspaceController } from '../../core/workspace/workspace-controller';

/**
 * The offline provider never silently replaces configured providers that fail: a line for it ends with the
 * reason.
 */
function withoutSilentOffline(models: ModelClient, settings: CoreDeps['settings']): ModelClient {
  const setupProblem = () =>
    settings.get().model?.providerId === offlineProviderId ? null : models.setupProblem();
  return {
    ...models,
    setupProblem,
    async *stream(request, signal) {
      const problem = request.model.providerId === offlineProviderId ? setupProblem() : null;
      if (problem) yield { type: 'error', error: problem, unanswered: true };
      else yield* models.stream(request, signal);
    },
  };
}

function createModels({ host, recipes, clock, agentMode, settings }: CoreDeps): ModelClient {
  const offline = createOfflineProvider({
    matchRecipes: recipes.suggest,
    facts: () => ({ recipes: recipes.all, agentMode }),
  });
  const discovery = host.env['PATINA_DISCOVERY'] === 'off' ? { localServers: [] } : {};
  const models = createModelClient({
    home: host.home,
    env: host.env,
    secrets: host.secrets,
    clock,
    offline,
    ...discovery,
  });
  return withoutSilentOffline(models, settings);
}

function createListeners<T>() {
  const listeners = new Set<(value: T) => void>();
  return {
    tell: (value: T) => listeners.forEach((listener) => listener(value)),
    add: (listener: (value: T) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Loads the agent runtime once. It is a separate chunk so that neither the start nor Ask pays for it. */
function createAgentLoader(coreDeps: Omit<AgentCoreDeps, 'models'>, models: ModelClient) {
  let loading: Promise<AgentRuntime> | null = null;
  let side: AgentRuntime | null = null;
  const listeners = createListeners<AgentRuntime>();
  const start = async (): Promise<AgentRuntime> => {
    const chunk = await import('./agent');
    side = chunk.composeAgent({ ...coreDeps, models });
    listeners.tell(side);
    return side;
  };
  return {
    load: () => (loading ??= start()),
    loaded: () => side,
    onLoaded: listeners.add,
    close: async () => (await loading)?.close(),
  };
}

function checkProject(folder: string): Result<string> {
  if (isProjectFolder(folder)) return ok(resolve(folder));
  return err(
    appError('HOST', 'INVALID_INPUT', `${folder} cannot be a project folder.`, {
      hint: 'Choose an existing folder that is neither the root nor your home folder.',
    }),
  );
}

function createInfo(
  { host, notices, agentMode, seeds }: CoreDeps,
  project: () => string | null,
): () => AppInfo {
  return () => ({
    version: host.version,
    platform: process.platform,
    agentMode,
    keychain: host.secrets.status(),
    notices: notices.all(),
    projectSuggestion: project(),
    actions: seeds.actions,
  });
}

interface Closing extends Pick<CoreDeps, 'elicitations'> {
  readonly conversation: { readonly close: () => Promise<void> };
  readonly askTraces: { readonly close: () => Promise<void> };
  readonly agentLoader: { readonly close: () => Promise<void> };
  readonly control: ComposedControlPlane;
  readonly shelf: WorkspaceRuntime;
  readonly log: SessionLog;
  readonly stopWatching: () => void;
  readonly closeFileNotices: () => void;
  readonly endProcessLog: () => void;
}

/** Closes the writers first, and the log they write to last. */
function closing(ended: Closing): () => Promise<void> {
  const { elicitations, conversation, askTraces, agentLoader, control, shelf, log, stopWatching } = ended;
  return async () => {
    stopWatching();
    ended.closeFileNotices();
    elicitations.close();
    await shelf.close();
    await conversation.close();
    await askTraces.close();
    await agentLoader.close();
    control.plane.close();
    control.workflows.registry.close();
    log.close();
    ended.endProcessLog();
  };
}

/** The part of the control plane that both entry points use. */
const entryPoints = ({ plane, hostCalls, authoring, workflows, commands, host }: ComposedControlPlane) => ({
  plane,
  hostCalls,
  authoring,
  commands,
  callAsModel: host.carryOut,
  modelLists: host.lists,
  modes: plane.modes,
  workflows: workflows.registry,
  workflowController: workflows.controller,
  reloadWorkflows: workflows.reload,
});

function assemble(coreDeps: CoreDeps, stored: StoredWorkspace): App {
  const { host, settings, notices, clock, ids, agentMode, elicitations } = coreDeps;
  let published: () => WorkflowVersionLock = () => ({});
  const endProcessLog = logProcess(coreDeps);
  const store = createStore(coreDeps);
  const storeWatch = watchStore(coreDeps, store);
  const log = createSessionLog({ store, ids, workflows: () => published(), inherit: stored.inherit });
  log.onRemoved(storeWatch.erase);
  const { pins, grants } = composeStanding(coreDeps, store);
  const steps = createStepMaterialSource({ log, snapshots: stored.snapshots });
  const models = createModels(coreDeps);
  traceInterruptions(coreDeps, models, log);
  const askTraces = traceAskCalls(coreDeps, models, log);
  const deltas = createListeners<ReplyDelta>();
  const lists = createListeners<readonly ProviderModels[]>();
  const agentLoader = createAgentLoader({ ...coreDeps, grants: store.grants, pins }, models);
  const agent = createLazyAgent(async () => (await agentLoader.load()).agent);
  const project = (): string | null =>
    firstProjectFolder([host.project, settings.get().project, host.startFolder]);
  const providers = composeSources(coreDeps, log, { agent: agentLoader, stored });
  const agentRuntime = agentLoader.load;
  const workspace: Pick<WorkspaceController, 'call'> = { call: (call) => shelf.controller.call(call) };
  const control = composeControlPlane({ coreDeps, log, project, providers, agentRuntime, steps, workspace });
  published = control.workflows.registry.pin;
  const closeFileNotices = raiseFileNotices(coreDeps, {
    registry: control.workflows.registry,
    folders: stored.folders,
    ddrs: control.ddrs,
    snapshots: stored.store,
    project,
  });
  const conversation = createConversation({
    log,
    models,
    clock,
    host: control.host,
    countTokens: loadTokenCount,
    ...(agentMode.enabled && { agent }),
    modelFor: (wanted, state) => neverSilentlyOffline(wanted, settings.get().model, lastModelOf(state)),
    pushDelta: deltas.tell,
    onUnsaved: (sessionId, error) => notices.raise(unsavedNotice(sessionId, error)),
  });
  const lines = control.serve(conversation);
  const shelf = composeWorkspace({ coreDeps, stored, log, control, agentRuntime: agentLoader.loaded });
  const file = createProviderFile({ home: host.home });
  return {
    settings,
    notices,
    log,
    models,
    conversation,
    lines,
    agentMode,
    project,
    elicitations,
    workspace: shelf.controller,
    controlSocket: shelf.controlSocket,
    syncSuggestions: shelf.suggestions,
    ...entryPoints(control),
    providers: createProviders(createProviderStore({ file, secrets: host.secrets }), models, lists.tell),
    onModels: lists.add,
    ...recipesOf(coreDeps, log),
    info: createInfo(coreDeps, project),
    checkProject,
    chosenModel: async () => settings.get().model ?? (await models.defaultModel()),
    previewPrompt: createPromptPreview({
      log,
      control,
      agentMode,
      agentRuntime: agentLoader.load,
      project,
      snapshots: stored.snapshots,
    }),
    onReplyDelta: deltas.add,
    runs: createRunControls({ log, conversation, agent, grants }),
    grants,
    pins,
    eventLog: coreDeps.eventLog,
    artifacts: artifactsOf(coreDeps),
    editApproval: agent.edit,
    agentRuntime: agentLoader.load,
    eraseDeleted: () => eraseNow(coreDeps, store),
    doctor: createDoctor({
      eventLog: coreDeps.eventLog,
      host,
      models,
      project,
      agentRuntime: agentLoader.load,
      log,
      artifacts: artifactsOf(coreDeps),
      rows: () => [
        ...checkPacks(coreDeps.seeds.packs),
        ...checkWorkflows(control.workflows.registry),
        ...checkStoredFiles({ ddrs: control.ddrs, snapshots: stored.store }),
        checkRecipes(coreDeps.recipes),
      ],
      workspace: shelf.check,
      checkSessions: () => checkStore(coreDeps, store),
    }),
    close: closing({
      elicitations,
      conversation,
      askTraces,
      agentLoader,
      control,
      shelf,
      log,
      stopWatching: storeWatch.stop,
      closeFileNotices,
      endProcessLog,
    }),
  };
}

/**
 * The composition root: builds the adapters and passes them to their users. Errors: CONFIG/INVALID for a
 * seed, a mode or an id that breaks a startup rule. Any other unreadable file disables only its own feature,
 * and a notice reports it.
 */
export function compose(given: ProcessHost): Result<App> {
  const secrets = trackSecrets(given.secrets);
  const host: ProcessHost = { ...given, secrets };
  const without = packsLeftOut(host.env);
  const seeds = composeSeeds(host.seeds, {
    packsFolder: join(host.home, 'packs'),
    without,
    providers: providerDefinitions,
  });
  if (!seeds.ok) return seeds;
  const clock = createSystemClock();
  const settings = createSettingsStore({ home: host.home, createConf: host.createConf, now: clock.now });
  // Opening a folder in the app makes it the current project; the command line only visits it.
  if (host.kind === 'app' && host.project !== null && isProjectFolder(host.project)) {
    settings.patch({ project: host.project });
  }
  const stored = composeStoredWorkspace(host);
  if (!stored.ok) return stored;
  const ids = createRandomIds();
  const notices = createNotices([...settings.notices, ...packNotices(seeds.value.packs)]);
  const base = { host, seeds: seeds.value, notices };
  const seen = { knownSecrets: secrets.known, clock };
  const coreDeps: CoreDeps = {
    ...base,
    ...seen,
    recipes: composeRecipeRegistry(base, without),
    settings,
    ids,
    eventLog: composeEventLog({ host, ...seen }),
    elicitations: createElicitationQueue(ids),
    agentMode: agentModeFrom(host.env['PATINA_AGENT_MODE']),
  };
  return ok(assemble(coreDeps, stored.value));
}
