import { appError } from '#shared/app-error';
import { ok, type Result } from '#shared/result';
import type { ContextItem } from '#shared/context-item';
import type { ModelRef } from '#shared/model';
import type { ModelParameters } from '#shared/model-parameters';
import type { Review } from '#shared/plan-review';
import type { RunState } from '#shared/session-state';
import type { WorkspaceOverride } from '#shared/workspace';
import type { AgentRequest, ApprovePolicy } from '../../../core/ports/agent';
import type { App } from '../../app';
import { attachFiles } from '../attach-files';
import { createApprovalPrompts } from '../ask-approval';
import { createPlanPrompts } from '../ask-plan';
import type { QuestionParts } from '../ask-questions';
import { askElicitations } from '../ask-elicitation';
import { createQuestionPrompts } from '../ask-question';
import { createWorkflowPrompts } from '../ask-workflow';
import { modelNamed } from '../named-model';
import { nothingToSend, openNamedSession } from '../open-session';
import { fail, failUsage, type ExitCode, type Terminal } from '../output';
import { readJson } from '../read-input';
import { runCommandLine } from '../route-line';
import { overrideFrom, type OverrideOptions } from '../workspace-override';
import { printRun, progressLine, runOf } from '../run-report';
import type { SentLine } from '../../../core/session/turn-work';

export interface AgentOptions extends OverrideOptions {
  readonly session?: string;
  /** Resumes this interrupted run instead of running a goal. */
  readonly resume?: string;
  /** The calls whose unknown outcome the user has checked, for `resume`. */
  readonly happened?: readonly string[];
  readonly notHappened?: readonly string[];
  readonly plan?: string;
  /** PROVIDER/MODEL, or the name of a model that one provider lists. */
  readonly model?: string;
  readonly effort?: ModelParameters['effort'];
  /** Runs the goal of this turn again; there is no goal then. */
  readonly regenerate?: number;
  readonly approve?: ApprovePolicy;
  readonly review?: Review;
  /** Asks the model even when a plan of the same goal is cached. */
  readonly planAnew?: boolean;
  /** Bypasses the read cache. */
  readonly fresh?: boolean;
  /** The turn that the line follows, instead of the head of the session. */
  readonly parent?: number;
  /** Files and folders that go with the goal. */
  readonly attach?: readonly string[];
  /** Attaches files that look like secrets. */
  readonly attachSecrets?: boolean;
}

const stopped = appError('HOST', 'CANCELLED', 'The run was stopped before it started.');

interface RunRequest {
  readonly goal: string;
  readonly provided?: AgentRequest['provided'];
  readonly session?: string | undefined;
  readonly approve?: ApprovePolicy | undefined;
  readonly review?: Review | undefined;
  readonly planAnew?: boolean | undefined;
  readonly fresh?: boolean | undefined;
  readonly workspace?: WorkspaceOverride | undefined;
  readonly parent?: number | undefined;
  readonly items?: ContextItem[] | undefined;
  readonly model?: string | undefined;
  readonly effort?: ModelParameters['effort'];
  readonly regenerate?: number | undefined;
}

/** The parts that a run in the terminal uses. */
export type RunParts = QuestionParts &
  Pick<
    App,
    | 'agentMode'
    | 'chosenModel'
    | 'conversation'
    | 'editApproval'
    | 'models'
    | 'plane'
    | 'project'
    | 'runs'
    | 'sessionScans'
  >;

/** Whether a plan can be reviewed here; with `--json` the only output is the run's document. */
export const canReview = ({ interactive, json }: Terminal): boolean => interactive && !json;

/** Prints a run's steps and asks the user for approvals; returns a function that stops both. */
function followRun(
  app: QuestionParts & Pick<App, 'editApproval' | 'runs'>,
  terminal: Terminal,
  sessionId: string,
  approve: ApprovePolicy,
  prior: RunState | undefined,
): () => void {
  const approvals = createApprovalPrompts(app, terminal);
  if (prior) approvals.onResume(prior);
  const plans = createPlanPrompts(app, terminal);
  const reads = approve === 'ask' && terminal.interactive;
  const questions = createQuestionPrompts(app, terminal, reads);
  const workflow = createWorkflowPrompts(app, terminal, { reads });
  const leave = askElicitations(app, terminal, reads);
  const unsubscribe = app.log.subscribe((events, id) => {
    if (id !== sessionId) return;
    const lines = terminal.json ? [] : events.map(progressLine);
    for (const line of lines) if (line !== null) terminal.log(line);
    if (approve === 'ask') approvals.onEvents(events);
    if (canReview(terminal)) plans.onEvents(events);
    questions.onEvents(events);
    workflow.onEvents(events);
  });
  return () => {
    unsubscribe();
    leave();
    for (const one of [approvals, plans, questions, workflow]) one.close();
  };
}

/** The optional parts of a line, present only when requested. */
const optionalParts = ({ provided, workspace, parent, items = [], effort }: RunRequest) => ({
  ...(items.length > 0 && { items }),
  ...(provided && { provided }),
  ...(workspace && { workspace }),
  ...(parent !== undefined && { parent }),
  ...(effort && { parameters: { effort } }),
});

