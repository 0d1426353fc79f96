import type { AppError } from '#shared/app-error';
import { isObject, parseJson, type Json, type JsonObject } from '#shared/json';
import type { Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import type { RequiredApproval } from '#shared/workflow';
import type { WorkflowErrorKind } from '#shared/workflow-event';
import type { WorkflowRun } from '#shared/workflow-state';
import type { EndedModelCall, WorkflowGuard } from '../session/model-tools';
import type { SessionLog } from '../session/session-log';
import { withNames } from '../tools/tool-lists';
import { cancelTool, completeTool } from './end-tools';
import type { WorkflowRegistry } from './registry';
import { unreadableMessage, type RegistryView } from './registry-view';
import { startTool } from './start-tool';
import { errorFact, type RaisedError } from './workflow-controller';
import type { ToolLists } from '../ports/tool-lists';

/** The reason why a workflow cannot make any call now. */
interface BlockedReason {
  readonly kind: WorkflowErrorKind;
  readonly message: string;
}

function blockedReason(run: WorkflowRun, view: RegistryView): BlockedReason | null {
  const { WorkflowId: id, Ddr } = run.definition;
  if (view.find(id)?.approval.kind === 'drifted') {
    const message = `‘${id}’ is halted: its definition is not the one approved in ${Ddr}. A person has to resolve this.`;
    return { kind: 'drift', message };
  }
  const unreadable = view.unreadable.get(id);
  if (unreadable !== undefined) {
    return { kind: 'drift', message: `${unreadableMessage(id)} ${unreadable}` };
  }
  if (run.inputs === null) {
    return { kind: 'inputs-missing', message: 'The user has not given the required inputs yet.' };
  }
  if (run.halted) {
    const message = `The workflow is stopped until the user chooses to retry, correct or cancel: ${run.halted.message}`;
    return { kind: run.halted.kind, message };
  }
  return null;
}

/**
 * Restricts the session's tool lists to the tools that the workflow permits (TUL-006 §6.3), and adds the
 * tools that start and end workflows.
 */
export function workflowLists(lists: ToolLists, state: SessionState, view: RegistryView): ToolLists {
  const run = state.workflow;
  if (!run) return withNames(lists, [startTool]);
  const permitted = blockedReason(run, view) ? [] : run.definition.PermittedTools;
  const switches = run.definition.AllowedTransitions.workflows.length > 0 ? [startTool] : [];
  return withNames({ ...lists, workflowTools: permitted }, [completeTool, cancelTool, ...switches]);
}

function applies({ tool, when = {} }: RequiredApproval, called: string, args: JsonObject): boolean {
  if (tool !== called) return false;
  return Object.entries(when).every(([name, values]) => {
    const argument = args[name];
    return typeof argument === 'string' && values.includes(argument);
  });
}

/**
 * Whether a call needs a recorded approval: every call that the manifest names, and every write (TUL-006
 * §7.3, §7.7).
 */
export function needsApproval(run: WorkflowRun, tool: string, args: JsonObject, write: boolean): boolean {
  return write || run.definition.RequiredApprovals.some((row) => applies(row, tool, args));
}

export const isApproved = (run: WorkflowRun, hash: string): boolean =>
  run.approvals.some((one) => one.hash === hash && one.approved && !one.used);

/** A call that has ended, with the registry that it was checked against. */
interface EndedCall extends EndedModelCall {
  readonly view: RegistryView;
}

const maxStoredLength = 200;
const isStorable = (value: Json): boolean =>
  typeof value === 'string' ? value.length <= maxStoredLength : value === null || typeof value !== 'object';

const storableArguments = (args: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => isStorable(value)));

/**
 * The failure that a tool reports in its answer, `{ok: false, error}`; field errors are guidance and do not
 * halt (TUL-006 §10.4).
 */
function failureIn(text: string): { readonly message: string; readonly halts: boolean } | null {
  const parsed = parseJson(text);
  if (!parsed.ok || !isObject(parsed.value) || parsed.value['ok'] !== false) return null;
  const { error } = parsed.value;
  if (error === undefined || !isObject(error))
    return { message: 'The tool reported a problem.', halts: false };
  const { message, code } = error;
  return {
    message: typeof message === 'string' ? message : 'The tool failed.',
    // After an invalid payload or the user's own no, the model may simply make another call.
    halts: code !== 'invalid_payload' && code !== 'approval_required',
  };
}

const refusedBy = (error: AppError): boolean =>
  ['workflow', 'mode', 'descriptor', 'binding', 'capability'].includes(error.layer ?? '');

/** Whether the call never reached the tool, because of a list or a missing approval. */
const wasRefused = (result: Result<string>): boolean =>
  !result.ok && (refusedBy(result.error) || result.error.layer === 'approval');

function refusal(
  { view, tool }: EndedCall,
  run: WorkflowRun,
  error: AppError,
): Omit<RaisedError, 'workflowId'> {
  const blocked = blockedReason(run, view);
  if (error.layer === 'approval') {
    const message = `${tool} needs the user's approval of exactly this call first.`;
    return { kind: 'approval-missing', message };
  }
  if (blocked) return blocked;
  if (tool === startTool) {
    const { WorkflowId: id } = run.definition;
    return { kind: 'second-workflow', message: `Another workflow cannot start while ‘${id}’ is running.` };
  }
  // A tool that the workflow permits was refused by another layer, and its own message says which.
  if (isStep(run, tool)) return { kind: 'tool-not-permitted', message: error.message };
  return {
    kind: 'tool-not-permitted',
    message: `${tool} is not permitted in this workflow. It was not called.`,
  };
}

