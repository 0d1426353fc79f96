import { writeSync } from 'node:fs';
import { createNodeConf } from '../main/adapters/settings/conf';
import { createSettingsStore } from '../main/adapters/settings/settings-store';
import { createManualClock } from './manual-clock';
import { createSqliteSessionStore } from '../main/adapters/storage/sqlite-session-store';

/** Reports on standard output, with one system call, that data is on disk. */
const acknowledge = (count: number): void => void writeSync(1, `${count}\n`);

const openStore = (path: string) =>
  createSqliteSessionStore({
    path,
    clock: createManualClock().clock,
    holder: 'child',
    pid: process.pid,
    processAlive: () => false,
  });

/** Appends to one session until killed; acknowledges each seq after the store has. */
function appendForever(path: string): void {
  const store = openStore(path);
  store.acquireLease('s');
  const known = store.read('s', 0);
  let seq = known.ok ? known.value.lastSeq : 0;
  for (;;) {
    const facts =
      seq === 0
        ? [{ type: 'session-created' as const, title: 'killed', project: null }]
        : [{ type: 'session-renamed' as const, title: `title ${seq} ${'x'.repeat(seq % 5_000)}` }];
    const appended = store.append('s', seq, facts);
    if (!appended.ok) throw new Error(JSON.stringify(appended.error));
    seq += facts.length;
    acknowledge(seq);
  }
}

/** Changes one setting until killed; acknowledges each value after the store has. */
function patchForever(home: string): void {
  const store = createSettingsStore({ home, createConf: createNodeConf, now: () => Date.now() });
  for (let width = store.get().railWidth + 1; ; width = width < 9_999 ? width + 1 : 100) {
    const patched = store.patch({ railWidth: width });
    if (!patched.ok) throw new Error(JSON.stringify(patched.error));
    acknowledge(width);
  }
}

/** Repairs all sessions in order; acknowledges 0 before the first one, then each one. */
function repairAll(path: string): void {
  const store = openStore(path);
  const listed = store.list();
  if (!listed.ok) throw new Error(JSON.stringify(listed.error));
  acknowledge(0);
  for (const [index, { id }] of listed.value.entries()) {
    const repaired = store.repair(id);
    if (!repaired.ok) throw new Error(JSON.stringify(repaired.error));
    acknowledge(index + 1);
  }
}

const [, , kind, place = ''] = process.argv;
if (kind === 'sessions') appendForever(place);
else if (kind === 'repair') repairAll(place);
else patchForever(place);
