import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { appError } from '#shared/app-error';
import { err } from '#shared/result';
import { turnAt, type SessionState } from '#shared/session-state';
import type { AgentMode } from '#shared/mode';
import { modeItems } from '../../core/modes/mode-items';
import { createModeCatalog, type ModeCatalog } from '../../core/modes/mode-catalog';
import { modeCatalogBlock, modeInstructionsBlock } from '../../core/modes/mode-instructions';
import { workContextBlock } from '../../core/modes/work-context-block';
import { createOutboxFolder } from '../adapters/outbox/outbox-folder';
import { userName } from '../adapters/system/user-name';
import { composeAuthoring, composeWorkflowStore } from './authoring';
import { composeDdrs } from './ddrs';
import { composeModelCalls, composeServerCalls } from './server-calls';
import { composeWorkflows, type WorkflowRuntime } from './workflows';
import {
  catalogSources,
  fixedItems,
  focusItems,
  type CatalogFiller,
} from '../../core/control-plane/catalog-sources';
import { createChangeModeTool, type MoveToSession } from '../../core/control-plane/change-mode-tool';
import {
  createCommandRunner,
  type CommandRunner,
  type CommandRuns,
} from '../../core/control-plane/command-runner';
import { createReleaseFocusTool, createSetContextTool } from '../../core/control-plane/context-tools';
import { createControlPlane, type ControlPlane } from '../../core/control-plane/control-plane';
import { createInputController, type InputController } from '../../core/control-plane/input-controller';
import { createListModesTool } from '../../core/control-plane/list-modes-tool';
import { createModelQuestions, type ModelQuestions } from '../../core/control-plane/model-questions';
import { answerOrphanedApproval } from '../../core/workflows/approval-tool';
import { createRunCommandTool } from '../../core/control-plane/run-command-tool';
import { createSourceCache } from '../../core/control-plane/source-cache';
import { toolCallPlan } from '../../core/control-plane/tool-call-plan';
import { createOpenSessionTool, createRunModeTool } from '../../core/control-plane/window-tools';
import type { Ddrs } from '../../core/ddrs/create-ddrs';
import { createModelHost, type ComposedModelHost } from './create-model-host';
import type { AgentRuntime } from '../app';
import type { CoreDeps } from './core-deps';
import { createSendEmailTool } from '../../core/mail/send-email';
import type { BuiltInTool } from '../../core/ports/built-in-tool';
import type { ItemSource } from '../../core/ports/item-source';
import type { Conversation } from '../../core/session/conversation';
import type { OfferedTools } from '../../core/tools/offered-tools';
import type { PromptContext } from '../../core/session/prompt';
import type { SessionLog } from '../../core/session/session-log';
import { createHostToolCaller, type HostToolCaller } from '../../core/tools/host-tool-caller';
import { createSchemaCheck } from '../../core/tools/schema-check';
import type { StepMaterialSource } from '../../core/workspace/step-material-source';
import type { WorkspaceController } from '../../core/workspace/workspace-controller';
import { createWorkspaceTools } from '../../core/workspace/workspace-tools';
import type { Authoring } from '../../core/workflows/authoring/create-authoring';
import { activeBlock } from '../../core/workflows/active-block';
import { bootBlock } from '../../core/workflows/boot-block';
import { workflowItems } from '../../core/workflows/workflow-items';
import type { CallKind } from '../../core/session/step-material';

/** Everything between a line of input and the model. */
export interface ComposedControlPlane {
  readonly plane: ControlPlane;
  readonly hostCalls: HostToolCaller;
  readonly questions: ModelQuestions;
  readonly commands: CommandRunner;
  readonly host: ComposedModelHost;
  readonly workflows: WorkflowRuntime;
  readonly authoring: Authoring;
  readonly ddrs: Ddrs;
  /** Connects the conversation and returns the controller for lines. */
  readonly serve: (conversation: Conversation) => InputController;
}

export interface ControlDeps {
  readonly coreDeps: CoreDeps;
  readonly log: SessionLog;
  readonly project: () => string | null;
  /** Coded sources whose items cannot be expressed as rows. */
  readonly providers: readonly ItemSource[];
  readonly agentRuntime: () => Promise<AgentRuntime>;
  readonly steps: StepMaterialSource;
  /** Runs the user's commands on the agent workspace. */
  readonly workspace: Pick<WorkspaceController, 'call'>;
}

/** Builds the blocks of the system message for a session, in the order the prompt defines. */
function promptOf(
  { steps }: ControlDeps,
  { modes, workflows }: { readonly modes: ModeCatalog; readonly workflows: WorkflowRuntime },
  state: SessionState,
  {
    mode,
    turn,
    kind,
    offered,
  }: { mode: AgentMode; turn: number | undefined; kind: CallKind; offered: OfferedTools },
): PromptContext {
  const view = workflows.registry.view(state.workflowPin);
  // A step without available content is refused when it begins.
  const material = steps.peek(state, turn);
  const packBlock = material.ok ? material.value.packBlock(kind) : undefined;
  const contextBlock = material.ok ? material.value.contextBlock : undefined;
  return {
    ...(packBlock && { workspacePack: packBlock }),
    ...(contextBlock && { staticContext: contextBlock }),
    modeCatalog: { source: 'mode catalog', text: modeCatalogBlock(modes, mode, offered) },
    modeInstructions: { source: `mode: ${mode.key}`, text: modeInstructionsBlock(mode, offered) },
    workflowBoot: { source: 'workflows', text: bootBlock(view, offered) },
    activeWorkflow: {
      source: `workflow: ${state.workflow?.definition.WorkflowId ?? ''}`,
      text: activeBlock(state.workflow),
    },
    workContext: { source: 'active work context', text: workContextBlock(state.context) },
  };
}

