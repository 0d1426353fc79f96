import { appError } from '#shared/app-error';
import { Plan } from '#shared/plan';
import { ok, type Result } from '#shared/result';
import type { AgentRequest, ApprovePolicy } from '../../agent/agent';
import type { App } from '../../compose';
import { answerOnTerminal } from '../ask-approval';
import { openSession } from '../open-session';
import { fail, type ExitCode, type Terminal } from '../output';
import { readChecked } from '../read-input';
import { printRun, progressLine, runOf } from '../run-report';

export interface AgentOptions {
  readonly session?: string;
  readonly plan?: string;
  readonly approve?: ApprovePolicy;
}

const stopped = appError('HOST', 'CANCELLED', 'The run was stopped before it began.');

interface RunRequest {
  readonly goal: string;
  readonly given?: AgentRequest['given'];
  readonly session?: string | undefined;
  readonly approve?: ApprovePolicy | undefined;
}

/** Runs a goal, a plan or a recipe in a session and prints the report; progress goes to standard error. */
export async function runInSession(app: App, terminal: Terminal, request: RunRequest): Promise<ExitCode> {
  if (!app.agentMode.enabled) {
    return fail(terminal, appError('HOST', 'STATE', app.agentMode.reason ?? 'Agent Mode is switched off.'));
  }
  const session = openSession(app, request.session);
  if (!session.ok) return fail(terminal, session.error);
  const sessionId = session.value.id;
  const unsubscribe = app.log.subscribe((events, id) => {
    if (id !== sessionId) return;
    const lines = terminal.json ? [] : events.map(progressLine);
    for (const line of lines) if (line !== null) terminal.log(line);
    if (terminal.interactive) answerOnTerminal(app, terminal, events);
  });
  const approve = request.approve ?? (terminal.interactive ? 'ask' : 'none');
  const sent = app.conversation.send({
    sessionId,
    text: request.goal,
    runMode: 'agent',
    model: await app.chosenModel(),
    approve,
    ...(request.given && { given: request.given }),
  });
  if (!sent.ok) return fail(terminal, sent.error);
  const run = runOf(await sent.value.done);
  unsubscribe();
  return run ? printRun(terminal, run) : fail(terminal, stopped);
}

function givenPlan(file: string | undefined): Result<AgentRequest['given']> {
  if (file === undefined) return ok(undefined);
  const plan = readChecked(file, Plan);
  return plan.ok ? ok({ plan: plan.value }) : plan;
}

/** `patina agent GOAL [--plan FILE]`: with a plan no model is asked. */
export async function agentCommand(
  app: App,
  terminal: Terminal,
  goal: string,
  options: AgentOptions,
): Promise<ExitCode> {
  const given = givenPlan(options.plan);
  if (!given.ok) return fail(terminal, given.error);
  const { session, approve } = options;
  return runInSession(app, terminal, { goal, session, approve, ...(given.value && { given: given.value }) });
}
