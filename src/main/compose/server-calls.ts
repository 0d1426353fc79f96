import type { AgentRuntime } from '../app';
import type { WorkflowSide } from './workflows';
import { createApproveCall } from '../../core/control-plane/approve-call';
import type { ControlPlane } from '../../core/control-plane/control-plane';
import type { ModelQuestions } from '../../core/control-plane/model-questions';
import type { CoreDeps } from './core-deps';
import { createServerCalls, type ServerCalls } from '../../core/session/server-calls';
import type { SessionLog } from '../../core/session/session-log';
import { createAskTools } from '../../core/tools/ask-tools';
import { createModelCalls, type ModelCalls } from '../../core/tools/model-calls';

/** A model's own way to the tools of servers. */
export function composeModelCalls(
  { clock }: CoreDeps,
  agentRuntime: () => Promise<AgentRuntime>,
): ModelCalls {
  return createModelCalls(async (project) => {
    const side = await agentRuntime();
    return { calls: side.toolCalls(project), capabilities: () => side.policy.capabilities(project) };
  }, clock);
}

interface ServerCallParts {
  readonly log: SessionLog;
  readonly modelCalls: ModelCalls;
  readonly workflows: WorkflowSide;
  readonly questions: ModelQuestions;
  readonly modeOf: ControlPlane['modeOf'];
}

/** What a model may call of servers in a conversation. */
export function composeServerCalls(
  { settings, ids }: CoreDeps,
  { log, modelCalls, workflows, questions, modeOf }: ServerCallParts,
): ServerCalls {
  return createServerCalls({
    log,
    steps: workflows.steps,
    askTools: createAskTools(modelCalls),
    toolsInAsk: () => settings.get().toolsInAsk,
    approve: createApproveCall({ questions, ids, modeOf }),
  });
}
