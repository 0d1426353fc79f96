import type { AgentRuntime } from '../app';
import { createApproveCall } from '../../core/control-plane/approve-call';
import type { ControlPlane } from '../../core/control-plane/control-plane';
import type { ModelQuestions } from '../../core/control-plane/model-questions';
import type { CoreDeps } from './core-deps';
import { createServerToolCaller, type ServerToolCaller } from '../../core/session/server-tool-caller';
import type { SessionLog } from '../../core/session/session-log';
import { createAskToolCaller } from '../../core/tools/ask-tool-caller';
import { createModelToolCaller, type ModelToolCaller } from '../../core/tools/model-tool-caller';
import { createWorkflowToolCaller } from '../../core/tools/workflow-tool-caller';

/** Builds a model's own access to the servers' tools. */
export function composeModelCalls(
  { clock }: CoreDeps,
  agentRuntime: () => Promise<AgentRuntime>,
): ModelToolCaller {
  return createModelToolCaller(async (project) => {
    const side = await agentRuntime();
    return { calls: side.toolCalls(project), capabilities: () => side.policy.capabilities(project) };
  }, clock);
}

interface ServerCallParts {
  readonly log: SessionLog;
  readonly modelCalls: ModelToolCaller;
  readonly questions: ModelQuestions;
  readonly modeOf: ControlPlane['modeOf'];
}

/** The server tools that a model may call in a conversation. */
export function composeServerCalls(
  { settings, ids }: CoreDeps,
  { log, modelCalls, questions, modeOf }: ServerCallParts,
): ServerToolCaller {
  return createServerToolCaller({
    log,
    steps: createWorkflowToolCaller(modelCalls),
    askToolCaller: createAskToolCaller(modelCalls),
    toolsInAsk: () => settings.get().toolsInAsk,
    approve: createApproveCall({ questions, ids, modeOf }),
  });
}
