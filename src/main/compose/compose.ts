import { usePlainIssues } from '#shared/plain-issues';
import { ok, type Result } from '#shared/result';
import { userName } from '../adapters/system/machine';
import { checkProject, firstProjectFolder } from '../adapters/system/project-folder';
import { localTime } from '../adapters/system/system-clock';
import { watchFolders } from '../adapters/workflows/watch-folders';
import type { App } from '../app';
import { composeAttach, symbolsOf } from './attach';
import { composeControlSocket } from './control-socket';
import { traceAskCalls } from './ask-traces';
import { traceInterruptions } from './interrupted';
import { createRecipeSaver } from './recipes';
import type { StoredWorkspace } from './workspace';
import {
  checkLocalModels,
  checkPacks,
  checkRecipes,
  checkSentenceEncoder,
  createDoctor,
} from '../diagnostics/doctor';
import { checkStore, composeStorage, createBackup, eraseNow } from './storage';
import type { ProcessHost } from '../adapters/process-host';
import { createAgentLoader } from './lazy-agent';
import { composeModels } from './models';
import { checkStoredFiles, raiseFileNotices } from './file-notices';
import { logProcess } from './event-log';
import { serverRowsOf } from './servers';
import { createPromptPreview } from '../preview/prompt-preview';
import { createNearActions } from '../../core/control-plane/near-actions';
import { createModelQuestions } from '../../core/control-plane/model-questions';
import { createImporter } from '../../core/session/import-chats';
import { createSessionSearch } from '../../core/session/search-sessions';
import { createRunControls } from '../../core/session/run-controls';
import { createAttachOptions } from '../../core/sources/attach-options';
import { answerOrphanedApproval } from '../../core/workflows/approval-tool';
import { checkWorkflows } from '../../core/workflows/doctor-checks';
import { createInstructionSuggestions } from '../../core/workspace/suggest-instructions';
import { composeModelContext } from './model-context';
import { composeRouter, ownKinds } from './router';
import { composeConversation } from './conversation';
import { composeTools } from './tools';
import type { CoreDeps } from './core-deps';
import { createPacks } from './packs';
import { createCoreDeps } from './create-core-deps';
import { composeSentenceEncoder } from './sentence-encoder';

