import { appError, type AppError } from '#shared/app-error';
import { toolLabel, writeTarget } from '#shared/ledger';
import { err, ok, type Result } from '#shared/result';
import {
  turnAt,
  waitingPlan,
  type RunState,
  type SessionState,
  type WriteState,
} from '#shared/session-state';
import type { RunRef } from '../../../core/session/run-controls';
import type { App } from '../../app';
import { createPlanPrompts } from '../ask-plan';
import { openNamedSession } from '../open-session';
import { reportDamage } from '../report-damage';
import { fail, type ExitCode, type Terminal } from '../output';
import { canReview, followToEnd, type AgentOptions, type RunParts } from './agent';

interface Found {
  readonly sessionId: string;
  readonly turn: number;
  readonly run: RunState;
}

const runIn = ({ id, blocks }: SessionState, runId: string): Found | null => {
  const found = blocks.flat().findLast(({ run }) => run?.runId === runId);
  return found?.run ? { sessionId: id, turn: found.turn, run: found.run } : null;
};

function findRun(app: Pick<App, 'log'>, terminal: Pick<Terminal, 'log'>, runId: string): Result<Found> {
  const id = app.log.sessionOfRun(runId);
  if (!id.ok) return id;
  const state = app.log.peek(id.value);
  if (!state.ok) return state;
  const found = runIn(state.value, runId);
  // The index names the run, but the event that started it is damaged.
  if (!found) reportDamage(app, terminal, app.log.check(id.value));
  return found ? ok(found) : err(appError('HOST', 'NOT_FOUND', `The run ${runId} can no longer be read.`));
}

const isResumable = ({ status }: RunState): boolean => status !== 'done' && status !== 'answered';

const hasEnded = ({ runId, status }: RunState, sessionId: string): AppError =>
  appError('HOST', 'STATE', `The run ${runId} ended as ${status}, so nothing is left to resume.`, {
    hint: `Send the next message: patina agent GOAL --session ${sessionId}`,
  });

const describeWrite = ({ callId, tool, arguments: args }: WriteState): string =>
  `${callId}: ${toolLabel(tool)} ${writeTarget(args)}`;

function stillUnknown(writes: readonly WriteState[]): AppError {
  const [first] = writes;
  const list = writes.map(describeWrite).join('; ');
  return appError('HOST', 'STATE', `The outcome of a write is unknown, so the run cannot resume. ${list}`, {
    hint: `Check whether it was made, then add --happened ${first?.callId} or --not-happened ${first?.callId}.`,
  });
}

const isUnknown = ({ outcome }: WriteState): boolean => outcome === 'unknown';

/** Asks a user at the terminal about a write; null for any answer that is neither yes nor no. */
async function askAbout(terminal: Terminal, write: WriteState): Promise<boolean | null> {
  const question = `The outcome of this write is unknown.\n${describeWrite(write)}\nDid it happen? [y/n] `;
  const answer = (await terminal.inTurn(() => terminal.readLine(question)))?.trim() ?? '';
  if (/^y(es)?$/i.test(answer)) return true;
  return /^no?$/i.test(answer) ? false : null;
}

/** What the options say about a write; null when they do not name it. */
function outcomeGiven(callId: string, { happened = [], notHappened = [] }: AgentOptions): boolean | null {
  if (happened.includes(callId)) return true;
  return notHappened.includes(callId) ? false : null;
}

/** Records what the user found out about writes of unknown outcome; the error names those that are left. */
async function confirmWrites(
  app: RunParts,
  terminal: Terminal,
  place: RunRef,
  writes: readonly WriteState[],
  options: AgentOptions,
): Promise<Result<null>> {
  const asks = terminal.interactive && !terminal.json && options.approve !== 'none';
  const left: WriteState[] = [];
  for (const write of writes.filter(isUnknown)) {
    const { callId } = write;
    const outcome = outcomeGiven(callId, options) ?? (asks ? await askAbout(terminal, write) : null);
    if (outcome === null) left.push(write);
    const confirmed = outcome === null ? ok(null) : app.runs.confirmOutcome(place, callId, outcome);
    if (!confirmed.ok) return confirmed;
  }
  return left.length > 0 ? err(stillUnknown(left)) : ok(null);
}

const rejected = appError('HOST', 'CANCELLED', 'The plan was not run, and the run is cancelled.');

/** Runs a plan that waits: on a terminal the user reviews it first, elsewhere the resumption runs it unchanged. */
async function reviewWaiting(
  app: RunParts,
  terminal: Terminal,
  place: RunRef,
  run: RunState,
): Promise<Result<null>> {
  const plan = waitingPlan(run);
  if (!plan) return ok(null);
  if (canReview(terminal))
    return (await createPlanPrompts(app, terminal).ask(place, plan)) ? ok(null) : err(rejected);
  const { stage, planHash } = plan;
  return app.runs.review(place, { stage, planHash }, { resume: false });
}

/** `patina agent --resume RUN`: continues an unfinished run as the window does, and prints its report. */
export async function resumeCommand(
  app: RunParts,
  terminal: Terminal,
  runId: string,
  options: AgentOptions,
): Promise<ExitCode> {
  const found = findRun(app, terminal, runId);
  if (!found.ok) return fail(terminal, found.error);
  const { sessionId, turn } = found.value;
  // Opening the session closes what a killed process left open, so the run is read again after it.
  const session = openNamedSession(app, terminal, sessionId);
  if (!session.ok) return fail(terminal, session.error);
  // What the run goes on from may be damaged: the user learns it before the answers about writes and their repeat.
  await app.sessionScans.finished();
  const run = turnAt(session.value, turn)?.run ?? found.value.run;
  if (!isResumable(run)) return fail(terminal, hasEnded(run, sessionId));
  const place = { sessionId, runId };
  const confirmed = await confirmWrites(app, terminal, place, run.writes, options);
  if (!confirmed.ok) return fail(terminal, confirmed.error);
  const reviewed = await reviewWaiting(app, terminal, place, run);
  if (!reviewed.ok) return fail(terminal, reviewed.error);
  const { approve } = options;
  return followToEnd(app, terminal, { sessionId, approve, prior: run }, (answered) =>
    app.conversation.rerun({
      sessionId,
      turn,
      approve: answered,
      leaveForReview: !canReview(terminal),
    }),
  );
}
