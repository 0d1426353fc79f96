import { appError } from '#shared/app-error';
import type { Capabilities } from '#shared/capabilities';
import { isObject, parseJson, type JsonObject } from '#shared/json';
import type { AgentMode } from '#shared/mode';
import { err, ok, type Result } from '#shared/result';
import type { CallRecord, SessionFact } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import type { WorkflowRun } from '#shared/workflow-state';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { ModelTool, ModelToolCall } from '../ports/llm';
import type { ToolDefinition } from '../ports/tool-definition';
import type { ToolLists } from '../ports/tool-lists';
import { callRecord } from '../tools/call-record';
import { builtInScope, modelScope, type ToolListing } from '../tools/call-scope';
import { resultText, writtenCall, type ToolCalls } from '../tools/call-tool';
import { canonicalHash } from '../tools/canonical-hash';
import { createFactBuffer } from '../tools/fact-buffer';
import type { RecordedApprovals } from '../tools/gate';
import { serverToolNames } from '../tools/server-tool-names';
import { excludedBy } from '../tools/tool-lists';
import { patternApplies, patternNames } from '../tools/tool-pattern';
import type { ModelLine } from './session-line';
import type { SessionLog } from './session-log';
import type { WritePolicy } from '../tools/approvals';

/** The line that a model's call belongs to, also when a user makes the call by hand. */
export interface CallLine extends ModelLine {
  /** How questions of a built-in tool are answered; default: `ask`. */
  readonly approve?: WritePolicy;
  /** Previews the tools of another mode than the session's own. */
  readonly mode?: AgentMode;
}

/** A tool as offered to a model; `uri` is its own name if that differs. */
export type OfferedTool = ModelTool & { readonly uri?: string };

/** Asks the user to approve one call just before it is made. */
export type AskForCall = (tool: string, args: JsonObject) => Promise<Result<boolean>>;

/** A call that has ended, with the state it was checked against. */
export interface EndedModelCall {
  readonly state: SessionState;
  /** Null for a manual call, which belongs to no line. */
  readonly turn: number | null;
  readonly tool: string;
  readonly args: JsonObject;
  readonly result: Result<string>;
}

/** Holds a model to the workflow that runs in its session. */
export interface WorkflowGuard {
  /** The lists, restricted to the tools that the workflow permits. */
  lists(lists: ToolLists, state: SessionState): ToolLists;
  /** The approvals that the session recorded for the run's calls. */
  approvals(line: Pick<ModelLine, 'sessionId' | 'turn'>, run: WorkflowRun): RecordedApprovals;
  /** The facts that a call adds to the record of its workflow, and its result with a hint for the model. */
  ended(call: EndedModelCall): { readonly facts: readonly SessionFact[]; readonly result: Result<string> };
}

export interface ModelToolsDeps {
  readonly log: Pick<SessionLog, 'state' | 'append'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly toolCalls: ToolCalls;
  readonly capabilities: (project: string) => Promise<Result<Capabilities>>;
  readonly workflowGuard: WorkflowGuard;
  /** The lists that bind a model's calls on a line. */
  readonly lists: (state: SessionState, line: CallLine) => ToolLists;
  /** Whether Ask offers the tools of servers. */
  readonly toolsInAsk: () => boolean;
  /** Asks the user to approve a write in Ask. */
  readonly approve: (line: ModelLine, state: SessionState, signal: AbortSignal) => AskForCall;
}

/** A model's call of a server tool. */
interface ServerCall {
  readonly line: CallLine;
  readonly project: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly lists: ToolLists;
}

/** Who makes a server call: which run and node its facts name, and which approvals it needs. */
interface ServerCaller {
  readonly runId: string;
  readonly nodeId: string;
  readonly recorded: RecordedApprovals;
  /** The servers to list; absent: all. */
  readonly servers?: readonly string[];
}

/** Maximum length of a result that a model reads, in characters; bulk work belongs in Agent Mode scripts. */
const maxResultLength = 60_000;

function truncateResult(text: string): string {
  if (text.length <= maxResultLength) return text;
  const shown = text.slice(0, maxResultLength);
  return JSON.stringify({ shown, note: `The result has ${text.length} characters; ask for less at a time.` });
}

/** Whether some call of the tool can pass the manifest; the gate judges each call by its arguments. */
function mayPass({ uri }: ToolDefinition, { allow, deny }: Capabilities): boolean {
  return (
    allow.some((pattern) => patternNames(pattern, uri)) &&
    !deny.some((pattern) => patternApplies(pattern, uri, {}))
  );
}

