import { isObject, parseJson, type JsonObject } from '#shared/json';
import type { Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { WorkflowRun } from '#shared/workflow-state';
import type { ControlPlane } from '../../core/control-plane/control-plane';
import type { Clock } from '../../core/ports/clock';
import type { Ids } from '../../core/ports/ids';
import type { ModelTool, ModelToolCall } from '../../core/ports/llm';
import type { ToolAnswer } from '../../core/session/ask-turn';
import type { CallToolAsModel, CallLine } from '../../core/session/call-tool-as-model';
import type { ModelHost, ModelLine } from '../../core/session/model-host';
import type { OfferedTools } from '../../core/tools/offered-tools';
import { composePrompt, type PromptContext } from '../../core/session/prompt';
import type { OfferedTool, ServerToolCaller } from '../../core/session/server-tool-caller';
import type { SessionLog } from '../../core/session/session-log';
import { callRecord } from '../../core/tools/call-record';
import type { RecordedApprovals } from '../../core/tools/gate';
import type { HostToolCaller } from '../../core/tools/host-tool-caller';
import { callFacts, withHint, isApproved, needsApproval, workflowLists } from '../../core/workflows/guard';
import type { WorkflowRegistry } from '../../core/workflows/registry';
import type { RegistryView } from '../../core/workflows/registry-view';
import type { StepMaterialSource } from '../../core/workspace/step-material-source';
import type { ToolLists } from '../../core/ports/tool-lists';
import type { CallKind } from '../../core/session/step-material';
import type { StepMaterial } from '../../core/session/step-material';

export interface ModelHostDeps {
  readonly log: SessionLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly plane: ControlPlane;
  readonly hostCalls: HostToolCaller;
  readonly workflows: Pick<WorkflowRegistry, 'view'>;
  readonly promptOf: (
    state: SessionState,
    kind: CallKind,
    offered: OfferedTools,
    turn?: number,
  ) => PromptContext;
  readonly steps: StepMaterialSource;
  readonly serverCalls: ServerToolCaller;
}

/**
 * A model host that also accepts calls from outside a conversation: `patina tool` makes a model's call by
 * hand.
 */
export interface ComposedModelHost extends ModelHost {
  readonly carryOut: CallToolAsModel;
  /**
   * Whether a line's reply may include the servers' tools, in which case the servers are asked to list them.
   */
  readonly asksServers: (state: SessionState, line: ModelLine) => boolean;
}

/**
 * A reply that is not an answer after this many rounds of tool calls never will be; work with servers takes
 * many steps.
 */
const maxRounds = { talk: 8, work: 60 };

function argumentsOf({ argumentsJson }: ModelToolCall): JsonObject {
  const parsed = parseJson(argumentsJson.trim() === '' ? '{}' : argumentsJson);
  return parsed.ok && isObject(parsed.value) ? parsed.value : {};
}

/** The session's recorded approvals, in the form the gate reads. */
function approvalsOf(log: SessionLog, { sessionId, turn }: CallLine, run: WorkflowRun): RecordedApprovals {
  const { workflowRunId } = run;
  return {
    needed: ({ tool, arguments: args }, write) => needsApproval(run, tool, args, write),
    isApproved(hash) {
      const now = log.state(sessionId)?.workflow;
      return now?.workflowRunId === workflowRunId && isApproved(now, hash);
    },
    use: (hash) => log.append(sessionId, [{ type: 'workflow-approval-used', workflowRunId, turn, hash }]).ok,
  };
}

/** A workspace's descriptor replaces a tool's text, never its schema. */
function inOwnWords(tools: readonly OfferedTool[], material: Result<StepMaterial>): readonly ModelTool[] {
  return tools.map(({ uri, ...tool }) => {
    const own = material.ok ? material.value.describe(uri ?? tool.name) : undefined;
    return own === undefined ? tool : { ...tool, description: own };
  });
}

type ListsOf = (state: SessionState, line: Pick<CallLine, 'mode'> & { readonly turn?: number }) => ToolLists;
type DispatchDeps = Pick<ModelHostDeps, 'log' | 'clock' | 'ids' | 'hostCalls' | 'serverCalls'>;

/**
 * Dispatches a model's call: to a server when it was offered the server's tool of that name, otherwise to the
 * host's tools.
 */
function createDispatch(deps: DispatchDeps, lists: ListsOf) {
  const { log, clock, ids, hostCalls, serverCalls } = deps;
  return async (line: CallLine, state: SessionState | null, call: ModelToolCall, signal: AbortSignal) => {
    const { name, argumentsJson } = call;
    const run = state?.workflow ?? null;
    const bound = state ? lists(state, line) : {};
    const tool = state ? await serverCalls.find(line, state, { name, lists: bound }) : undefined;
    const args = argumentsOf(call);
    const recorded = run ? { recorded: approvalsOf(log, line, run) } : {};
    if (!state || tool === undefined) {
      const { sessionId, turn, approve } = line;
      const said = { sessionId, turn, ...(approve && { approve }) };
      const scope = { ...said, actor: 'model' as const, signal, lists: bound, ...recorded };
      return { tool: name, args, ...(await hostCalls.call({ name, argumentsJson }, scope)) };
    }
    const started = clock.elapsed();
    const result = await serverCalls.call({ line, state, tool, args, lists: bound, ...recorded }, signal);
    const ms = Math.max(0, clock.elapsed() - started);
    const record = callRecord({ callId: ids.next('call'), tool, arguments: args, ms }, result);
    return { tool, args, result, record };
  };
}

/** Runs a call and applies its consequences to the workflow that it belongs to. */
function createCarryOut(
  deps: DispatchDeps,
  lists: ListsOf,
  viewOf: (state: SessionState) => RegistryView,
): CallToolAsModel {
  const { log } = deps;
  const dispatch = createDispatch(deps, lists);
  return async (line, call, signal) => {
    const state = log.state(line.sessionId);
    const { tool, args, result, record } = await dispatch(line, state, call, signal);
    if (!state) return { record, result };
    // A call by hand belongs to no line.
    const turn = line.turn < state.turnCount ? line.turn : null;
    const ended = { state, view: viewOf(state), turn, tool, args, result };
    const facts = callFacts(ended);
    if (facts.length > 0) log.append(line.sessionId, facts);
    return { record, result: withHint(ended) };
  };
}

/**
 * Gives a model call its view of the session and access to the host's tools and to those that its workflow
 * permits.
 */
export function createModelHost(deps: ModelHostDeps): ComposedModelHost {
  const { plane, hostCalls, workflows, promptOf, steps, serverCalls } = deps;
  const { modes } = plane;
  const viewOf = (state: SessionState) => workflows.view(state.workflowPin);
  const listsOf: ListsOf = (state, { turn, mode = plane.modeOf(state) }) => {
    const material = steps.peek(state, turn);
    const catalogTools = material.ok ? material.value.tools : [];
    const modeTools = modes.getToolsForMode(mode.key);
    return workflowLists({ modeTools, catalogTools }, state, viewOf(state));
  };

  const lists = (state: SessionState, turn?: number): ToolLists =>
    listsOf(state, turn === undefined ? {} : { turn });
  const asksServers: ComposedModelHost['asksServers'] = (state, line) =>
    state.workflow !== null || serverCalls.wanted(line, state);
  const carryOut = createCarryOut(deps, listsOf, viewOf);

  return {
    step: steps.begin,
    blocks(state, kind, offered, turn) {
      const { workflowBoot, ...context } = promptOf(state, kind, offered, turn);
      // A planning call starts no workflow, so it does not list them.
      return composePrompt({ ...context, ...(kind !== 'plan' && workflowBoot && { workflowBoot }) });
    },
    brief(state, kind, offered, turn) {
      const { workspacePack, modeCatalog } = promptOf(state, kind, offered, turn);
      return composePrompt({ ...(workspacePack && { workspacePack }), ...(modeCatalog && { modeCatalog }) });
    },
    lists,
    tools: (state, turn) => inOwnWords(hostCalls.offered(lists(state, turn)), steps.peek(state, turn)),
    rounds: (state, line) => (asksServers(state, line) ? maxRounds.work : maxRounds.talk),
    asksServers,
    async stepTools(state, line) {
      const offered = await serverCalls.offered(line, state, lists(state, line.turn));
      return inOwnWords(offered, steps.peek(state, line.turn));
    },
    carryOut,
    async call(line, call, signal): Promise<ToolAnswer> {
      const { record, result } = await carryOut(line, call, signal);
      return { record, content: result.ok ? result.value : JSON.stringify({ error: result.error }) };
    },
  };
}