/** The error that a call raises in the workflow; null when the workflow is not affected. */
function raisedBy(ended: EndedCall, run: WorkflowRun): Omit<RaisedError, 'workflowId'> | null {
  const { result, tool } = ended;
  if (result.ok) {
    const failed = failureIn(result.value);
    return failed && { kind: 'tool-failed', message: `${tool}: ${failed.message}`, halts: failed.halts };
  }
  const { error } = result;
  if (error.kind === 'HOST' && error.code === 'CANCELLED') return null;
  if (wasRefused(result)) return refusal(ended, run, error);
  // Arguments that do not fit the schema never reach the tool, so the call can be made again with correct
  // ones.
  const halts = error.code !== 'INVALID_ARGUMENTS';
  return { kind: 'tool-failed', message: `${tool}: ${error.message}`, halts };
}

const isStep = (run: WorkflowRun, tool: string): boolean => run.definition.PermittedTools.includes(tool);
/** Tools that record their own violations of the workflow. */
const selfReportingTools = new Set([
  startTool,
  completeTool,
  cancelTool,
  'agent_change_mode',
  'agent_workflow_registry',
]);

const isSelfReporting = ({ tool, result }: EndedCall): boolean =>
  selfReportingTools.has(tool) && (result.ok || !refusedBy(result.error));

function stepFacts(
  { turn, tool, args, result }: EndedCall,
  run: WorkflowRun,
  outcome: 'failed' | 'done',
): readonly SessionFact[] {
  if (!isStep(run, tool) || wasRefused(result)) return [];
  const { workflowRunId } = run;
  const called = { workflowRunId, turn, tool, arguments: storableArguments(args) };
  return [{ type: 'workflow-step-ended', ...called, outcome }];
}

/** The facts that a model's call adds to the record of its workflow. */
export function callFacts(ended: EndedCall): readonly SessionFact[] {
  const { state, turn, tool, result } = ended;
  const run = state.workflow;
  if (!run) return [];
  const raised = isSelfReporting(ended) ? null : raisedBy(ended, run);
  const step = stepFacts(ended, run, raised ? 'failed' : 'done');
  if (!raised) return step;
  const error = result.ok ? {} : { error: result.error };
  const { WorkflowId: workflowId } = run.definition;
  return [...step, errorFact(run, turn, { workflowId, tool, ...raised, ...error })];
}

const ask = 'Stop, and ask the user how to continue.';
const nextStepHints: Readonly<Partial<Record<WorkflowErrorKind, string>>> = {
  'approval-missing': 'Call request_user_approval with this tool and exactly these arguments.',
};

/**
 * The hint for the model when the user wants something that the workflow prohibits: suggest what is allowed
 * instead (TUL-006 §7.9).
 */
const nextStepHint = ({ definition: { Title, PermittedTools } }: WorkflowRun): string =>
  `${ask} Say that the workflow “${Title}” prohibits it, and suggest what it allows (${PermittedTools.join(', ') || 'no tools'}), or that the user cancels it for another workflow.`;

/** Replaces a refusal's text with the workflow's own message and a hint for the model. */
function withHint(ended: EndedCall): Result<string> {
  const { result, state } = ended;
  const run = state.workflow;
  if (result.ok || !run || !wasRefused(result)) return result;
  const { message, kind } = refusal(ended, run, result.error);
  const notPermitted = kind === 'tool-not-permitted' && !isStep(run, ended.tool);
  const hint = notPermitted ? nextStepHint(run) : (nextStepHints[kind] ?? ask);
  const layer = notPermitted ? 'workflow' : result.error.layer;
  return { ok: false, error: { ...result.error, message, hint, ...(layer !== undefined && { layer }) } };
}

/** Holds a model to the workflow of its session: its tools, its recorded approvals, its record of calls. */
export function createWorkflowGuard({
  log,
  registry,
}: {
  readonly log: Pick<SessionLog, 'state' | 'append'>;
  readonly registry: Pick<WorkflowRegistry, 'view'>;
}): WorkflowGuard {
  const viewOf = (state: SessionState): RegistryView => registry.view(state.workflowPin);
  return {
    lists: (lists, state) => workflowLists(lists, state, viewOf(state)),
    approvals({ sessionId, turn }, run) {
      const { workflowRunId } = run;
      return {
        needed: ({ tool, arguments: args }, write) => needsApproval(run, tool, args, write),
        isApproved(hash) {
          const now = log.state(sessionId)?.workflow;
          return now?.workflowRunId === workflowRunId && isApproved(now, hash);
        },
        use: (hash) =>
          log.append(sessionId, [{ type: 'workflow-approval-used', workflowRunId, turn, hash }]).ok,
      };
    },
    ended(call) {
      const ended = { ...call, view: viewOf(call.state) };
      return { facts: callFacts(ended), result: withHint(ended) };
    },
  };
}