/** Every write in Ask needs its own approval, and its call uses that approval up. */
function singleApproval(): RecordedApprovals & {
  readonly give: (hash: string) => void;
  readonly missing: () => boolean;
} {
  const approved = new Set<string>();
  let missing = false;
  return {
    needed: (_call, write) => write,
    isApproved(hash) {
      missing = !approved.has(hash);
      return !missing;
    },
    use: (hash) => approved.delete(hash),
    give: (hash) => void approved.add(hash),
    // The user is not asked about a call that was refused for another reason, such as a saved `never`.
    missing: () => missing,
  };
}

const serversOf = (run: WorkflowRun): readonly string[] => [
  ...new Set(run.definition.PermittedTools.flatMap((tool) => /^mcp:\/\/([^.]+)\./.exec(tool)?.[1] ?? [])),
];

/** Resolves a permitted server tool by its offered name or by its own name, which the instructions use. */
function permittedTool(permitted: readonly string[], name: string): string | undefined {
  if (name.startsWith('mcp://')) return permitted.find((tool) => tool === name);
  return serverToolNames(permitted).get(name);
}

function argumentsOf({ argumentsJson }: ModelToolCall): JsonObject {
  const parsed = parseJson(argumentsJson.trim() === '' ? '{}' : argumentsJson);
  return parsed.ok && isObject(parsed.value) ? parsed.value : {};
}

