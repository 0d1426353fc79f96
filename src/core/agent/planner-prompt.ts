import { ok, type Result } from '#shared/result';
import type { ModelTool } from '../ports/llm';
import type { PolicyFiles } from '../ports/policy';
import type { ToolCalls } from '../tools/call-tool';
import type { ObservedTypes } from './observed-types';
import { readResultTool, type CountText } from './observation';
import { allowedTools, plannerBlocks, submitPlanTool } from './planning-prompt';
import { createToolIndex } from './tool-index';
import { shownTools, type ShownTools } from './shown-tools';
import type { PromptText } from '../ports/prompt-text';

/** The parts that a planning call adds to the session's usual content. */
export interface PlannerPrompt {
  readonly blocks: readonly PromptText[];
  /** How many of the blocks precede the session's; default: none. */
  readonly leading?: number;
  readonly tools: readonly ModelTool[];
  /** The server tools, and whether the project's capabilities allow each. */
  readonly listed: readonly { readonly uri: string; readonly allowed: boolean }[];
}

export interface PlannerPromptDeps {
  readonly policy: PolicyFiles;
  readonly observed: ObservedTypes;
  readonly toolCalls: Pick<ToolCalls, 'list'>;
  readonly countTokens: CountText;
}

/**
 * The planner's part of a planning call in a project folder, as `planWithModel` would send it; starts the
 * servers it needs.
 */
export async function plannerPrompt(
  { policy, observed, toolCalls, countTokens }: PlannerPromptDeps,
  project: string,
  shown: ShownTools,
): Promise<Result<PlannerPrompt>> {
  const capabilities = policy.capabilities(project);
  if (!capabilities.ok) return capabilities;
  const listed = await toolCalls.list(project);
  if (!listed.ok) return listed;
  // No goal is known here, so with too many tools those found for a goal's steps are missing.
  const allowed = allowedTools(listed.value.tools, capabilities.value);
  const toolIndex = await createToolIndex(shownTools(allowed, shown), '', observed.schemaOf, countTokens);
  const names = new Set(allowed.map(({ uri }) => uri));
  return ok({
    ...plannerBlocks(toolIndex.text),
    tools: [submitPlanTool, ...toolIndex.offered, readResultTool],
    listed: listed.value.tools.map(({ uri }) => ({ uri, allowed: names.has(uri) })),
  });
}