/** The exit code of a command that the line was, in a session; null for a goal. */
async function asCommand(
  app: RunParts,
  terminal: Terminal,
  { sessionId, model }: { readonly sessionId: string; readonly model: ModelRef },
  { goal: text, session, provided, regenerate, parent }: RunRequest,
): Promise<ExitCode | null> {
  if (session === undefined || provided || regenerate !== undefined) return null;
  const place = parent === undefined ? {} : { parent };
  return runCommandLine(app, terminal, { sessionId, text, runMode: 'agent', model, ...place });
}

/** Runs a goal, a plan or a recipe in a session and prints the report; progress goes to standard error. */
export async function runInSession(
  app: RunParts,
  terminal: Terminal,
  request: RunRequest,
): Promise<ExitCode> {
  if (!app.agentMode.enabled) {
    return fail(terminal, appError('HOST', 'STATE', app.agentMode.reason ?? 'Agent Mode is switched off.'));
  }
  const { goal: text, review = 'writes', planAnew, fresh, regenerate: turn } = request;
  if (turn === undefined && text.trim() === '') return failUsage(terminal, nothingToSend);
  const named = await modelNamed(app, request.model, request.session);
  if (!named.ok) return fail(terminal, named.error);
  const model = named.value;
  const session = openNamedSession(app, terminal, request.session);
  if (!session.ok) return fail(terminal, session.error);
  const sessionId = session.value.id;
  const code = await asCommand(app, terminal, { sessionId, model }, request);
  if (code !== null) return code;
  const wanted = request.approve ?? (review === 'none' ? 'none' : undefined);
  return followToEnd(app, terminal, { sessionId, approve: wanted }, (approve) => {
    const rules = { approve, review, leaveForReview: !canReview(terminal), planAnew, fresh };
    const line = { sessionId, runMode: 'agent' as const, model, ...rules, ...optionalParts(request) };
    return turn === undefined
      ? app.conversation.send({ ...line, text })
      : app.conversation.regenerate({ ...line, turn });
  });
}

interface FollowedRun {
  readonly sessionId: string;
  readonly approve: ApprovePolicy | undefined;
  /** The run that is resumed. */
  readonly prior?: RunState;
}

/** Starts a run in a session, follows it to its end and prints the report. */
export async function followToEnd(
  app: RunParts,
  terminal: Terminal,
  { sessionId, approve: wanted, prior }: FollowedRun,
  start: (approve: ApprovePolicy) => Result<SentLine>,
): Promise<ExitCode> {
  const approve = wanted ?? (terminal.interactive ? 'ask' : 'none');
  const unfollow = followRun(app, terminal, sessionId, approve, prior);
  const started = start(approve);
  if (!started.ok) {
    unfollow();
    return fail(terminal, started.error);
  }
  const { turn, done } = started.value;
  const unsubscribe = terminal.onInterrupt(() => app.conversation.stop(sessionId, turn));
  const run = runOf(await done);
  unsubscribe();
  unfollow();
  return run ? printRun(terminal, run) : fail(terminal, stopped);
}

/** Reads the plan file without validating it: the run's check reports all problems at once. */
async function givenPlan(file: string | undefined): Promise<Result<AgentRequest['provided']>> {
  if (file === undefined) return ok(undefined);
  const plan = await readJson(file);
  return plan.ok ? ok({ plan: plan.value, file }) : plan;
}

/** The goal that a plan file names, for several stages in the first one; empty when it names none. */
function goalOfPlan(plan: unknown): string {
  const { stages, ...rest } = (plan ?? {}) as Readonly<Record<string, unknown>>;
  const { goal } = Array.isArray(stages) ? ((stages[0] ?? {}) as Readonly<Record<string, unknown>>) : rest;
  return typeof goal === 'string' ? goal : '';
}

const goalRefusal = appError('HOST', 'INVALID_INPUT', 'There is no goal.', {
  hint: 'Name it in the plan file as "goal", or before --plan.',
});

/** `patina agent GOAL [--plan FILE]`: a given plan needs no model call, and its own goal is used without another. */
export async function agentCommand(
  app: RunParts & Pick<App, 'attach' | 'workspace'>,
  terminal: Terminal,
  named: string | undefined,
  options: AgentOptions,
): Promise<ExitCode> {
  const planFile = await givenPlan(options.plan);
  if (!planFile.ok) return fail(terminal, planFile.error);
  const provided = planFile.value;
  const goal = named ?? (provided && 'plan' in provided ? goalOfPlan(provided.plan) : '');
  if (named === undefined && provided && goal.trim() === '') return fail(terminal, goalRefusal);
  const workspace = overrideFrom(app, options);
  if (!workspace.ok) return fail(terminal, workspace.error);
  const items = await attachFiles(app, options);
  if (!items.ok) return fail(terminal, items.error);
  const { session, approve, review, planAnew, fresh, parent, model, effort, regenerate } = options;
  const rules = { approve, review, planAnew, fresh, model, effort };
  return runInSession(app, terminal, {
    goal,
    session,
    parent,
    regenerate,
    items: items.value,
    workspace: workspace.value,
    ...rules,
    ...(provided && { provided }),
  });
}
