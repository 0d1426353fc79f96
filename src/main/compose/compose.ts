import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createListeners } from '#shared/listeners';
import { neverSilentlyOffline, type ModelRef, type ProviderModels } from '#shared/model';
import { mergeParameters, modelKey } from '#shared/model-parameters';
import { ok, type Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import { lastModelOf } from '#shared/turn-tree';
import { createPriceLists } from '../adapters/llm/price-lists';
import { createProviderFile } from '../adapters/llm/provider-file';
import { createProviderStore } from '../adapters/llm/provider-store';
import { createReadAttachedFile } from '../adapters/items/read-attached-file';
import { createPdfReader } from '../adapters/pdf/pdf-reader';
import { createOutboxFolder } from '../adapters/outbox/outbox-folder';
import { createSettingsStore } from '../adapters/settings/settings-store';
import { listProjectFiles } from '../adapters/sources/list-project-files';
import { createRandomIds, pathChangedAt, userName } from '../adapters/system/machine';
import {
  checkProject,
  firstProjectFolder,
  isProjectFolder,
  repositoryOf,
} from '../adapters/system/project-folder';
import { readProjectFile } from '../adapters/system/read-project-file';
import { createSystemClock, localDay, localTime } from '../adapters/system/system-clock';
import { createSavedContents } from '../adapters/undo/saved-contents';
import { createUndoFiles } from '../adapters/undo/undo-files';
import { watchFolders } from '../adapters/workflows/watch-folders';
import { agentModeFrom } from './agent-mode';
import type { App } from '../app';
import type { CoreDeps } from './core-deps';
import { listQuickly, patchOf, sessionTextOf, symbolsOf } from './attach';
import { composeControlSocket } from './control-socket';
import { traceAskCalls } from './traces';
import { traceInterruptions } from './interrupted';
import { composeRecipeRegistry, createRecipeSaver } from './recipes';
import { composeStoredWorkspace, type StoredWorkspace } from './workspace';
import { composeSeeds, packsLeftOut } from './seeds';
import { checkPacks, checkRecipes, createDoctor } from '../diagnostics/doctor';
import {
  artifactsOf,
  checkStore,
  composeStanding,
  createBackup,
  createDdrStore,
  createItems,
  createStore,
  createWorkflowStore,
  eraseNow,
  sweepItems,
  watchStore,
} from './storage';
import type { ProcessHost } from '../adapters/process-host';
import { createAgentLoader } from './lazy-agent';
import { createModels, rememberLists, withinLimit } from './models';
import { checkStoredFiles, raiseFileNotices } from './file-notices';
import { composeEventLog, logProcess } from './event-log';
import { serverRowsOf, serverToolsOf } from './servers';
import { createNotices } from '../notices/notices';
import { packNotices } from '../notices/pack-notices';
import { priceNotice } from '../notices/price-notices';
import { unsavedNotice } from '../notices/storage-notices';
import { createPromptPreview } from '../preview/prompt-preview';
import { trackSecrets } from '../settings/known-secrets';
import { createProviders } from '../settings/providers';
import { createUsageReports } from '../settings/usage';
import { catalogSources, fixedItems, focusItems } from '../../core/control-plane/catalog-sources';
import { createApproveCall } from '../../core/control-plane/approve-call';
import { createCompactTool } from '../../core/control-plane/compact-command';
import { createUndoRunTool, lastWrites } from '../../core/control-plane/undo-command';
import { createControlPlane } from '../../core/control-plane/control-plane';
import { createInput } from '../../core/control-plane/create-input';
import { createConfirmation, createModelQuestions } from '../../core/control-plane/model-questions';
import { createDdrs } from '../../core/ddrs/create-ddrs';
import { createSendEmailTool } from '../../core/mail/send-email';
import { createModeCatalog, modeItems } from '../../core/modes/mode-catalog';
import { modeCatalogBlock, modeInstructionsBlock } from '../../core/modes/mode-instructions';
import { workContextBlock } from '../../core/modes/work-context-block';
import { createConversation, type ReplyDelta } from '../../core/session/conversation';
import { createImporter } from '../../core/session/import-chats';
import { createHistoryFit } from '../../core/session/fit-history';
import { createModelContext } from '../../core/session/model-context';
import { promptOf, type PromptTexts } from '../../core/session/prompt';
import { createRunControls } from '../../core/session/run-controls';
import { createSessionLog } from '../../core/session/session-log';
import { loadTokenCount } from '../../core/session/token-count';
import { createAttach } from '../../core/sources/attach';
import { createAttachOptions } from '../../core/sources/attach-options';
import { createSources } from '../../core/sources/create-sources';
import { providerDefinitions } from '../../core/sources/provider-definitions';
import { createUndo } from '../../core/session/undo-run';
import { createTokenEstimate } from '../../core/tools/model-usage';
import { createElicitationQueue } from '../../core/tools/elicitation-queue';
import { activeBlock } from '../../core/workflows/active-block';
import { answerOrphanedApproval } from '../../core/workflows/approval-tool';
import { bootBlock } from '../../core/workflows/boot-block';
import { createWorkflowGuard } from '../../core/workflows/guard';
import { createWorkflows } from '../../core/workflows/create-workflows';
import { checkWorkflows } from '../../core/workflows/doctor-checks';
import { createWorkflowRegistry } from '../../core/workflows/registry';
import { workflowItems } from '../../core/workflows/workflow-items';
import { modelWithId } from '../../core/sources/window-sources';
import { createWorkspace } from '../../core/workspace/create-workspace';
import { createInstructionSuggestions } from '../../core/workspace/suggest-instructions';
import { createInstructionFiles } from '../../core/workspace/instruction-files';
import { createStepMaterialSource } from '../../core/workspace/step-material-source';

const resourceMs = 60_000;

/** Builds the core from storage to the tools; each part is given only parts that already exist. */
function composeCore(coreDeps: CoreDeps, stored: StoredWorkspace): App {
  const { host, seeds, settings, notices, eventLog, clock, ids, agentMode, elicitations } = coreDeps;
  const endProcessLog = logProcess(coreDeps);
  const project = (): string | null =>
    firstProjectFolder([host.project, settings.get().project, host.startFolder]);
  const user = { userName: () => userName(host.env), localTime: () => localTime(clock.now()) };

  // Storage
  const ddrs = createDdrs({ store: createDdrStore(coreDeps), ...user });
  const workflowStore = createWorkflowStore(coreDeps);
  const onDdrChange = ddrs.items.onChange ?? (() => () => undefined);
  const registry = createWorkflowRegistry({ store: workflowStore, ddr: ddrs.read, onDdrChange });
  const store = createStore(coreDeps);
  const storeWatch = watchStore(coreDeps, store);
  const items = createItems(coreDeps);
  const log = createSessionLog({
    store,
    ids,
    workflows: registry.lockVersions,
    inherit: stored.inherit,
    items,
  });
  log.onRemoved(items.release);
  log.onRemoved(storeWatch.erase);
  const stopItemSweep = sweepItems(coreDeps, items, log);
  const { pins, grants } = composeStanding(coreDeps, store);
  const artifacts = artifactsOf(coreDeps);

  // Models
  const priceBook = createPriceLists(host.home, seeds.knownPrices);
  if (priceBook.problem) notices.raise(priceNotice(priceBook.problem));
  const listed = createModels(coreDeps, priceBook.lists);
  const priceOf = (model: ModelRef) => listed.priceOf?.(model);
  const usage = createUsageReports({
    store: store.usage,
    priceOf,
    today: () => localDay(clock.now()),
    settings,
    log,
    notices,
  });
  const stopUsage = usage.watch();
  const { models, lists: modelLists } = rememberLists(withinLimit(listed, usage.refusal));
  traceInterruptions(coreDeps, models, log);
  const askTraces = traceAskCalls(coreDeps, models, log);
  const modelsListed = createListeners<[models: readonly ProviderModels[]]>();
  const providerStore = createProviderStore({
    file: createProviderFile({ home: host.home }),
    secrets: host.secrets,
    rows: seeds.providers,
  });

  // Agent
  const undoFiles = createUndoFiles(createSavedContents(join(host.home, 'undo'), clock.now));
  const agentRuntime = createAgentLoader({ ...coreDeps, models, grants: store.grants, pins, undoFiles });
  const { agent, toolCalls } = agentRuntime;
  const questions = createModelQuestions({ log, ids, effectOfOrphan: answerOrphanedApproval });

  // Router
  const modes = createModeCatalog(seeds.modes);
  const fillers = new Map([
    ['modes', fixedItems(modeItems(modes.modes, seeds.bundled.modes))],
    ['active_focus', focusItems],
    ['last_writes', lastWrites],
    ['ddrs', ddrs.items],
    ['workflows', workflowItems(registry)],
  ]);
  const serverRows = serverRowsOf(coreDeps, agentRuntime.loaded);
  const sources = createSources({
    ...stored,
    log,
    recipes: coreDeps.recipes,
    bundledRecipes: seeds.bundled.recipes,
    serverRows,
    resources: {
      known: (folder) => agentRuntime.loaded()?.knownServers(folder) ?? null,
      open: async (folder) => (await agentRuntime.load()).resourcesOf(folder),
      onChange: (listener) => agentRuntime.onLoaded((loaded) => void loaded.onResourcesChanged(listener)),
    },
    listFiles: listProjectFiles,
    models: modelLists,
  });
  const plane = createControlPlane({
    modes,
    toolboxes: seeds.toolboxes,
    commands: seeds.commands,
    sources: [...catalogSources(seeds.catalogs, fillers), ...sources],
    clock,
    pause: () => nextTurn(undefined),
    roles: () => settings.get().roles,
    project,
  });
  const { modeOf } = plane;

  // Conversation
  const instructionFiles = createInstructionFiles({
    store: stored.adopted,
    hashOf: stored.hashOf,
    list: listQuickly,
    readFile: readProjectFile,
    repositoryOf,
    decided: (folder) => settings.get().instructionFiles[folder],
    decide: (folder, hash) =>
      settings.patch({ instructionFiles: { ...settings.get().instructionFiles, [folder]: hash } }),
    countTokens: loadTokenCount,
  });
  const steps = createStepMaterialSource({ log, snapshots: stored.snapshots });
  const texts: PromptTexts = {
    modeOf,
    modeCatalog: (mode, offered) => modeCatalogBlock(modes, mode, offered),
    modeInstructions: modeInstructionsBlock,
    workflowBoot: ({ workflowPin, workflow }, offered) =>
      bootBlock(registry.view(workflowPin), offered, workflow?.definition),
    activeWorkflow: activeBlock,
    instructions: (folder) => {
      const { instructions, projectInstructions } = settings.get();
      return { app: instructions, project: (folder !== null && projectInstructions[folder]) || '' };
    },
    projectFiles: instructionFiles.blocks,
    workContext: workContextBlock,
    material: steps.peek,
  };
  const modelContext = createModelContext({
    log,
    clock,
    ids,
    toolCalls,
    capabilities: async (folder) => (await agentRuntime.load()).policy.capabilities(folder),
    workflowGuard: createWorkflowGuard({ log, registry }),
    toolsInAsk: () => settings.get().toolsInAsk,
    approve: createApproveCall({ questions, ids, modeOf }),
    modeTools: (state, mode = modeOf(state)) => modes.getToolsForMode(mode.key),
    promptOf: (state, kind, offered, turn) => promptOf(texts, state, kind, offered, turn),
    steps,
    parameters: (state, { model, parameters }) =>
      mergeParameters(settings.get().modelOptions[modelKey(model)], state.parameters, parameters),
  });
  const history = createHistoryFit({
    log,
    models,
    estimate: createTokenEstimate(loadTokenCount),
    read: items.read,
  });
  const modelFor = (wanted: ModelRef, state: SessionState): ModelRef =>
    neverSilentlyOffline(wanted, settings.get().model, lastModelOf(state));
  const chosenModel = async () => settings.get().model ?? (await models.defaultModel());
  const deltas = createListeners<[delta: ReplyDelta]>();
  const conversation = createConversation({
    log,
    ids,
    models,
    clock,
    modelContext,
    items,
    countTokens: loadTokenCount,
    ...(agentMode.enabled && { agent }),
    modelFor,
    fit: history.fit,
    pushDelta: deltas.notify,
    onUnsaved: (sessionId, error) => notices.raise(unsavedNotice(sessionId, error)),
  });

  // Control plane, workspace and workflows, and the tools that they add
  const workflows = createWorkflows({
    ...user,
    store: workflowStore,
    registry,
    log,
    ids,
    questions,
    conversation,
    modes,
    modeOf,
    ddr: ddrs.read,
    recordHash: (ddr, id, hash) => ddrs.recordWorkflow(ddr, { id, hash }),
    changedAt: pathChangedAt,
    builtInTools: toolCalls.builtInTools,
    serverTools: serverToolsOf(project, agentRuntime.load),
  });
  const input = createInput({
    plane,
    log,
    conversation,
    questions,
    toolCalls,
    settings,
    ids,
    agentMode,
    modelById: (id) => modelWithId(modelLists.listed(), id),
    blockedReason: workflows.modeLock,
  });
  const workspace = createWorkspace({
    ...stored,
    log,
    ids,
    clock,
    notices,
    watch: (folders, listener) => watchFolders(folders).onChange(listener),
    builtInTools: toolCalls.builtInTools,
    servers: serverRows,
    listedTools: (folder) => agentRuntime.loaded()?.listedTools(folder) ?? null,
  });
  const outbox = createOutboxFolder({ folder: join(host.home, 'outbox'), now: clock.now });
  const undo = createUndo({
    log,
    clock,
    ids,
    toolCalls,
    files: undoFiles,
    pending: conversation.pending,
    capabilities: async (folder) => (await agentRuntime.load()).policy.capabilities(folder),
  });
  toolCalls.add([
    ...input.tools,
    createUndoRunTool(undo),
    createCompactTool({
      history,
      modelOf: async (sessionId) => {
        const [chosen, state] = [await chosenModel(), log.state(sessionId)];
        return state ? modelFor(chosen, state) : chosen;
      },
    }),
    ...workspace.tools,
    ddrs.tool(createConfirmation(questions)),
    ...workflows.tools,
    createSendEmailTool({ state: log.state, find: plane.find, outbox, senderName: user.userName }),
    workflows.authoring.tool,
  ]);

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
    importer: createImporter({ log, read: host.readChatFile, ids }),
    models,
    conversation,
    lines: input.lines,
    attach: createAttach({
      items,
      read: createReadAttachedFile(listProjectFiles),
      countTokens: loadTokenCount,
      diff: patchOf(agentRuntime.load),
      session: sessionTextOf(log),
      resource: async (folder, server, uri) => {
        const servers = (await agentRuntime.load()).resourcesOf(folder);
        return servers.read(server, uri, AbortSignal.timeout(resourceMs));
      },
      pdf: createPdfReader(host.startPdfProcess, clock.after),
      ...(host.resizeImage && { resize: host.resizeImage }),
    }),
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
    toolCalls,
    authoring: workflows.authoring,
    commands: input.commands,
    modelContext,
    modes,
    workflows: registry,
    workflowController: workflows.controller,
    reloadWorkflows: workflows.reload,
    providers: createProviders(
      { store: providerStore, models, rows: seeds.providers, env: host.env },
      modelsListed.notify,
    ),
    onModels: modelsListed.add,
    usage,
    prices: priceBook.all,
    recipes: () => coreDeps.recipes.all,
    recipeSaver: createRecipeSaver(coreDeps, log),
    info: () => ({
      version: host.version,
      platform: process.platform,
      agentMode,
      keychain: host.secrets.status(),
      notices: notices.all(),
      projectSuggestion: project(),
      own: {
        designRecords: existsSync(join(host.home, 'ddrs')),
        workspace: existsSync(join(host.home, 'workspaces.json')),
      },
      actions: seeds.actions,
    }),
    checkProject,
    chosenModel,
    undoCompaction: history.undo,
    previewPrompt: createPromptPreview({
      log,
      modelContext,
      modes,
      toolCalls,
      agentMode,
      agentRuntime: agentRuntime.load,
      project,
      snapshots: stored.snapshots,
    }),
    onReplyDelta: deltas.add,
    runs: createRunControls({ log, conversation, agent, grants }),
    undo,
    grants,
    pins,
    eventLog,
    artifacts,
    editApproval: agent.edit,
    agentRuntime: agentRuntime.load,
    backup: createBackup(coreDeps),
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
      stopItemSweep();
      stopUsage();
      storeWatch.stop();
      closeFileNotices();
      elicitations.close();
      workspace.suggestions.close();
      instructionSuggestions.close();
      await controlSocket.close();
      await conversation.close();
      await askTraces.close();
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
  const secrets = trackSecrets(processHost.secrets);
  const host: ProcessHost = { ...processHost, secrets };
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
  return ok(composeCore(coreDeps, stored.value));
}