/** The inputs of the catalogs that code fills. */
interface Fillings {
  readonly modes: ModeCatalog;
  readonly ddrs: Ddrs;
  readonly workflows: WorkflowRuntime;
}

function createPlane({ coreDeps, project, providers }: ControlDeps, { modes, ddrs, workflows }: Fillings) {
  const { seeds, clock, settings } = coreDeps;
  const fillers: ReadonlyMap<string, CatalogFiller> = new Map([
    ['modes', fixedItems(modeItems(modes.modes, coreDeps.seeds.bundled.modes))],
    ['active_focus', focusItems],
    ['ddrs', ddrs.items],
    ['workflows', workflowItems(workflows.registry, workflows.onChange)],
  ]);
  const sources = [...catalogSources(seeds.catalogs, fillers), ...providers];
  const cache = createSourceCache({ sources, clock, pause: () => nextTurn(undefined) });
  const { toolboxes, commands } = seeds;
  return createControlPlane({
    modes,
    toolboxes,
    commands,
    cache,
    roles: () => settings.get().roles,
    project,
  });
}

function createRuns(conversation: () => Conversation): CommandRuns {
  return {
    recipe: ({ sessionId, turn }, recipeId) =>
      conversation().resume({ sessionId, turn, given: { recipeId, params: {} } }),
    toolCall: ({ sessionId, turn }, command, args) => {
      const plan = toolCallPlan(command, args);
      if (!plan) return err(appError('TOOL', 'NOT_FOUND', `There is no tool ${command.toolName}.`));
      return conversation().resume({ sessionId, turn, given: { plan } });
    },
  };
}

/** A value that two parts need from each other; reading it before it is set is a bug. */
function later<T>(what: string): { readonly get: () => T; readonly set: (value: T) => void } {
  let held: T | null = null;
  return {
    get() {
      if (held === null) throw new Error(`${what} was used before it was there.`);
      return held;
    },
    set: (value) => void (held = value),
  };
}

/** Continues a line's work in another session by sending the same line there. */
function goOnWith(log: SessionLog, conversation: () => Conversation): MoveToSession {
  return ({ sessionId, turn }, to) => {
    const state = log.state(sessionId);
    const line = state && turn !== null ? turnAt(state, turn) : undefined;
    if (!line) return;
    const { text, runMode, model } = line;
    conversation().send({ sessionId: to, text, runMode, model });
  };
}

const outboxOf = ({ host, clock }: CoreDeps) =>
  createOutboxFolder({ folder: join(host.home, 'outbox'), now: clock.now });

/**
 * Builds the control plane and the host's tools over it. The conversation is built later, because it needs
 * both.
 */
export function composeControlPlane(deps: ControlDeps): ComposedControlPlane {
  const { coreDeps, log } = deps;
  const { clock, ids, settings, agentMode } = coreDeps;
  const conversation = later<Conversation>('The conversation');
  const desk = later<CommandRunner>('The command desk');
  const modes = createModeCatalog(coreDeps.seeds.modes);
  const questions = createModelQuestions({ log, ids, effectOfOrphan: answerOrphanedApproval });
  const ddrs = composeDdrs(coreDeps, questions);
  const store = composeWorkflowStore(coreDeps);
  const modelCalls = composeModelCalls(coreDeps, deps.agentRuntime);
  const workflows = composeWorkflows({
    coreDeps,
    store,
    ddrs,
    log,
    questions,
    modelCalls,
    modeOf: (state) => modes.find(state.modeId) ?? modes.defaultMode,
    goOn: (place) => conversation.get().resume(place).ok,
  });
  const plane = createPlane(deps, { modes, ddrs, workflows });
  const { modeOf, find } = plane;
  const senderName = () => userName(coreDeps.host.env);
  const carriedOut: CommandRunner = { run: (run) => desk.get().run(run) };
  const builtInTools: readonly BuiltInTool[] = [
    createListModesTool({ modes, state: log.state, modeOf }),
    createChangeModeTool({
      log,
      modes,
      questions,
      modeOf,
      blockedReason: workflows.lockMode,
      moveToSession: goOnWith(log, conversation.get),
    }),
    createRunCommandTool({ log, plane, questions, commands: carriedOut }),
    createSetContextTool({ log, find }),
    createReleaseFocusTool({ log }),
    createRunModeTool({ settings, agentMode }),
    createOpenSessionTool({ log }),
    ...createWorkspaceTools(deps.workspace),
    ddrs.tool,
    ...workflows.tools,
    createSendEmailTool({ state: log.state, find, outbox: outboxOf(coreDeps), senderName }),
  ];
  const authoring = composeAuthoring({
    coreDeps,
    store,
    ddrs,
    questions,
    modes,
    builtInTools,
    project: deps.project,
    agentRuntime: deps.agentRuntime,
  });
  const tools = [...builtInTools, authoring.tool];
  const hostCalls = createHostToolCaller({ tools, clock, ids, checkSchema: createSchemaCheck() });
  const roles = () => settings.get().roles;
  const commands = createCommandRunner({ plane, log, hostCalls, roles, runs: createRuns(conversation.get) });
  desk.set(commands);
  return {
    plane,
    hostCalls,
    questions,
    commands,
    workflows,
    authoring,
    ddrs,
    host: createModelHost({
      log,
      clock,
      ids,
      plane,
      hostCalls,
      workflows,
      serverCalls: composeServerCalls(coreDeps, { log, modelCalls, workflows, questions, modeOf }),
      promptOf: (state, kind, offered, turn) =>
        promptOf(deps, { modes, workflows }, state, { mode: modeOf(state), turn, kind, offered }),
      steps: deps.steps,
    }),
    serve(served) {
      conversation.set(served);
      return createInputController({ plane, log, conversation: served, commands, questions, ids });
    },
  };
}
