import { expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { noUsage } from '#shared/model';
import type { SessionFact } from '#shared/session-event';
import type { StartDatabaseCheck } from '../../core/ports/database-check';
import { createSessionLog } from '../../core/session/session-log';
import {
  loseEvents,
  must,
  newDatabasePath,
  openStore,
  replaceInEvent,
  turnFacts,
} from '../../testing/stored-session';
import type { App } from '../app';
import { createSessionScans } from '../diagnostics/session-scans';
import { createNotices } from '../notices/notices';
import { createManualClock } from '../../testing/manual-clock';
import { makeCopy } from '../adapters/storage/session-copies';
import { agentCommand } from './commands/agent';
import { askCommand } from './commands/ask';
import { chatCommand } from './commands/chat';
import { sessionForkCommand, sessionReplayCommand, sessionShowCommand } from './commands/session';
import { resumeCommand } from './commands/resume';
import { toolCommand } from './commands/tool';
import { workflowStartCommand } from './commands/workflow-start';
import type { Terminal } from './output';
import { sessionDamage } from '../adapters/storage/repair-session';

const offline = { providerId: 'offline', model: 'offline' };
const run = { turn: 1, runId: 'run_1' };
const endedRun = [
  { type: 'message-sent', turn: 1, text: 'Count', runMode: 'agent', model: offline },
  { type: 'run-started', ...run, goal: 'Count' },
  { type: 'run-ended', ...run, outcome: 'done', answer: 'Two.', usage: noUsage },
] satisfies readonly SessionFact[];

/**
 * A session of ten events without these, and a terminal that records what is printed. With `piece`, the session
 * has a long reply; with `replaced`, someone edited this text of its second event.
 */
function damaged(seqs: readonly number[], { copied = false, piece = 'piece', replaced = '' } = {}) {
  const path = newDatabasePath();
  const writing = openStore(path);
  must(writing.acquireLease('s'));
  must(writing.append('s', 0, [...turnFacts(3, piece), ...endedRun]));
  writing.saveSnapshot(must(createSessionLog({ store: writing, ids: { next: () => 's' } }).peek('s')));
  writing.close();
  if (copied) expect(makeCopy(path, 0)).toBeNull();
  if (seqs.length > 0) loseEvents(path, seqs);
  if (replaced !== '') replaceInEvent(path, 2, replaced, 'Edited');
  const store = openStore(path, { pid: 2 });
  const log = createSessionLog({ store, ids: { next: (kind) => `${kind}_new` } });
  const refused = () => err(appError('HOST', 'STATE', 'Nothing is sent in this test.'));
  const startCheck: StartDatabaseCheck = (file, _task, subject = '') => ({
    finding: Promise.resolve(ok(sessionDamage(file, subject))),
    cancel: () => undefined,
  });
  const { clock } = createManualClock();
  const sessionScans = createSessionScans({ path, log, startCheck, clock, notices: createNotices([]) });
  const app = {
    log,
    sessionScans,
    authoring: { panel: { view: () => ok({}) } },
    toolCalls: { find: () => undefined },
    modes: { find: () => undefined },
    plane: { modeOf: () => ({}), warmFully: () => Promise.resolve() },
    workflowController: {},
    elicitations: { subscribe: () => () => undefined, all: () => [], pending: () => [] },
    lines: { send: () => Promise.resolve(refused()) },
    modelContext: { callTool: () => Promise.resolve({ result: refused() }) },
    project: () => null,
    chosenModel: () => ({ providerId: 'offline', model: 'offline' }),
    models: { setupProblem: () => null, list: () => Promise.resolve([]) },
    conversation: { send: refused, regenerate: refused, inProgress: () => null },
    controlSocket: { serve: () => Promise.resolve() },
    agentMode: { enabled: true },
    onReplyDelta: () => () => undefined,
    settings: { get: () => ({ mode: 'ask' }) },
  } as unknown as App;
  const lines: string[] = [];
  const terminal = {
    json: false,
    interactive: false,
    out: () => undefined,
    log: (text: string) => lines.push(text),
    readLine: () => Promise.resolve(null),
    onTyped: () => () => undefined,
    onInterrupt: () => () => undefined,
    inTurn: (work: () => unknown) => work(),
  } as unknown as Terminal;
  return { app, terminal, finished: sessionScans.finished, said: () => lines.join('\n') };
}

const described = 'Session s is damaged. 2 of 10 events cannot be read (4 to 5); the others are intact.';
const beyondRepair = '→ No daily copy contains these events, so they cannot be repaired.';

const commands = [
  ['session show', 0, ({ app, terminal }) => sessionShowCommand(app, terminal, 's')],
  ['session replay', 1, ({ app, terminal }) => sessionReplayCommand(app, terminal, 's')],
  ['session fork', 0, ({ app, terminal }) => sessionForkCommand(app, terminal, 's', {})],
  ['ask', 1, ({ app, terminal }) => askCommand(app, terminal, undefined, { session: 's', regenerate: 0 })],
  ['agent', 1, ({ app, terminal }) => agentCommand(app, terminal, '', { session: 's', regenerate: 0 })],
  ['chat', 0, ({ app, terminal }) => chatCommand(app, terminal, { session: 's' })],
  ['agent --resume', 1, ({ app, terminal }) => resumeCommand(app, terminal, 'run_1', {})],
  [
    'workflow start',
    1,
    ({ app, terminal }) => workflowStartCommand(app, terminal, 'w', { session: 's', input: [] }),
  ],
  [
    'tool',
    1,
    ({ app, terminal }) => toolCommand(app, terminal, { name: 'x', argumentsJson: '{}' }, { session: 's' }),
  ],
] satisfies readonly (readonly [
  name: string,
  code: number,
  run: (parts: ReturnType<typeof damaged>) => unknown,
])[];

it.each(commands)('[STO-no-repair] %s says what a damaged session lost', async (_name, code, run) => {
  const hurt = damaged([4, 5]);
  expect(await run(hurt)).toBe(code);
  expect(hurt.said()).toContain(`${described}\n${beyondRepair}`);
});

it.each(commands)('[STO-no-repair] %s says nothing of a whole one', async (_name, _code, run) => {
  const whole = damaged([]);
  await run(whole);
  expect(whole.said()).not.toContain('damaged');
});

const tooLongToRead = { piece: 'x'.repeat(4_100_000) };

it('[STO-no-repair] a session too long to read at once is scanned while the command works', async () => {
  const hurt = damaged([4, 5], tooLongToRead);
  expect(await agentCommand(hurt.app, hurt.terminal, '', { session: 's', regenerate: 0 })).toBe(1);
  await hurt.finished();
  expect(hurt.said()).toContain(`${described}\n${beyondRepair}`);
});

it('[STO-no-repair] a resumed run waits for the scan of a long session before it does anything', async () => {
  const hurt = damaged([4, 5], tooLongToRead);
  expect(await resumeCommand(hurt.app, hurt.terminal, 'run_1', {})).toBe(1);
  expect(hurt.said()).toMatch(/^Session s is damaged[^]*ended as done/);
});

it('[STO-no-repair] a command names an event that someone edited', () => {
  const hurt = damaged([], { replaced: 'sort a list' });
  sessionShowCommand(hurt.app, hurt.terminal, 's');
  expect(hurt.said()).toContain('Event 3 does not match the hash of the event before');
});

it('[STO-repair] a command that finds damage names the repair when a copy contains the events', () => {
  const hurt = damaged([4, 5], { copied: true });
  sessionShowCommand(hurt.app, hurt.terminal, 's');
  expect(hurt.said()).toBe(`${described}\n→ Repair it from the daily copies: patina session repair s`);
});