/** The tools that a model in a conversation can call: built-in ones, those of a workflow, those of Ask. */
export function createModelTools(deps: ModelToolsDeps) {
  const { log, clock, ids, toolCalls, workflowGuard, toolsInAsk } = deps;

  const listServers = async (
    project: string,
    servers?: readonly string[],
  ): Promise<Result<{ readonly listing: ToolListing; readonly capabilities: Capabilities }>> => {
    const capabilities = await deps.capabilities(project);
    if (!capabilities.ok) return capabilities;
    const none = servers?.length === 0;
    const listed = none ? ok({ tools: [], servers: [] }) : await toolCalls.list(project, servers);
    return listed.ok ? ok({ listing: listed.value, capabilities: capabilities.value }) : listed;
  };

  /** The server tools that every list and the capabilities allow; none when the servers cannot be asked. */
  const offeredInAsk = async (project: string, lists: ToolLists): Promise<readonly OfferedTool[]> => {
    const listed = await listServers(project);
    if (!listed.ok) return [];
    const { listing, capabilities } = listed.value;
    // Names are computed over all listed tools, so a name means the same tool whatever is offered.
    const named = serverToolNames(listing.tools.map(({ uri }) => uri));
    const names = new Map([...named].map(([name, uri]) => [uri, name]));
    return listing.tools
      .filter((tool) => !excludedBy(lists, tool.uri) && mayPass(tool, capabilities))
      .map(({ uri, description, inputSchema }) => ({
        uri,
        description,
        parameters: inputSchema,
        name: names.get(uri) ?? uri,
      }));
  };

  /** The permitted server tools that every list includes; tools of missing servers are left out. */
  const offeredInWorkflow = async (
    run: WorkflowRun,
    project: string,
    lists: ToolLists,
  ): Promise<readonly OfferedTool[]> => {
    const listed = await listServers(project, serversOf(run));
    if (!listed.ok) return [];
    const byUri = new Map(listed.value.listing.tools.map((tool) => [tool.uri, tool]));
    return [...serverToolNames(run.definition.PermittedTools)].flatMap(([name, uri]) => {
      const tool = byUri.get(uri);
      if (!tool || excludedBy(lists, uri)) return [];
      return [{ name, uri, description: tool.description, parameters: tool.inputSchema }];
    });
  };

  const offersInAsk = ({ tools = toolsInAsk() }: ModelLine, { workflow, project }: SessionState): boolean =>
    tools && workflow === null && project !== null;

  /** The server tool that a name means to the model; undefined: no server tool of that name was offered. */
  const findServerTool = async (
    line: ModelLine,
    state: SessionState,
    name: string,
    lists: ToolLists,
  ): Promise<string | undefined> => {
    if (state.workflow) return permittedTool(state.workflow.definition.PermittedTools, name);
    if (!offersInAsk(line, state) || state.project === null) return undefined;
    const offered = await offeredInAsk(state.project, lists);
    return offered.find((tool) => tool.name === name)?.uri;
  };

  /** Calls a server tool and returns the text that the model reads. */
  const callServerTool = async (
    { line, project, tool, args, lists }: ServerCall,
    { servers, ...caller }: ServerCaller,
    signal: AbortSignal,
  ): Promise<Result<string>> => {
    const listed = await listServers(project, servers);
    if (!listed.ok) return listed;
    let broken = false;
    const record = (facts: readonly SessionFact[]): boolean => log.append(line.sessionId, facts).ok;
    const facts = createFactBuffer(clock, record, () => (broken = true));
    const { turn } = line;
    const scope = modelScope({ ...caller, ...listed.value, turn, project, tool, lists, facts });
    const { result } = await toolCalls.callTool(scope, { tool, arguments: args }, signal);
    facts.close();
    if (broken) return err(appError('HOST', 'STORAGE', 'The call could not be recorded.', { tool }));
    return result.ok ? ok(truncateResult(JSON.stringify(result.value))) : result;
  };

  const callInAsk = async (
    call: ServerCall,
    ask: AskForCall,
    signal: AbortSignal,
  ): Promise<Result<string>> => {
    const { tool, args, line } = call;
    const recorded = singleApproval();
    const caller = { runId: `ask-${line.turn}`, nodeId: 'ask', recorded };
    const first = await callServerTool(call, caller, signal);
    if (first.ok || !recorded.missing()) return first;
    const answer = await ask(tool, args);
    if (!answer.ok) return answer;
    if (!answer.value) {
      const more = { layer: 'approval', tool };
      return err(appError('POLICY', 'APPROVAL_DENIED', `${tool} was not approved.`, more));
    }
    recorded.give(canonicalHash({ tool, arguments: args }));
    return callServerTool(call, caller, signal);
  };

  const serverResult = (
    state: SessionState,
    call: Omit<ServerCall, 'project'>,
    signal: AbortSignal,
  ): Promise<Result<string>> => {
    const { workflow: run, project } = state;
    const { line, tool } = call;
    if (project === null) {
      const message = 'This session has no project folder for the tool to work in.';
      return Promise.resolve(err(appError('HOST', 'STATE', message, { tool })));
    }
    if (!run) return callInAsk({ ...call, project }, deps.approve(line, state, signal), signal);
    const recorded = workflowGuard.approvals(line, run);
    const caller = { runId: run.workflowRunId, nodeId: 'workflow', recorded, servers: serversOf(run) };
    return callServerTool({ ...call, project }, caller, signal);
  };

  return {
    /** Whether a line's reply may include server tools, in which case the servers are asked to list them. */
    asksServers: (line: ModelLine, state: SessionState): boolean =>
      state.workflow !== null || offersInAsk(line, state),
    /** The server tools offered: those that the running workflow permits, or those of tools in Ask. */
    async offered(line: ModelLine, state: SessionState, lists: ToolLists): Promise<readonly OfferedTool[]> {
      const { workflow, project } = state;
      if (project === null) return [];
      if (offersInAsk(line, state)) return offeredInAsk(project, lists);
      return workflow?.inputs && !workflow.halted ? offeredInWorkflow(workflow, project, lists) : [];
    },
    /**
     * Makes one call as a model in the line's session does: restricted by its lists and its workflow, and
     * recorded in the workflow.
     */
    async call(
      line: CallLine,
      called: ModelToolCall,
      signal: AbortSignal,
    ): Promise<{ readonly result: Result<string>; readonly record: CallRecord }> {
      const state = log.state(line.sessionId);
      const { name, argumentsJson } = called;
      const lists = state ? deps.lists(state, line) : {};
      const serverTool = state ? await findServerTool(line, state, name, lists) : undefined;
      const args = argumentsOf(called);
      const call = async () => {
        if (!state || serverTool === undefined) {
          const recorded = state?.workflow ? workflowGuard.approvals(line, state.workflow) : undefined;
          const scope = builtInScope({ ...line, lists, recorded });
          const outcome = await toolCalls.callTool(scope, writtenCall(name, argumentsJson), signal);
          return { result: resultText(outcome), record: outcome.record };
        }
        const started = clock.elapsed();
        const result = await serverResult(state, { line, tool: serverTool, args, lists }, signal);
        const ms = Math.max(0, clock.elapsed() - started);
        const callId = ids.next('call');
        return { result, record: callRecord({ callId, tool: serverTool, arguments: args, ms }, result) };
      };
      const { result, record } = await call();
      if (!state) return { result, record };
      // A call by hand belongs to no line.
      const turn = line.turn < state.turnCount ? line.turn : null;
      const ended = workflowGuard.ended({ state, turn, tool: serverTool ?? name, args, result });
      if (ended.facts.length > 0) log.append(line.sessionId, ended.facts);
      return { result: ended.result, record };
    },
  };
}
