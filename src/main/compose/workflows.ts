import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { pathExists } from '../adapters/system/path-exists';
import type { ChangeModeDeps } from '../../core/control-plane/change-mode-tool';
import type { ModelQuestions } from '../../core/control-plane/model-questions';
import type { Ddrs } from '../../core/ddrs/create-ddrs';
import type { CoreDeps } from './core-deps';
import type { BuiltInTool } from '../../core/ports/built-in-tool';
import type { WorkflowStore } from '../../core/ports/workflow-store';
import type { SessionLog } from '../../core/session/session-log';
import { createApprovalTool } from '../../core/workflows/approval-tool';
import type { PreconditionContext } from '../../core/workflows/conditions';
import { createEndTools } from '../../core/workflows/end-tools';
import { createWorkflowRegistry, type WorkflowRegistry } from '../../core/workflows/registry';
import { createRegistryTool } from '../../core/workflows/registry-tool';
import type { ModelToolCaller } from '../../core/tools/model-tool-caller';
import { serverToolNames } from '../../core/tools/server-tool-names';
import { createStartTool } from '../../core/workflows/start-tool';
import { createWorkflowToolCaller, type WorkflowToolCaller } from '../../core/tools/workflow-tool-caller';
import { createWorkflowController, type WorkflowController } from '../../core/workflows/workflow-controller';

export interface WorkflowRuntime {
  readonly registry: WorkflowRegistry;
  readonly tools: readonly BuiltInTool[];
  readonly controller: WorkflowController;
  readonly steps: WorkflowToolCaller;
  readonly onChange: (listener: () => void) => () => void;
  /** Locks the mode while a workflow runs, unless the workflow allows changes (TUL-006 §7.5). */
  readonly lockMode: ChangeModeDeps['blockedReason'];
  readonly reload: (sessionId: string) => Result<null>;
}

export interface WorkflowDeps {
  readonly coreDeps: CoreDeps;
  readonly store: WorkflowStore;
  readonly ddrs: Ddrs;
  readonly log: SessionLog;
  readonly questions: ModelQuestions;
  readonly modeOf: PreconditionContext['modeOf'];
  readonly modelCalls: ModelToolCaller;
  /** Lets the model answer a recorded line that has no answer yet. */
  readonly goOn: (place: { readonly sessionId: string; readonly turn: number }) => boolean;
}

/** Locks the mode while a workflow needs it, and tells the user why. */
function lockMode(log: SessionLog, controller: WorkflowController): ChangeModeDeps['blockedReason'] {
  return ({ sessionId, turn }, to) => {
    const run = sessionId === null ? null : log.state(sessionId)?.workflow;
    if (sessionId === null || !run || run.definition.AllowedTransitions.modes.includes(to.key)) return null;
    const { WorkflowId: workflowId, Title } = run.definition;
    const message = `The mode cannot change to ${to.displayName} while the workflow “${Title}” is running.`;
    controller.raise(sessionId, turn, { workflowId, kind: 'mode-change', message });
    return appError('HOST', 'STATE', message, { hint: 'Complete or cancel the workflow first.' });
  };
}

function reload(log: SessionLog, registry: WorkflowRegistry): WorkflowRuntime['reload'] {
  return (sessionId) => {
    const opened = log.open(sessionId);
    if (!opened.ok) return opened;
    if (opened.value.state.workflow) {
      const hint = 'Complete or cancel it, then load them again.';
      return err(appError('HOST', 'STATE', 'A workflow is running in this session.', { hint }));
    }
    const pinned = log.append(sessionId, [{ type: 'workflows-pinned', pin: registry.pin() }]);
    return pinned.ok ? ok(null) : pinned;
  };
}

/**
 * Composes workflows: the registry of published workflows, the tools on top of it, and the enforcement of a
 * running workflow on the model.
 */
export function composeWorkflows(deps: WorkflowDeps): WorkflowRuntime {
  const { coreDeps, store, ddrs, log, questions, modeOf, modelCalls, goOn } = deps;
  const { ids } = coreDeps;
  const onDdrChange = ddrs.items.onChange ?? (() => () => undefined);
  const registry = createWorkflowRegistry({ store, ddr: ddrs.read, onDdrChange });
  const preconditionContext: PreconditionContext = { modeOf, ddr: ddrs.read, exists: pathExists };
  const controller = createWorkflowController({ log, preconditionContext, resume: goOn });
  const steps = createWorkflowToolCaller(modelCalls);
  const toolName = (sessionId: string, called: string): string => {
    const permitted = log.state(sessionId)?.workflow?.definition.PermittedTools ?? [];
    return serverToolNames(permitted).get(called) ?? called;
  };
  return {
    registry,
    controller,
    steps,
    lockMode: lockMode(log, controller),
    reload: reload(log, registry),
    onChange(listener) {
      const stops = [store.onChange(listener), onDdrChange(listener)];
      return () => stops.forEach((stop) => stop());
    },
    tools: [
      createRegistryTool({ registry, state: log.state, preconditionContext }),
      createStartTool({ registry, log, ids, preconditionContext, questions, controller, resume: goOn }),
      ...createEndTools({ log, preconditionContext, questions, controller }),
      createApprovalTool({ log, preconditionContext, questions, toolName }),
    ],
  };
}
