import { appError } from '#shared/app-error';
import type { Capabilities } from '#shared/capabilities';
import type { Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { WorkflowRun } from '#shared/workflow-state';
import type { Clock } from '../ports/clock';
import type { ModelTool } from '../ports/llm';
import type { ToolCalls } from '../tools/call';
import type { ToolListing } from '../tools/call-scope';
import { createFactBuffer } from '../tools/fact-buffer';
import type { RecordedApprovals } from '../tools/gate';
import { createRunWrites } from '../tools/node-writes';
import { createOriginTrail } from '../tools/origin-trail';
import type { ToolLists } from '../tools/tool-lists';
import { serverToolNames } from './server-tool-names';

/** Servers' tools for one project folder, through their gate. */
export interface StepSide {
  readonly calls: ToolCalls;
  readonly capabilities: () => Result<Capabilities>;
}

export interface StepCall {
  readonly run: WorkflowRun;
  readonly turn: number;
  readonly tool: string;
  readonly args: Json;
  readonly lists: ToolLists;
  readonly recorded: RecordedApprovals;
  readonly record: (facts: readonly SessionFact[]) => boolean;
}

/** A workflow's way to the tools of servers that it permits: step by step, each call through the gate. */
export interface StepCalls {
  /** The permitted tools of servers as a model is offered them; those of a server that is not there are left out. */
  offered(run: WorkflowRun, project: string): Promise<readonly ModelTool[]>;
  call(project: string, call: StepCall, signal: AbortSignal): Promise<Result<string>>;
}

/** A model reads no more of a result than this; scripts in Agent Mode are for bulk. */
const longestResult = 60_000;

function shortened(text: string): string {
  if (text.length <= longestResult) return text;
  const shown = text.slice(0, longestResult);
  return JSON.stringify({ shown, note: `The result has ${text.length} characters; ask for less at a time.` });
}

const serversOf = (run: WorkflowRun): readonly string[] => [
  ...new Set(run.definition.PermittedTools.flatMap((tool) => /^mcp:\/\/([^.]+)\./.exec(tool)?.[1] ?? [])),
];

export function createStepCalls(side: (project: string) => Promise<StepSide>, clock: Clock): StepCalls {
  const listing = async (run: WorkflowRun, project: string): Promise<Result<ToolListing>> => {
    const servers = serversOf(run);
    if (servers.length === 0) return ok({ tools: [], servers: [] });
    return (await side(project)).calls.list(servers);
  };
  return {
    async offered(run, project) {
      const listed = await listing(run, project);
      if (!listed.ok) return [];
      const byUri = new Map(listed.value.tools.map((tool) => [tool.uri, tool]));
      return [...serverToolNames(run.definition.PermittedTools)].flatMap(([name, uri]) => {
        const tool = byUri.get(uri);
        return tool ? [{ name, description: tool.description, parameters: tool.inputSchema }] : [];
      });
    },
    async call(project, { run, turn, tool, args, lists, recorded, record }, signal) {
      const { calls, capabilities } = await side(project);
      const allowed = capabilities();
      if (!allowed.ok) return allowed;
      const listed = await listing(run, project);
      if (!listed.ok) return listed;
      let broken = false;
      const facts = createFactBuffer(clock, record, () => (broken = true));
      const scope = {
        ...{ turn, runId: run.workflowRunId, nodeId: 'workflow', declared: [tool] },
        ...{ capabilities: allowed.value, lists, recorded, approve: 'none' as const },
        ...{ callsAllowed: 1, callsLeftInRun: () => 1 },
        ...{ origins: createOriginTrail([]), writes: createRunWrites().attempt('workflow') },
        onAttempt: () => undefined,
        onBreach: () => undefined,
        onWaiting: () => () => undefined,
        // A read is recorded with the reply, like every call of the host's tools; a write's intent comes before the write.
        facts: { ...facts, add: () => undefined },
      };
      const result = await calls.forNode(scope, listed.value)(tool, args, signal);
      facts.close();
      if (broken) return err(appError('HOST', 'STORAGE', 'The call could not be recorded.', { tool }));
      return result.ok ? ok(shortened(JSON.stringify(result.value))) : result;
    },
  };
}
