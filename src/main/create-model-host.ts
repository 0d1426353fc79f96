import { isObject, parseJson, type JsonObject } from '#shared/json';
import { err, type Result } from '#shared/result';
import { appError } from '#shared/app-error';
import type { SessionState } from '#shared/session-state';
import type { WorkflowRun } from '#shared/workflow-state';
import type { ControlPlane } from './control-plane/control-plane';
import type { WorkflowSide } from './compose-workflows';
import type { Clock } from './ports/clock';
import type { Ids } from './ports/ids';
import type { ModelTool, ModelToolCall } from './ports/llm';
import type { ToolAnswer } from './session/ask-turn';
import type { ModelHost } from './session/model-host';
import { composePrompt, type PromptContext } from './session/prompt';
import type { SessionLog } from './session/session-log';
import { callRecord } from './tools/call-record';
import type { RecordedApprovals } from './tools/gate';
import type { HostCalls } from './tools/host-calls';
import type { ToolLists } from './tools/tool-lists';
import { callFacts, explained, isApproved, needsApproval, workflowLists } from './workflows/guard';
import { serverToolNames } from './workflows/server-tool-names';
import type { StepMaterial } from './workspace/step-content';
import type { StepDesk } from './workspace/step-desk';

export interface ModelHostDeps {
  readonly log: SessionLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly plane: ControlPlane;
  readonly hostCalls: HostCalls;
  readonly workflows: WorkflowSide;
  readonly promptOf: (state: SessionState, turn?: number) => PromptContext;
  readonly steps: StepDesk;
}

interface Line {
  readonly sessionId: string;
  readonly turn: number;
}

/** A reply that has not become an answer after this many rounds of tool calls never will; a workflow has many steps. */
const mostRounds = { talk: 8, workflow: 60 };

function argumentsOf({ argumentsJson }: ModelToolCall): JsonObject {
  const parsed = parseJson(argumentsJson.trim() === '' ? '{}' : argumentsJson);
  return parsed.ok && isObject(parsed.value) ? parsed.value : {};
}

/** The session's recorded approvals, as the gate asks for them. */
function approvalsOf(log: SessionLog, { sessionId, turn }: Line, run: WorkflowRun): RecordedApprovals {
  const { workflowRunId } = run;
  return {
    needed: ({ tool, arguments: args }, write) => needsApproval(run, tool, args, write),
    given(hash) {
      const now = log.state(sessionId)?.workflow;
      return now?.workflowRunId === workflowRunId && isApproved(now, hash);
    },
    use: (hash) => log.append(sessionId, [{ type: 'workflow-approval-used', workflowRunId, turn, hash }]).ok,
  };
}

/** A workspace's descriptor replaces a tool's words, never its schema. */
function inOwnWords(tools: readonly ModelTool[], material: Result<StepMaterial>): readonly ModelTool[] {
  if (!material.ok) return tools;
  const { describe } = material.value;
  return tools.map((tool) => ({ ...tool, description: describe(tool.name) ?? tool.description }));
}

interface ServerCall {
  readonly state: SessionState;
  readonly run: WorkflowRun;
  readonly tool: string;
  readonly args: JsonObject;
}

type ListsOf = ModelHost['lists'];
type DispatchDeps = Pick<ModelHostDeps, 'log' | 'clock' | 'ids' | 'hostCalls' | 'workflows'>;

/** Calls a server's tool for the running workflow. */
function createServerCall({ log, workflows }: DispatchDeps, lists: ListsOf) {
  return async (line: Line, what: ServerCall, signal: AbortSignal): Promise<Result<string>> => {
    const { state, run, tool, args } = what;
    if (state.project === null) {
      return err(
        appError('HOST', 'STATE', 'This session has no project folder for the tool to work in.', { tool }),
      );
    }
    const recorded = approvalsOf(log, line, run);
    const record = (facts: Parameters<SessionLog['append']>[1]): boolean =>
      log.append(line.sessionId, facts).ok;
    const call = { run, turn: line.turn, tool, args, lists: lists(state, line.turn), recorded, record };
    return workflows.steps.call(state.project, call, signal);
  };
}

/** Takes a model's call to the running workflow's server tool of that name, and every other to the host's tools. */
function createDispatch(deps: DispatchDeps, lists: ListsOf) {
  const { log, clock, ids, hostCalls } = deps;
  const callServer = createServerCall(deps, lists);
  return async (line: Line, state: SessionState | null, call: ModelToolCall, signal: AbortSignal) => {
    const { name, argumentsJson } = call;
    const run = state?.workflow ?? null;
    const tool = run ? serverToolNames(run.definition.PermittedTools).get(name) : undefined;
    const args = argumentsOf(call);
    if (!state || !run || tool === undefined) {
      const bound = state ? { lists: lists(state, line.turn) } : {};
      const recorded = run ? { recorded: approvalsOf(log, line, run) } : {};
      const scope = { ...line, actor: 'model' as const, signal, ...bound, ...recorded };
      return { tool: name, args, ...(await hostCalls.call({ name, argumentsJson }, scope)) };
    }
    const started = clock.elapsed();
    const result = await callServer(line, { state, run, tool, args }, signal);
    const ms = Math.max(0, clock.elapsed() - started);
    const record = callRecord({ callId: ids.next('call'), tool, arguments: args, ms }, result);
    return { tool, args, result, record };
  };
}

/** What a model call takes from the session, and its way to the host's tools and to those its workflow permits. */
export function createModelHost(deps: ModelHostDeps): ModelHost {
  const { log, plane, hostCalls, workflows, promptOf, steps } = deps;
  const { modes } = plane;
  const viewOf = (state: SessionState) => workflows.registry.view(state.workflowPin);
  const lists = (state: SessionState, turn?: number): ToolLists => {
    const material = steps.look(state, turn);
    const catalogTools = material.ok ? material.value.tools : [];
    const modeTools = modes.getToolsForMode(plane.modeOf(state).key);
    return workflowLists({ modeTools, catalogTools }, state, viewOf(state));
  };

  const dispatch = createDispatch(deps, lists);

  return {
    step: steps.begin,
    blocks: (state, turn) => composePrompt(promptOf(state, turn)),
    brief(state) {
      const { modeCatalog } = promptOf(state);
      return composePrompt(modeCatalog ? { modeCatalog } : {});
    },
    lists,
    tools: (state, turn) => inOwnWords(hostCalls.offered(lists(state, turn)), steps.look(state, turn)),
    rounds: ({ workflow }) => (workflow ? mostRounds.workflow : mostRounds.talk),
    async stepTools({ workflow, project }) {
      if (!workflow?.inputs || workflow.halted || project === null) return [];
      return workflows.steps.offered(workflow, project);
    },
    async call(line, call, signal): Promise<ToolAnswer> {
      const state = log.state(line.sessionId);
      const { tool, args, result, record } = await dispatch(line, state, call, signal);
      if (!state)
        return { record, content: result.ok ? result.value : JSON.stringify({ error: result.error }) };
      const ended = { state, view: viewOf(state), turn: line.turn, tool, args, result };
      const facts = callFacts(ended);
      if (facts.length > 0) log.append(line.sessionId, facts);
      const told = explained(ended);
      return { record, content: told.ok ? told.value : JSON.stringify({ error: told.error }) };
    },
  };
}
