import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { SessionEvent, SessionFact } from '#shared/session-event';
import { noteDoubt } from '../main/adapters/storage/database-users';
import { collectGarbage } from './collect-garbage';
import { must, newDatabasePath, openStore, turnFacts } from './stored-session';

/** Each session has the same kinds of events, on its own pages. */
const sessions = ['ses_a', 'ses_b', 'ses_c'];
/** A full run of one test takes many minutes. */
export const longTestMs = 24 * 3_600_000;

/** Size of one page in the log, and of the header before it. */
export const [frameBytes, frameHeader] = [4_120, 24];

/** The written data, as bytes and as events. */
export interface Written {
  readonly database: Buffer;
  readonly log: Buffer;
  readonly events: ReadonlyMap<string, readonly SessionEvent[]>;
}

/** A database as `kill -9` leaves it: the file and a log without a checkpoint. */
export function writeSessions(checkpointed: boolean, lastFact?: SessionFact): Written {
  const path = newDatabasePath();
  const store = openStore(path);
  const events = new Map<string, readonly SessionEvent[]>();
  for (const id of sessions) {
    must(store.acquireLease(id));
    const long = `${id} ${'x'.repeat(300)}`;
    const written = [...must(store.append(id, 0, turnFacts(10, long)))];
    // An event far larger than a page, so that rows continue on other pages.
    const large = { type: 'session-renamed', title: 'y'.repeat(9_000) } as const;
    written.push(...must(store.append(id, written.length, [large])));
    written.push(...must(store.append(id, written.length, [{ type: 'session-renamed', title: id }])));
    if (lastFact) written.push(...must(store.append(id, written.length, [lastFact])));
    events.set(id, written);
  }
  if (checkpointed) store.close();
  const log = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);
  return { database: readFileSync(path), log, events };
}

/**
 * Calls `work` with each offset. A closed file stays open until its statements are collected: without that,
 * many thousand rounds would run out of descriptors.
 */
export async function forEachPlace(places: readonly number[], work: (at: number) => string): Promise<void> {
  for (const [round, at] of places.entries()) {
    rmSync(dirname(work(at)), { recursive: true, force: true });
    if (round % 200 === 199) await collectGarbage();
  }
}

/** Writes a database and its log into a new folder. */
export function putDown(database: Buffer, log: Buffer): string {
  const path = join(mkdtempSync(join(tmpdir(), 'patina-hurt-')), 'sessions.db');
  writeFileSync(path, database);
  if (log.length > 0) writeFileSync(`${path}-wal`, log);
  return path;
}

/** A copy with some bits of one byte flipped. */
export const flipped = (bytes: Buffer, at: number, mask: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ mask;
  return copy;
};

/**
 * Opens the database, reads everything and continues to write; checks that every event read was written.
 * Returns how many there were, and how many are reported missing.
 */
export function useAfterDamage(path: string, written: Written['events']) {
  // Record the damage as the process that found it did: a start reads every page only with a reason.
  noteDoubt(path, 'damage');
  const store = openStore(path);
  let [kept, missing] = [0, 0];
  for (const id of sessions) {
    const all = written.get(id) ?? [];
    expect(store.acquireLease(id).ok).toBe(true);
    const read = store.read(id, 0);
    const { events, gaps, lastSeq } = read.ok ? read.value : { events: [], gaps: [], lastSeq: 0 };
    for (const event of events) expect(event).toEqual(all[event.seq - 1]);
    kept += events.length;
    missing += gaps.reduce((sum, { fromSeq, toSeq }) => sum + toSeq - fromSeq + 1, 0);
    const next = lastSeq === 0 ? turnFacts(0) : [{ type: 'session-renamed' as const, title: 'after' }];
    must(store.append(id, lastSeq, next));
    expect(must(store.read(id, 0)).events).toHaveLength(events.length + next.length);
  }
  must(store.list());
  must(store.search('sort', 5));
  return { kept, missing, salvage: store.salvage(), store };
}

/** The number of events. */
export const total = (written: Written): number => [...written.events.values()].flat().length;
