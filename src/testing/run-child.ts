import { readFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { turnAt, type RunState } from '#shared/session-state';
import type { SessionEvent } from '#shared/session-event';
import { Plan, StagedPlan } from '#shared/plan';
import { createNodeHost } from '../main/adapters/cli/node-host';
import { compose } from '../main/compose/compose';
import { must } from './stored-session';

/** Reports on standard output, with one system call, what is on disk. */
const say = (line: string): void => void writeSync(1, `${line}\n`);

/** Without a plan file, a model plans the run; a second one is the next line of the session, once the first is done. */
const [, , home = '', project = '', ledger = '', planFile, nextFile] = process.argv;
const app = must(compose(must(createNodeHost(resolve('out/main'), { home, project }))));

/** The session of the run, created once. */
function findSession(): string {
  const [known] = must(app.log.summaries({ archived: false }));
  return known?.id ?? must(app.log.create(project)).id;
}
const sessionId = findSession();
const opened = must(app.log.open(sessionId));
const replay = must(app.log.replay(sessionId));
say(`found ${replay.events} ${replay.equal}`);

/** A user who approves everything, but only after the question is recorded. */
function answer(event: SessionEvent): void {
  if (event.type !== 'approval-requested') return;
  const { runId, approvalId, hash } = event;
  setImmediate(() => app.runs.answer({ sessionId, runId }, [{ approvalId, hash, approved: true }]));
}

const over = new Promise<void>((settle) => {
  app.log.subscribe((events) => {
    for (const event of events) {
      say(`event ${event.seq} ${event.type}`);
      answer(event);
      if (event.type === 'run-ended') settle();
    }
  });
});

/** The actions of a user who finds an interrupted run: check the ledger, answer what is open, resume. */
function goOn(turn: number, run: RunState): void {
  const lines = readFileSync(ledger, 'utf8').split('\n');
  const place = { sessionId, runId: run.runId };
  for (const { callId, outcome, arguments: args } of run.writes) {
    if (outcome !== 'unknown') continue;
    const { n } = args as { n: number };
    say(`unknown ${n}`);
    must(app.runs.confirmOutcome(place, callId, lines.includes(String(n))));
  }
  const open = run.approvals.filter(({ status }) => status === 'open');
  for (const { approvalId, hash } of open)
    must(app.runs.answer(place, [{ approvalId, hash, approved: true }]));
  if (open.length === 0) must(app.runs.rerun({ sessionId, turn, approve: 'ask' }));
}

const givenPlan = (file: string) => z.union([Plan, StagedPlan]).parse(JSON.parse(readFileSync(file, 'utf8')));

async function begin(file: string | undefined): Promise<void> {
  const given = file !== undefined && {
    provided: { plan: givenPlan(file) },
  };
  const line = { sessionId, text: 'Write the ledger', runMode: 'agent' as const, approve: 'ask' as const };
  must(app.conversation.send({ ...line, model: await app.chosenModel(), ...given }));
}

const last = opened.state.turnCount - 1;
const run = turnAt(opened.state, last)?.run;
const isOver =
  run?.status === 'done' && (nextFile === undefined || givenPlan(nextFile).answer === run.plan?.answer);
if (isOver) say('over done');
else {
  if (run?.status === 'done') await begin(nextFile);
  else if (run && (run.plan ?? planFile === undefined)) goOn(last, run);
  else await begin(planFile);
  await over;
  say(
    `over ${turnAt(must(app.log.open(sessionId)).state, must(app.log.open(sessionId)).state.turnCount - 1)?.run?.status ?? ''}`,
  );
}
await app.close();
