import type { Result } from '#shared/result';
import type { WorkflowRun } from '#shared/workflow-state';
import type { ModelTool } from '../ports/llm';
import type { ModelCall, ModelToolCaller } from './model-tool-caller';
import { serverToolNames } from './server-tool-names';
import { excludedBy } from './tool-lists';
import type { ToolLists } from '../ports/tool-lists';

/** One step of a running workflow. */
export interface StepCall extends Omit<ModelCall, 'runId' | 'nodeId'> {
  readonly run: WorkflowRun;
}

/** Calls the server tools that a workflow permits: step by step, each call through the gate. */
export interface WorkflowToolCaller {
  /**
   * The permitted server tools that every list includes, in the form offered to a model; tools of missing
   * servers are left out.
   */
  offered(
    run: WorkflowRun,
    project: string,
    lists: ToolLists,
  ): Promise<readonly (ModelTool & { readonly uri: string })[]>;
  call(project: string, call: StepCall, signal: AbortSignal): Promise<Result<string>>;
}

const serversOf = (run: WorkflowRun): readonly string[] => [
  ...new Set(run.definition.PermittedTools.flatMap((tool) => /^mcp:\/\/([^.]+)\./.exec(tool)?.[1] ?? [])),
];

export function createWorkflowToolCaller(calls: ModelToolCaller): WorkflowToolCaller {
  return {
    async offered(run, project, lists) {
      const listed = await calls.list(project, serversOf(run));
      if (!listed.ok) return [];
      const byUri = new Map(listed.value.listing.tools.map((tool) => [tool.uri, tool]));
      return [...serverToolNames(run.definition.PermittedTools)].flatMap(([name, uri]) => {
        const tool = byUri.get(uri);
        if (!tool || excludedBy(lists, uri)) return [];
        return [{ name, uri, description: tool.description, parameters: tool.inputSchema }];
      });
    },
    call: (project, { run, ...call }, signal) =>
      calls.call(project, { ...call, runId: run.workflowRunId, nodeId: 'workflow' }, serversOf(run), signal),
  };
}
