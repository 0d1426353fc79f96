import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import Database from 'libsql';
import { openStore, must, turnFacts } from '../src/testing/stored-session';
import { median, report } from './lib/report';

const rounds = 24;
const appendsPerRound = 150;
/** The log grows for its first thousand pages, and a sync of a growing file costs twice one of a file that keeps its length. */
const roundsToSettle = 8;
const folder = mkdtempSync(join(tmpdir(), 'patina-bench-'));

/** The floor: one insert of the same text per transaction, with the same promises (WAL, synced at each commit). */
function createRawInserts() {
  const db = new Database(join(folder, 'raw.db'));
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, fact TEXT)',
  );
  const insert = db.prepare('INSERT INTO t (fact) VALUES (?)');
  return (text: string): void => {
    db.exec('BEGIN IMMEDIATE');
    insert.run(JSON.stringify({ type: 'reply-extended', turn: 0, text }));
    db.exec('COMMIT');
  };
}

function createAppends() {
  const store = openStore(join(folder, 'sessions.db'));
  must(store.acquireLease('s'));
  let seq = must(store.append('s', 0, turnFacts(0).slice(0, -1))).length;
  return (text: string): void => {
    must(store.append('s', seq, [{ type: 'reply-extended', turn: 0, text }]));
    seq += 1;
  };
}

function timed(write: (text: string) => void): number {
  const started = performance.now();
  for (let index = 0; index < appendsPerRound; index += 1) write(`piece ${index} ${'x'.repeat(200)}`);
  return ((performance.now() - started) * 1_000) / appendsPerRound;
}

const writes = [createRawInserts(), createAppends()] as const;
for (let round = 0; round < roundsToSettle; round += 1) writes.forEach(timed);
// Alternating, so that a busy moment of the disk affects both.
const pairs = Array.from({ length: rounds }, () => writes.map(timed));
report({
  name: 'append of one event',
  value: median(pairs.map(([, ours]) => ours ?? 0)),
  floor: median(pairs.map(([raw]) => raw ?? 0)),
  goal: 1.5,
  unit: 'µs',
});
rmSync(folder, { recursive: true, force: true });
