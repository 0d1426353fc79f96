import { appError, type AppError } from '#shared/app-error';
import type { AgentMode } from '#shared/mode';
import { err, ok, type Result } from '#shared/result';
import { createConfirmation, type ModelQuestions } from '../control-plane/model-questions';
import type { ModeCatalog } from '../modes/mode-catalog';
import type { BuiltInTool, BuiltInToolContext } from '../ports/built-in-tool';
import type { Ids } from '../ports/ids';
import type { WorkflowStore } from '../ports/workflow-store';
import type { Conversation } from '../session/conversation';
import type { SessionLog } from '../session/session-log';
import { serverToolNames } from '../tools/server-tool-names';
import type { KnownBuiltInTool } from '../tools/tool-table';
import { createApprovalTool } from './approval-tool';
import type { AuthoringDeps } from './authoring/authoring-context';
import type { AuthoringFacts, KnownTool } from './authoring/authoring-facts';
import { authoringTool, createAuthoring } from './authoring/create-authoring';
import type { PreconditionContext } from './conditions';
import { createEndTools } from './end-tools';
import type { WorkflowRegistry } from './registry';
import { createRegistryTool } from './registry-tool';
import { createStartTool } from './start-tool';
import { createWorkflowController, type WorkflowController } from './workflow-controller';

/** The servers' tools that a workflow may permit, or why they are unknown. */
export type ServerTools = Pick<AuthoringFacts, 'tools' | 'serversUnknown'>;

export interface WorkflowsDeps extends Pick<AuthoringDeps, 'ddr' | 'recordHash' | 'userName' | 'localTime'> {
  readonly store: WorkflowStore;
  readonly registry: WorkflowRegistry;
  readonly log: SessionLog;
  readonly ids: Ids;
  readonly questions: ModelQuestions;
  readonly conversation: Pick<Conversation, 'resume'>;
  readonly modes: ModeCatalog;
  readonly modeOf: PreconditionContext['modeOf'];
  /** When a file or folder last changed. */
  readonly changedAt: PreconditionContext['changedAt'];
  /** The built-in tools, which a workflow may permit. */
  readonly builtInTools: () => readonly KnownBuiltInTool[];
  readonly serverTools: () => Promise<ServerTools>;
}

/** Locks the mode while a workflow runs that does not allow the change, and tells the user (TUL-006 §7.5). */
function modeLock(log: SessionLog, controller: WorkflowController) {
  return ({ sessionId, turn }: BuiltInToolContext, to: AgentMode): AppError | null => {
    const run = sessionId === null ? null : log.state(sessionId)?.workflow;
    if (sessionId === null || !run || run.definition.AllowedTransitions.modes.includes(to.key)) return null;
    const { WorkflowId: workflowId, Title } = run.definition;
    const message = `The mode cannot change to ${to.displayName} while the workflow “${Title}” is running.`;
    controller.raise(sessionId, turn, { workflowId, kind: 'mode-change', message });
    return appError('HOST', 'STATE', message, { hint: 'Complete or cancel the workflow first.' });
  };
}

/** Switches a session to the workflows published now; HOST/STATE while one runs in it. */
function reload(log: SessionLog, registry: WorkflowRegistry, sessionId: string): Result<null> {
  const opened = log.open(sessionId);
  if (!opened.ok) return opened;
  if (opened.value.state.workflow) {
    const hint = 'Complete or cancel it, then reload the workflows.';
    return err(appError('HOST', 'STATE', 'A workflow is running in this session.', { hint }));
  }
  const recorded = log.append(sessionId, [{ type: 'workflows-pinned', pin: registry.lockVersions() }]);
  return recorded.ok ? ok(null) : recorded;
}

/** The modes and tools that a definition may name. */
async function authoringFacts({ modes, builtInTools, serverTools }: WorkflowsDeps) {
  const offered = builtInTools().filter(({ commandOnly, name }) => !commandOnly && name !== authoringTool);
  const own = [...offered.map(({ name }) => name), authoringTool];
  const servers = await serverTools();
  return {
    modes: modes.modes.map(({ key, associatedToolIds }) => ({ key, tools: associatedToolIds })),
    tools: [...own.map((name): KnownTool => ({ name, access: 'host' })), ...servers.tools],
    serversUnknown: servers.serversUnknown,
    alwaysOffered: offered.filter(({ alwaysOffered }) => alwaysOffered).map(({ name }) => name),
  };
}

/** Builds the tools over the registry, the enforcement of a running workflow, and the authoring. */
export function createWorkflows(deps: WorkflowsDeps) {
  const { store, registry, log, ids, questions, conversation, ddr, modeOf, changedAt } = deps;
  const { recordHash, userName, localTime } = deps;
  const preconditionContext: PreconditionContext = { modeOf, ddr, changedAt };
  const resume = (place: { readonly sessionId: string; readonly turn: number }): boolean =>
    conversation.resume(place).ok;
  const controller = createWorkflowController({ log, preconditionContext, resume });
  const toolName = (sessionId: string, called: string): string => {
    const permitted = log.state(sessionId)?.workflow?.definition.PermittedTools ?? [];
    return serverToolNames(permitted).get(called) ?? called;
  };
  const tools: readonly BuiltInTool[] = [
    createRegistryTool({ registry, state: log.state, preconditionContext }),
    createStartTool({ registry, log, ids, preconditionContext, questions, controller, resume }),
    ...createEndTools({ log, preconditionContext, questions, controller }),
    createApprovalTool({ log, preconditionContext, questions, toolName }),
  ];
  return {
    controller,
    tools,
    modeLock: modeLock(log, controller),
    reload: (sessionId: string) => reload(log, registry, sessionId),
    authoring: createAuthoring({
      store,
      ddr,
      recordHash,
      userName,
      localTime,
      facts: () => authoringFacts(deps),
      askUser: createConfirmation(questions, 'difference'),
    }),
  };
}
