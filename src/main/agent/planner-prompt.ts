import { ok, type Result } from '#shared/result';
import type { ModelTool } from '../ports/llm';
import type { PolicyFiles } from '../ports/policy';
import type { PromptText } from '../session/prompt';
import type { ToolCalls } from '../tools/call';
import { allowedTools, plannerBlocks, submitPlanTool } from './planning-prompt';

/** What a planning call adds to what the session sends in any case. */
export interface PlannerPrompt {
  readonly blocks: readonly PromptText[];
  readonly tools: readonly ModelTool[];
}

export interface PlannerPromptDeps {
  readonly policy: PolicyFiles;
  readonly toolCalls: (project: string) => ToolCalls;
}

/** The planner's part of a planning call in a project folder, as `planWithModel` would send it; starts the servers it names. */
export async function plannerPrompt(
  { policy, toolCalls }: PlannerPromptDeps,
  project: string,
): Promise<Result<PlannerPrompt>> {
  const capabilities = policy.capabilities(project);
  if (!capabilities.ok) return capabilities;
  const listed = await toolCalls(project).list();
  if (!listed.ok) return listed;
  return ok({
    blocks: plannerBlocks(allowedTools(listed.value.tools, capabilities.value)),
    tools: [submitPlanTool()],
  });
}
