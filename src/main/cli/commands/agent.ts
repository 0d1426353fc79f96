import { appError } from '#shared/app-error';
import { ok, type Result } from '#shared/result';
import type { WorkspaceOverride } from '#shared/workspace';
import type { AgentRequest, ApprovePolicy } from '../../../core/ports/agent';
import type { App } from '../../app';
import { createApprovalPrompts } from '../ask-approval';
import type { QuestionParts } from '../ask-questions';
import { askElicitations } from '../ask-elicitation';
import { createQuestionPrompts } from '../ask-question';
import { createWorkflowPrompts } from '../ask-workflow';
import { nothingToSend, openSession } from '../open-session';
import { fail, type ExitCode, type Terminal } from '../output';
import { readJson } from '../read-input';
import { overrideFrom, type OverrideOptions } from '../workspace-override';
import { printRun, progressLine, runOf } from '../run-report';

export interface AgentOptions extends OverrideOptions {
  readonly session?: string;
  readonly plan?: string;
  readonly approve?: ApprovePolicy;
  /** Asks the model even when a plan of the same goal is cached. */
  readonly planAnew?: boolean;
  /** Bypasses the read cache. */
  readonly fresh?: boolean;
}

const stopped = appError('HOST', 'CANCELLED', 'The run was stopped before it started.');

interface RunRequest {
  readonly goal: string;
  readonly given?: AgentRequest['given'];
  readonly session?: string | undefined;
  readonly approve?: ApprovePolicy | undefined;
  readonly planAnew?: boolean | undefined;
  readonly fresh?: boolean | undefined;
  readonly workspace?: WorkspaceOverride | undefined;
}

/** The parts that a run in the terminal uses. */
export type RunParts = QuestionParts &
  Pick<App, 'agentMode' | 'chosenModel' | 'conversation' | 'editApproval' | 'project' | 'runs'>;

/** Prints a run's steps and asks the user for approvals; returns a function that stops both. */
function followRun(
  app: QuestionParts & Pick<App, 'editApproval' | 'runs'>,
  terminal: Terminal,
  sessionId: string,
  approve: ApprovePolicy,
): () => void {
  const approvals = createApprovalPrompts(app, terminal);
  const reads = approve === 'ask' && terminal.interactive;
  const questions = createQuestionPrompts(app, terminal, reads);
  const workflow = createWorkflowPrompts(app, terminal, reads);
  const leave = askElicitations(app, terminal, reads);
  const unsubscribe = app.log.subscribe((events, id) => {
    if (id !== sessionId) return;
    const lines = terminal.json ? [] : events.map(progressLine);
    for (const line of lines) if (line !== null) terminal.log(line);
    if (approve === 'ask') approvals.hear(events);
    questions.hear(events);
    workflow.hear(events);
  });
  return () => {
    unsubscribe();
    leave();
    for (const one of [approvals, questions, workflow]) one.close();
  };
}

/** The optional parts of a line, present only when requested. */
const optionalParts = ({ given, workspace }: RunRequest) => ({
  ...(given && { given }),
  ...(workspace && { workspace }),
});

/** Runs a goal, a plan or a recipe in a session and prints the report; progress goes to standard error. */
export async function runInSession(
  app: RunParts,
  terminal: Terminal,
  request: RunRequest,
): Promise<ExitCode> {
  if (!app.agentMode.enabled) {
    return fail(terminal, appError('HOST', 'STATE', app.agentMode.reason ?? 'Agent Mode is switched off.'));
  }
  if (request.goal.trim() === '') return fail(terminal, nothingToSend);
  const session = openSession(app, request.session);
  if (!session.ok) return fail(terminal, session.error);
  const sessionId = session.value.id;
  const approve = request.approve ?? (terminal.interactive ? 'ask' : 'none');
  const unfollow = followRun(app, terminal, sessionId, approve);
  const sent = app.conversation.send({
    sessionId,
    text: request.goal,
    runMode: 'agent',
    model: await app.chosenModel(),
    approve,
    planAnew: request.planAnew,
    fresh: request.fresh,
    ...optionalParts(request),
  });
  if (!sent.ok) {
    unfollow();
    return fail(terminal, sent.error);
  }
  const { turn, done } = sent.value;
  const unsubscribe = terminal.onInterrupt(() => app.conversation.stop(sessionId, turn));
  const run = runOf(await done);
  unsubscribe();
  unfollow();
  return run ? printRun(terminal, run) : fail(terminal, stopped);
}

/** Reads the plan file without validating it: the run's check reports all problems at once. */
async function givenPlan(file: string | undefined): Promise<Result<AgentRequest['given']>> {
  if (file === undefined) return ok(undefined);
  const plan = await readJson(file);
  return plan.ok ? ok({ plan: plan.value }) : plan;
}

/** `patina agent GOAL [--plan FILE]`: a given plan needs no model call. */
export async function agentCommand(
  app: RunParts & Pick<App, 'workspace'>,
  terminal: Terminal,
  goal: string,
  options: AgentOptions,
): Promise<ExitCode> {
  const given = await givenPlan(options.plan);
  if (!given.ok) return fail(terminal, given.error);
  const workspace = overrideFrom(app, options);
  if (!workspace.ok) return fail(terminal, workspace.error);
  const { session, approve, planAnew, fresh } = options;
  const placed = { goal, session, approve, planAnew, fresh, workspace: workspace.value };
  return runInSession(app, terminal, { ...placed, ...(given.value && { given: given.value }) });
}
