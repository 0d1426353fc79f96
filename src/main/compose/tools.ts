import { pathChangedAt } from '../adapters/system/machine';
import { watchFolders } from '../adapters/workflows/watch-folders';
import type { CoreDeps } from './core-deps';
import type { StoredWorkspace } from './workspace';
import { serverToolsOf } from './servers';
import { createCompactTool } from '../../core/control-plane/compact-command';
import { createUndoRunTool } from '../../core/control-plane/undo-command';
import { createInput } from '../../core/control-plane/create-input';
import { createConfirmation } from '../../core/control-plane/model-questions';
import { createSendEmailTool } from '../../core/mail/send-email';
import { createUndo } from '../../core/session/undo-run';
import { createWorkflows } from '../../core/workflows/create-workflows';
import { modelWithId, type ModelLists } from '../../core/sources/window-sources';
import { createWorkspace } from '../../core/workspace/create-workspace';
import type { SourcesDeps } from '../../core/sources/create-sources';
import type { ModelQuestions } from '../../core/control-plane/model-questions';
import type { DdrsDeps } from '../../core/ddrs/create-ddrs';
import type { Conversing } from './conversation';
import type { AgentLoader } from './lazy-agent';
import type { Storage } from './storage';
import type { ModeCatalog } from '../../core/modes/mode-catalog';
import type { ControlPlane } from '../../core/control-plane/control-plane';

interface ToolParts {
  readonly stored: StoredWorkspace;
  readonly storage: Storage;
  readonly lists: ModelLists;
  readonly agentRuntime: AgentLoader;
  readonly serverRows: SourcesDeps['serverRows'];
  readonly modes: ModeCatalog;
  readonly plane: ControlPlane;
  readonly questions: ModelQuestions;
  readonly conversing: Conversing;
  readonly user: Pick<DdrsDeps, 'userName' | 'localTime'>;
  readonly project: () => string | null;
}

/** Builds the commands, the workspace, the workflows and undo, and gives models the tools that they add. */
export function composeTools({ settings, notices, clock, ids, agentMode }: CoreDeps, parts: ToolParts) {
  const { stored, storage, lists, agentRuntime, serverRows, modes, plane, questions, user, project } = parts;
  const { ddrs, workflowStore, registry, log, undoFiles } = storage;
  const { toolCalls } = agentRuntime;
  const { modeOf } = plane;
  const { conversation, history, modelFor, chosenModel } = parts.conversing;
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
    modelById: (id) => modelWithId(lists.listed(), id),
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
        const [chosen, state] = [await chosenModel(sessionId), log.state(sessionId)];
        return state ? modelFor(chosen, state) : chosen;
      },
    }),
    ...workspace.tools,
    ddrs.tool(createConfirmation(questions)),
    ...workflows.tools,
    createSendEmailTool({
      state: log.state,
      find: plane.find,
      outbox: storage.outbox,
      senderName: user.userName,
    }),
    workflows.authoring.tool,
  ]);
  return { workflows, input, workspace, undo };
}
