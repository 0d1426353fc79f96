import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createSessionLog } from '../src/core/session/session-log';
import type { SessionFact } from '../src/shared/session-event';
import { must, openStore } from '../src/testing/stored-session';
import { report } from './lib/report';

const folder = mkdtempSync(join(tmpdir(), 'patina-bench-'));
const model = { providerId: 'offline', model: 'offline' };

/** A turn of `pieces + 3` facts. */
const turnOf = (turn: number, pieces: number): readonly SessionFact[] => [
  { type: 'message-sent', turn, text: `Question ${turn}`, runMode: 'ask', model },
  { type: 'reply-started', turn, model, providerName: 'Offline' },
  ...Array.from({ length: pieces }, (_, index): SessionFact => ({
    type: 'reply-extended',
    turn,
    text: `${index} the quick brown fox jumps over the lazy dog, again and again `,
  })),
  { type: 'reply-ended', turn, outcome: 'done' },
];

/** Writes a session as another process would, and returns its path. */
function writeSession(name: string, turns: number, pieces: number): string {
  const path = join(folder, name);
  const store = openStore(path, { pid: 1 });
  must(store.acquireLease('s'));
  let seq = must(store.append('s', 0, [{ type: 'session-created', title: name, project: null }])).length;
  for (let first = 0; first < turns; first += 100) {
    const facts = Array.from({ length: Math.min(100, turns - first) }, (_, index) =>
      turnOf(first + index, pieces),
    );
    seq += must(store.append('s', seq, facts.flat())).length;
  }
  store.close();
  return path;
}

const logOn = (path: string, pid: number) =>
  createSessionLog({ store: openStore(path, { pid }), ids: { next: (kind) => `${kind}_x` } });

function timed(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

const long = writeSession('long.db', 1_000, 97);
const cold = logOn(long, 2);
must(cold.summaries({ archived: false }));
report({
  name: 'open 100,000 events, no snapshot',
  value: timed(() => must(cold.open('s'))),
  goal: 2_000,
  unit: 'ms',
});
const again = logOn(long, 3);
must(again.summaries({ archived: false }));
report({
  name: 'open 100,000 events, snapshot',
  value: timed(() => must(again.open('s'))),
  goal: 300,
  unit: 'ms',
});
const replayed = timed(() => {
  const { equal, events } = must(again.replay('s'));
  if (!equal || events < 100_000) throw new Error(`The replay gave ${events} events, equal: ${equal}.`);
});
report({ name: 'replay of 100,000 events, hashed and compared', value: replayed, goal: 1_000, unit: 'ms' });

const messages = logOn(writeSession('messages.db', 2_500, 2), 2);
must(messages.summaries({ archived: false }));
const opened = timed(() => must(messages.open('s')));
report({ name: 'open a session of 5,000 messages (main)', value: opened, goal: 300, unit: 'ms' });
rmSync(folder, { recursive: true, force: true });
