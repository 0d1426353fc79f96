import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import {
  createSqliteSessionStore,
  type SqliteSessionStoreDeps,
} from '../main/adapters/storage/sqlite-session-store';
import { rowSum } from '../main/adapters/storage/event-row';
import { openSqlite } from '../main/adapters/storage/sqlite';
import { createManualClock } from './manual-clock';

/** The path of a database in a new folder. */
export function newDatabasePath(): string {
  return join(mkdtempSync(join(tmpdir(), 'patina-db-')), 'sessions.db');
}

/** Opens a store as one process does; `pid` distinguishes the processes of a test. */
export function openStore(path: string, deps: Partial<SqliteSessionStoreDeps> = {}) {
  return createSqliteSessionStore({
    path,
    clock: createManualClock(1_700_000_000_000).clock,
    holder: 'the window',
    pid: 1_000,
    processAlive: () => false,
    ...deps,
  });
}

/** Removes the events with these numbers, as page damage does. */
export function loseEvents(path: string, seqs: readonly number[]): void {
  const db = openSqlite(path);
  db.exec(`DELETE FROM events WHERE id % ${2 ** 32} IN (${seqs.join(', ')})`);
  db.close();
}

/** Changes a text in an event and makes its checksum match, as someone who edits the file does. */
export function replaceInEvent(path: string, seq: number, from: string, to: string): void {
  const db = openSqlite(path);
  const [stored] = db
    .prepare(`SELECT id, session_id AS sessionId, at, v, fact FROM events WHERE id % ${2 ** 32} = ?`)
    .all(seq) as { id: number; sessionId: string; at: number; v: number; fact: string }[];
  if (!stored) throw new Error(`There is no event ${seq}.`);
  const { id, ...row } = stored;
  const fact = row.fact.replace(from, to);
  const sum = rowSum({ ...row, seq, fact });
  db.prepare('UPDATE events SET fact = ?, sum = ? WHERE id = ?').run(fact, sum, id);
  db.close();
}

/** The value of a success; throws the error of a failure. */
export function must<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(JSON.stringify(result.error));
}

const model = { providerId: 'offline', model: 'offline' };

/** A session's first facts, then one turn with `pieces` of reply: `3 + pieces + 1` facts. */
export function turnFacts(pieces: number, text = 'piece'): readonly SessionFact[] {
  return [
    { type: 'session-created', title: 'A session', project: null },
    { type: 'message-sent', turn: 0, text: 'How do I sort a list?', runMode: 'ask', model },
    { type: 'reply-started', turn: 0, model, providerName: 'Offline' },
    ...Array.from({ length: pieces }, (_, index): SessionFact => ({
      type: 'reply-extended',
      turn: 0,
      text: `${text} ${index} `,
    })),
    { type: 'reply-ended', turn: 0, outcome: 'done' },
  ];
}
