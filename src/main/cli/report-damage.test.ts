import { expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err } from '#shared/result';
import { createSessionLog } from '../../core/session/session-log';
import { loseEvents, must, newDatabasePath, openStore, turnFacts } from '../../testing/stored-session';
import type { App } from '../app';
import { makeCopy } from '../adapters/storage/session-copies';
import { agentCommand } from './commands/agent';
import { askCommand } from './commands/ask';
import { chatCommand } from './commands/chat';
import { sessionForkCommand, sessionReplayCommand, sessionShowCommand } from './commands/session';
import type { Terminal } from './output';

/** A session of seven events without these, and a terminal that records what is printed. */
function damaged(seqs: readonly number[], copied = false) {
  const path = newDatabasePath();
  const writing = openStore(path);
  must(writing.acquireLease('s'));
  must(writing.append('s', 0, turnFacts(3)));
  writing.close();
  if (copied) expect(makeCopy(path, 0)).toBeNull();
  if (seqs.length > 0) loseEvents(path, seqs);
  const store = openStore(path, { pid: 2 });
  const log = createSessionLog({ store, ids: { next: (kind) => `${kind}_new` } });
  const refused = () => err(appError('HOST', 'STATE', 'Nothing is sent in this test.'));
  const app = {
    log,
    project: () => null,
    chosenModel: () => ({ providerId: 'offline', model: 'offline' }),
    models: { setupProblem: () => null, list: () => Promise.resolve([]) },
    conversation: { send: refused, regenerate: refused },
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
  return { app, terminal, said: () => lines.join('\n') };
}

const described = 'Session s is damaged. 2 of 7 events cannot be read (4 to 5); the others are intact.';
const beyondRepair = '→ No daily copy contains these events, so they cannot be repaired.';

const commands = [
  ['session show', 0, ({ app, terminal }) => sessionShowCommand(app, terminal, 's')],
  ['session replay', 1, ({ app, terminal }) => sessionReplayCommand(app, terminal, 's')],
  ['session fork', 0, ({ app, terminal }) => sessionForkCommand(app, terminal, 's', {})],
  ['ask', 1, ({ app, terminal }) => askCommand(app, terminal, undefined, { session: 's', regenerate: 0 })],
  ['agent', 1, ({ app, terminal }) => agentCommand(app, terminal, '', { session: 's', regenerate: 0 })],
  ['chat', 0, ({ app, terminal }) => chatCommand(app, terminal, 's')],
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

it('[STO-repair] a command that finds damage names the repair when a copy contains the events', () => {
  const hurt = damaged([4, 5], true);
  sessionShowCommand(hurt.app, hurt.terminal, 's');
  expect(hurt.said()).toBe(`${described}\n→ Repair it from the daily copies: patina session repair s`);
});
