import { readFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { Plan } from '#shared/plan';
import { turnAt } from '#shared/session-state';
import { createNodeHost } from '../main/adapters/cli/node-host';
import { compose } from '../main/compose/compose';
import { must } from './stored-session';

/** Reports on standard output, with one system call, what is on disk. */
const say = (line: string): void => void writeSync(1, `${line}\n`);

// Runs a plan in its first process; every later process undoes that run.
const [, , home = '', project = '', planFile = ''] = process.argv;
const app = must(compose(must(createNodeHost(resolve('out/main'), { home, project }))));
const [known] = must(app.log.summaries({ archived: false }));
const sessionId = known?.id ?? must(app.log.create(project)).id;
const { state } = must(app.log.open(sessionId));
say(`found ${must(app.log.replay(sessionId)).equal}`);
const run = turnAt(state, 0)?.run;

if (run) {
  app.log.subscribe((events) => events.forEach(({ type }) => say(`event ${type}`)));
  const report = must(await app.undo.undo({ sessionId, runId: run.runId }));
  say(`over ${JSON.stringify(report)}`);
} else {
  const plan = Plan.parse(JSON.parse(readFileSync(planFile, 'utf8')));
  const line = { sessionId, text: 'Write', runMode: 'agent' as const, approve: 'all' as const };
  const sent = must(app.conversation.send({ ...line, model: await app.chosenModel(), provided: { plan } }));
  await sent.done;
  say(`over ${turnAt(must(app.log.open(sessionId)).state, 0)?.run?.status ?? ''}`);
}
await app.close();