/** Builds the core from storage to the tools; each part is given only parts that already exist. */
function composeCore(coreDeps: CoreDeps, stored: StoredWorkspace): App {
  const { host, seeds, settings, notices, eventLog, clock, ids, agentMode, elicitations } = coreDeps;
  const endProcessLog = logProcess(coreDeps);
  const project = (): string | null =>
    firstProjectFolder([host.project, settings.get().project, host.startFolder]);
  const user = { userName: () => userName(host.env), localTime: () => localTime(clock.now()) };

  const storage = composeStorage(coreDeps, stored, user);
  const { ddrs, registry, store, items, log, pins, grants, artifacts, undoFiles } = storage;
  const encoder = composeSentenceEncoder(coreDeps, log);
  let nearActions: ReturnType<typeof createNearActions> | undefined;
  const modelParts = composeModels(coreDeps, storage);
  const { models, localModels } = modelParts;
  traceInterruptions(coreDeps, models, log);
  const askTraces = traceAskCalls(coreDeps, models, log);
  const agentRuntime = createAgentLoader({ ...coreDeps, models, grants: store.grants, pins, undoFiles });
  const { agent, toolCalls } = agentRuntime;
  const questions = createModelQuestions({ log, ids, effectOfOrphan: answerOrphanedApproval });
  const serverRows = serverRowsOf(coreDeps, agentRuntime.loaded);
  const { modes, plane } = composeRouter(coreDeps, {
    stored,
    storage,
    agentRuntime,
    serverRows,
    modelLists: modelParts.lists,
    project,
  });

  // Conversation
  const { instructionFiles, modelContext } = composeModelContext(coreDeps, {
    stored,
    storage,
    agentRuntime,
    modes,
    modeOf: plane.modeOf,
    questions,
  });
  const conversing = composeConversation(coreDeps, { storage, models, modelContext, agent });
  const { conversation } = conversing;

  // Commands, workspace, workflows and undo, and the tools that they add
  const { input, workflows, workspace, undo } = composeTools(coreDeps, {
    stored,
    storage,
    lists: modelParts.lists,
    agentRuntime,
    serverRows,
    modes,
    plane,
    questions,
    conversing,
    user,
    project,
  });
  const instructionSuggestions = createInstructionSuggestions({
    files: instructionFiles,
    projectOf: (sessionId) => (sessionId === null ? project() : (log.state(sessionId)?.project ?? project())),
    watch: (folders, listener) => watchFolders(folders).onChange(listener),
    clock,
    raise: notices.raise,
    withdraw: notices.withdraw,
  });

  // Connections to the user and to other processes
  const controlSocket = composeControlSocket({ host, log, workspace: workspace.controller, notices });
  const files = { registry, folders: stored.folders, ddrs, snapshots: stored.store, project };
  const closeFileNotices = raiseFileNotices(coreDeps, files);
  return {
    settings,
    notices,
    log,
    sessionScans: storage.sessionScans,
    importer: createImporter({ log, read: host.readChatFile, ids }),
    models,
    conversation,
    lines: input.lines,
    attach: composeAttach(coreDeps, storage, agentRuntime.load),
    instructionFiles,
    attachOptions: createAttachOptions(plane.page, symbolsOf(agentRuntime.load), project),
    readItem: items.read,
    agentMode,
    project,
    elicitations,
    workspace: workspace.controller,
    controlSocket,
    syncSuggestions: workspace.suggestions,
    instructionSuggestions,
    plane,
    sessionSearch: createSessionSearch({ log, encoder, clock }),
    // The patterns of all actions are only read once somebody asks.
    nearActions: (line, localModel) =>
      (nearActions ??= createNearActions({
        ...seeds,
        nouns: plane.nouns,
        recipes: () => coreDeps.recipes.all,
        encoder,
        models,
      })).near(line, localModel),
    toolCalls,
    authoring: workflows.authoring,
    commands: input.commands,
    modelContext,
    modes,
    workflows: registry,
    workflowController: workflows.controller,
    reloadWorkflows: workflows.reload,
    providers: modelParts.providers,
    localModels,
    onModels: modelParts.onModels,
    usage: modelParts.usage,
    prices: modelParts.prices,
    recipes: () => coreDeps.recipes.all,
    recipeProblem: (id, params, sessionId) => {
      const state = sessionId === undefined ? null : log.peek(sessionId);
      const folder = state?.ok ? state.value.project : project();
      const found = coreDeps.recipes.byId(id, params, folder ?? host.home);
      return found.ok ? null : found.error;
    },
    recipeSaver: createRecipeSaver(coreDeps, log),
    info: () => ({
      version: host.version,
      platform: process.platform,
      agentMode,
      keychain: host.secrets.status(),
      notices: notices.all(),
      projectSuggestion: project(),
      own: ownKinds(host.home),
      actions: seeds.actions,
      sentenceEncoder: encoder.state() !== 'not-installed',
    }),
    checkProject,
    chosenModel: conversing.chosenModel,
    undoCompaction: conversing.history.undo,
    previewPrompt: createPromptPreview({
      log,
      modelContext,
      modes,
      toolCalls,
      agentMode,
      agentRuntime: agentRuntime.load,
      chosenModel: conversing.chosenModel,
      models,
      project,
      snapshots: stored.snapshots,
    }),
    onReplyDelta: conversing.onReplyDelta,
    runs: createRunControls({ log, conversation, agent, grants }),
    undo,
    grants,
    pins,
    eventLog,
    artifacts,
    editApproval: agent.edit,
    agentRuntime: agentRuntime.load,
    backup: createBackup(coreDeps),
    packs: createPacks(coreDeps),
    eraseDeleted: () => eraseNow(coreDeps, store),
    doctor: createDoctor({
      eventLog,
      host,
      models,
      project,
      agentRuntime: agentRuntime.load,
      log,
      artifacts,
      rows: () => [
        checkLocalModels(localModels.view()),
        checkSentenceEncoder(encoder.state()),
        ...checkPacks(seeds.packs),
        ...checkWorkflows(registry),
        ...checkStoredFiles({ ddrs, snapshots: stored.store }),
        checkRecipes(coreDeps.recipes),
      ],
      workspace: workspace.check,
      instructions: instructionFiles.find,
      checkSessions: () => checkStore(coreDeps, store),
    }),
    /** Closes the writers first, and the log they write to last. */
    async close() {
      storage.stopWatching();
      modelParts.stopUsage();
      closeFileNotices();
      elicitations.close();
      workspace.suggestions.close();
      instructionSuggestions.close();
      await controlSocket.close();
      await conversation.close();
      await askTraces.close();
      localModels.close();
      encoder.unload();
      await agentRuntime.close();
      plane.close();
      registry.close();
      log.close();
      endProcessLog();
    },
  };
}

/**
 * The composition root: builds the adapters and passes them to their users. Errors: CONFIG/INVALID for a
 * seed, a mode or an id that breaks a startup rule. Any other unreadable file disables only its own feature,
 * and a notice reports it.
 */
export function compose(processHost: ProcessHost): Result<App> {
  usePlainIssues();
  const base = createCoreDeps(processHost);
  return base.ok ? ok(composeCore(base.value.coreDeps, base.value.stored)) : base;
}
