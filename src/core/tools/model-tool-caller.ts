import { appError } from '#shared/app-error';
import type { Capabilities } from '#shared/capabilities';
import type { Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { Clock } from '../ports/clock';
import type { ToolCaller } from './tool-caller';
import type { ToolListing } from './call-scope';
import { createFactBuffer } from './fact-buffer';
import type { RecordedApprovals } from './gate';
import { createRunWrites } from './node-writes';
import { createTaintTracker } from './taint-tracker';
import type { ToolLists } from '../ports/tool-lists';

/** The server tools of one project folder, behind their gate. */
export interface ServerSide {
  readonly calls: ToolCaller;
  readonly capabilities: () => Result<Capabilities>;
}

/** One call of a server tool that a model makes directly, outside a run. */
export interface ModelCall {
  /** The run and node that the call's facts name. */
  readonly runId: string;
  readonly nodeId: string;
  readonly turn: number;
  readonly tool: string;
  readonly args: Json;
  readonly lists: ToolLists;
  readonly recorded: RecordedApprovals;
  readonly record: (facts: readonly SessionFact[]) => boolean;
}

/** Calls server tools for a model outside a run, one at a time, each through the gate. */
export interface ModelToolCaller {
  /** Lists the tools of the named servers (default: all) in a project folder, and its capabilities. */
  list(
    project: string,
    servers?: readonly string[],
  ): Promise<Result<{ readonly listing: ToolListing; readonly capabilities: Capabilities }>>;
  /** Returns the result as JSON text, truncated to the length that a model may read. */
  call(
    project: string,
    call: ModelCall,
    servers: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<Result<string>>;
}

/** Maximum length of a result that a model reads, in characters; bulk work belongs in Agent Mode scripts. */
const maxResultLength = 60_000;

function truncateResult(text: string): string {
  if (text.length <= maxResultLength) return text;
  const shown = text.slice(0, maxResultLength);
  return JSON.stringify({ shown, note: `The result has ${text.length} characters; ask for less at a time.` });
}

export function createModelToolCaller(
  side: (project: string) => Promise<ServerSide>,
  clock: Clock,
): ModelToolCaller {
  const list: ModelToolCaller['list'] = async (project, servers) => {
    const { calls, capabilities } = await side(project);
    const allowed = capabilities();
    if (!allowed.ok) return allowed;
    const none = servers?.length === 0;
    const listed = none ? ok({ tools: [], servers: [] }) : await calls.list(servers);
    return listed.ok ? ok({ listing: listed.value, capabilities: allowed.value }) : listed;
  };
  return {
    list,
    async call(project, { args, tool, record, nodeId, ...call }, servers, signal) {
      const listed = await list(project, servers);
      if (!listed.ok) return listed;
      const { listing, capabilities } = listed.value;
      const { calls } = await side(project);
      let broken = false;
      const facts = createFactBuffer(clock, record, () => (broken = true));
      const scope = {
        ...call,
        nodeId,
        capabilities,
        declared: [tool],
        approve: 'none' as const,
        callsAllowed: 1,
        callsLeftInRun: () => 1,
        origins: createTaintTracker([]),
        writes: createRunWrites().attempt(nodeId),
        onAttempt: () => undefined,
        onBreach: () => undefined,
        onWaiting: () => () => undefined,
        // A read is recorded with the reply, like every call of a host tool; the intent of a write is
        // recorded before the write.
        facts: { ...facts, add: () => undefined },
      };
      const result = await calls.forNode(scope, listing)(tool, args, signal);
      facts.close();
      if (broken) return err(appError('HOST', 'STORAGE', 'The call could not be recorded.', { tool }));
      return result.ok ? ok(truncateResult(JSON.stringify(result.value))) : result;
    },
  };
}
