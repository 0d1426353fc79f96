import { appError } from '#shared/app-error';
import { applyStoredEvents } from '#shared/apply-stored-events';
import { err, ok, type Result } from '#shared/result';
import type { SessionEvent } from '#shared/session-event';
import { emptySession } from '#shared/session-state';
import type { SessionRepair } from '../../../core/ports/session-store';
import { leasedByAnother } from './append-events';
import { checkChain, wrongIn, type ChainCheck } from './event-chain';
import {
  eventOf,
  factOf,
  isIntact,
  linkOf,
  relinked,
  rowHash,
  rowSetAside,
  rowSum,
  firstLink,
  unreadableLink,
  type EventRow,
} from './event-row';
import type { EventTable } from './event-table';
import type { LeaseDeps } from './lease-table';
import { checkSession, damageOf, reachOf, rebuildSession } from './read-events';
import { listCopies, tablesOf, withCopy } from './session-copies';
import { openSqlite, openSqliteReadOnly, transact } from './sqlite';
import { emptySummary, summaryAfter } from './summary-change';
import { createTables, type Tables } from './tables';

/**
 * A row that an older version of Patina quarantined: where it was, and its content if the checksum matches.
 */
interface Aside {
  readonly rowid: number;
  /** When it was set aside: the same for all rows of a cut. */
  readonly foundAt: number;
  readonly seq: number;
  readonly row: EventRow | null;
}

interface AsideRow {
  readonly id: number;
  readonly foundAt: number;
  readonly row: string;
}

function parseAside({ id, foundAt, row: text }: AsideRow): Aside | null {
  const row = rowSetAside(text);
  return row && { rowid: id, foundAt, seq: row.seq, row: isIntact(row) ? row : null };
}

const asideSql = `FROM unreadable WHERE json_valid(row) AND json_extract(row, '$[1]') = ?`;

function asideOf({ db }: Tables, sessionId: string): readonly Aside[] {
  const sql = `SELECT rowid AS id, found_at AS foundAt, row ${asideSql} ORDER BY rowid`;
  const rows = db.prepare(sql).all(sessionId) as AsideRow[];
  return rows.map(parseAside).filter((aside) => aside !== null);
}

/** The rows of each cut, the last cut first: each cut set aside what the session was when it was made. */
function cutsIn(aside: readonly Aside[]): readonly (readonly Aside[])[] {
  const cuts: Aside[][] = [];
  for (const each of aside) {
    const cut = cuts[0];
    const before = cut?.at(-1);
    if (cut && before?.foundAt === each.foundAt && before.seq < each.seq) cut.push(each);
    else cuts.unshift([each]);
  }
  return cuts;
}

/** Sessions from which an older version of Patina quarantined rows. */
export function sessionsSetAside({ db }: Tables): readonly string[] {
  const sql = "SELECT DISTINCT json_extract(row, '$[1]') AS id FROM unreadable WHERE json_valid(row)";
  return (db.prepare(sql).all() as { id: string }[])
    .map(({ id }) => id)
    .filter((id) => typeof id === 'string');
}

const inTurn = (row: EventRow, turnShift: number): string => {
  const fact = factOf(row.fact);
  if (!('turn' in fact) || typeof fact.turn !== 'number') return row.fact;
  const link = linkOf(row.fact);
  const moved = { ...fact, turn: fact.turn + turnShift };
  return JSON.stringify(link === null ? moved : { prev: link, ...moved });
};

const turnOf = (row: EventRow): number | null => {
  const fact = factOf(row.fact);
  return fact.type === 'message-sent' ? fact.turn : null;
};

/** The last turn that these rows are about, -1 for none: the line itself may be the damaged row. */
const lastTurnOf = (aside: readonly Aside[]): number =>
  aside.reduce((last, { row }) => {
    const fact = row && factOf(row.fact);
    return fact && 'turn' in fact ? Math.max(last, fact.turn ?? -1) : last;
  }, -1);

/**
 * Events written after a quarantine reused the numbers of quarantined rows; moves these events and their
 * turns after those rows, in order.
 */
function moveBehind(tables: Tables, key: number, sessionId: string, aside: readonly Aside[]): void {
  const from = Math.min(...aside.map(({ seq }) => seq));
  const to = Math.max(...aside.map(({ seq }) => seq));
  const lastSeq = tables.events.lastSeq(key);
  const laterRows = [...tables.events.intact(key, sessionId, { afterSeq: from - 1, lastSeq })];
  const firstTurn = laterRows.map(turnOf).find((turn) => turn !== null) ?? 0;
  const turnShift = Math.max(0, lastTurnOf(aside) + 1 - firstTurn);
  for (const row of laterRows.reverse()) {
    tables.events.remove(key, row.seq);
    const moved = { ...row, seq: row.seq + to - from + 1, fact: inTurn(row, turnShift) };
    tables.events.put(key, { ...moved, sum: rowSum(moved) });
  }
}

/** Restores intact rows that an older version of Patina quarantined; returns how many. */
const restoreAside = (tables: Tables, key: number, sessionId: string): number =>
  cutsIn(asideOf(tables, sessionId)).reduce(
    (restored, cut) => restored + restoreCut(tables, key, sessionId, cut),
    0,
  );

function restoreCut(tables: Tables, key: number, sessionId: string, aside: readonly Aside[]): number {
  const rows = aside.flatMap(({ row }) => (row ? [row] : []));
  if (rows.length === 0) return 0;
  const taken = ({ seq, row }: Aside): boolean => {
    const there = tables.events.find(key, sessionId, seq);
    return there !== null && there.fact !== row?.fact;
  };
  if (aside.some(taken)) moveBehind(tables, key, sessionId, aside);
  for (const row of rows) tables.events.put(key, row);
  const forget = tables.db.prepare('DELETE FROM unreadable WHERE rowid = ?');
  for (const { rowid, row } of aside) if (row) forget.run(rowid);
  return rows.length;
}

/** Rewrites each link to match the event before it, from the first event on; old rows stay without links. */
function relinkAll(tables: Tables, key: number, sessionId: string, lastSeq: number): void {
  let [seq, hash] = [0, firstLink(sessionId)];
  for (const row of [...tables.events.intact(key, sessionId, { afterSeq: 0, lastSeq })]) {
    const link = row.seq === seq + 1 ? hash : unreadableLink(sessionId, row.seq - 1);
    const next = relinked(row, link);
    if (next.fact !== row.fact) tables.events.put(key, next);
    [seq, hash] = [next.seq, rowHash(next, link)];
  }
  const end = seq === lastSeq ? hash : unreadableLink(sessionId, lastSeq);
  tables.heads.put(key, sessionId, { seq: lastSeq, hash: end });
}

/**
 * The seqs of rows that are missing, damaged or possibly replaced: a broken link also casts doubt on the
 * event before it.
 */
const doubtful = ({ gaps, broken }: ChainCheck): readonly number[] => [
  ...gaps.flatMap(({ fromSeq, toSeq }) =>
    Array.from({ length: toSeq - fromSeq + 1 }, (_, at) => fromSeq + at),
  ),
  ...broken.flatMap((seq) => [seq - 1, seq]),
];

/** Rows whose numbers follow each other, as lists. */
function runsOf(rows: readonly EventRow[]): readonly (readonly EventRow[])[] {
  const runs: EventRow[][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run?.at(-1)?.seq === row.seq - 1) run.push(row);
    else runs.push([row]);
  }
  return runs;
}

/** Whether the chain has fewer errors than before, and no link is broken that was not. */
const isBetter = (after: ChainCheck, before: ChainCheck): boolean =>
  wrongIn(after) < wrongIn(before) && after.broken.every((seq) => before.broken.includes(seq));

type RowReads = Pick<EventTable, 'find' | 'intact' | 'readableEnd'>;

/** The events of a session as they would be if these rows were stored. */
function withRows(events: EventTable, rows: readonly EventRow[]): RowReads {
  const added = [...rows].sort((a, b) => a.seq - b.seq);
  const bySeq = new Map(added.map((row) => [row.seq, row]));
  return {
    find: (key, sessionId, seq) => bySeq.get(seq) ?? events.find(key, sessionId, seq),
    readableEnd: (key) => Math.max(events.readableEnd(key), added.at(-1)?.seq ?? 0),
    *intact(key, sessionId, bounds) {
      const waiting = added.filter(({ seq }) => seq > bounds.afterSeq && seq <= bounds.lastSeq);
      for (const row of events.intact(key, sessionId, bounds)) {
        while ((waiting[0]?.seq ?? Infinity) < row.seq) yield* waiting.splice(0, 1);
        if (waiting[0]?.seq === row.seq) yield* waiting.splice(0, 1);
        else yield row;
      }
      yield* waiting;
    },
  };
}

interface Stored {
  readonly key: number;
  readonly sessionId: string;
}

/** The rows of copies that a repair would store, and the chain as it would be then. */
interface CopiedRows {
  readonly rows: readonly EventRow[];
  readonly check: ChainCheck;
}

/** Adds the rows of a copy with which the chain is better. */
function rowsFrom(copy: Tables, tables: Tables, { key, sessionId }: Stored, before: CopiedRows): CopiedRows {
  const copyKey = copy.sessions.keyOf(sessionId);
  if (copyKey === null) return before;
  const head = tables.heads.find(key, sessionId);
  const known = withRows(tables.events, before.rows);
  const changed = [...new Set(doubtful(before.check))]
    .sort((a, b) => a - b)
    .flatMap((seq) => copy.events.find(copyKey, sessionId, seq) ?? [])
    .filter((row) => known.find(key, sessionId, row.seq)?.fact !== row.fact);
  let found = before;
  const tryRows = (some: readonly EventRow[]): boolean => {
    const replaced = new Set(some.map(({ seq }) => seq));
    const rows = [...found.rows.filter(({ seq }) => !replaced.has(seq)), ...some];
    const check = checkChain(withRows(tables.events, rows), key, sessionId, head, found.check.end.seq);
    const better = isBetter(check, found.check);
    if (better) found = { rows, check };
    return better;
  };
  // One place that does not fit keeps none of the others from being restored.
  if (changed.length > 0 && !tryRows(changed)) runsOf(changed).forEach(tryRows);
  return found;
}

export interface RepairRequest {
  readonly sessionId: string;
  readonly path: string;
  /** The copy to use; absent: all copies, newest first. */
  readonly copy?: string;
}

/** Restores an entire session from a copy when it is missing here; returns the number of events. */
function importSession(tables: Tables, sessionId: string, copy: Tables): number {
  const row = copy.sessions.find(sessionId);
  if (!row) return 0;
  const rows = [...copy.events.intact(row.key, sessionId, { afterSeq: 0, lastSeq: row.lastSeq })];
  const key = tables.sessions.add(sessionId);
  for (const each of rows) tables.events.insert(key, each);
  const head = copy.heads.find(row.key, sessionId);
  if (head) tables.heads.put(key, sessionId, head);
  rebuildSession(tables, key, sessionId, { events: rows.map(eventOf), lastSeq: reachOf(copy, row) });
  return rows.length;
}

/** Finds the rows that copies can restore; changes nothing. */
function findCopied(tables: Tables, stored: Stored, { path, copy }: RepairRequest): CopiedRows {
  const { key, sessionId } = stored;
  const row = tables.sessions.find(sessionId);
  const head = tables.heads.find(key, sessionId);
  const check = checkChain(tables.events, key, sessionId, head, row ? reachOf(tables, row) : 0);
  let found: CopiedRows = { rows: [], check };
  for (const name of copy === undefined ? listCopies(path).map((each) => each.name) : [copy]) {
    if (wrongIn(found.check) === 0) break;
    found = withCopy(path, name, (from) => rowsFrom(from, tables, stored, found));
  }
  return found;
}

const turnOfEvent = (event: SessionEvent): number | null => ('turn' in event ? (event.turn ?? null) : null);

/**
 * Stores the rows of copies. All events are read and folded before the transaction, which is short however long the
 * session is: other writers hardly wait.
 */
function storeCopied(tables: Tables, { key, sessionId }: Stored, { rows, check }: CopiedRows): void {
  const { gaps, end } = check;
  const read = withRows(tables.events, rows).intact(key, sessionId, { afterSeq: 0, lastSeq: end.seq });
  const events = [...read].map(eventOf);
  const summary = summaryAfter(emptySummary(sessionId), events);
  const turns = new Set(rows.map((row) => turnOfEvent(eventOf(row))).filter((turn) => turn !== null));
  const changed = events.filter((event) => turns.has(turnOfEvent(event) ?? -1));
  const state = applyStoredEvents(emptySession(sessionId), { events, gaps, turnCount: summary.turnCount });
  transact(tables.db, () => {
    for (const row of rows) tables.events.put(key, row);
    for (const turn of turns) tables.messages.forgetTurn(key, turn);
    tables.messages.take(key, changed);
    tables.sessions.write(key, end.seq, summary);
    tables.runs.take(changed);
    tables.snapshots.drop(sessionId);
  });
  // The next one who opens the session need not fold it again.
  if (wrongIn(check) === 0) tables.snapshots.save(state);
}

/** Restores the rows that an older version of Patina quarantined, and all that is derived from the events. */
function storeAside(tables: Tables, { key, sessionId }: Stored): number {
  const restored = restoreAside(tables, key, sessionId);
  if (restored === 0) return 0;
  const row = tables.sessions.find(sessionId);
  const head = tables.heads.find(key, sessionId);
  const { end } = checkChain(tables.events, key, sessionId, head, row ? reachOf(tables, row) : 0);
  relinkAll(tables, key, sessionId, end.seq);
  const read = tables.events.intact(key, sessionId, { afterSeq: 0, lastSeq: end.seq });
  rebuildSession(tables, key, sessionId, { events: [...read].map(eventOf), lastSeq: end.seq });
  tables.snapshots.drop(sessionId);
  return restored;
}

/** Restores a session that is missing here from the copy that is named. */
function restoreMissing(tables: Tables, { sessionId, path, copy }: RepairRequest): Result<SessionRepair> {
  const fromCopies =
    copy === undefined
      ? 0
      : withCopy(path, copy, (from) => transact(tables.db, () => importSession(tables, sessionId, from)));
  if (fromCopies === 0)
    return err(
      appError('HOST', 'NOT_FOUND', `There is no session "${sessionId}"${copy ? ` in ${copy}` : ''}.`),
    );
  const check = checkSession(tables, sessionId);
  const damaged = check.ok ? wrongIn(check.value) : 0;
  return ok({ sessionId, fromUnreadable: 0, fromCopies, damaged });
}

/**
 * Counts the events that a repair would restore, at least one when there are any; changes nothing. Throws
 * `SqliteError`.
 */
export function restorableEvents(tables: Tables, request: RepairRequest): number {
  const { sessionId } = request;
  const key = tables.sessions.keyOf(sessionId);
  if (key === null) return 0;
  const aside = asideOf(tables, sessionId).filter(({ row }) => row !== null).length;
  return aside > 0 ? aside : findCopied(tables, { key, sessionId }, request).rows.length;
}

/**
 * Restores the recoverable events of a session: intact rows that an older version of Patina quarantined, and
 * missing or damaged rows from the copies. Each of the two is atomic, and a repair has no effect the second time; the
 * caller is the session's writer. Throws `SqliteError`.
 */
export function repairSession(tables: Tables, request: RepairRequest): Result<SessionRepair> {
  const { sessionId } = request;
  const known = tables.sessions.find(sessionId);
  if (!known) return restoreMissing(tables, request);
  const stored = { key: known.key, sessionId };
  const fromUnreadable = transact(tables.db, () => storeAside(tables, stored));
  const copied = findCopied(tables, stored, request);
  const fromCopies = copied.rows.length;
  if (fromCopies > 0) storeCopied(tables, stored, copied);
  tables.chain.forget(sessionId);
  return ok({ sessionId, fromUnreadable, fromCopies, damaged: wrongIn(copied.check) });
}

/**
 * The damage of a session as JSON (`SessionDamage`), or null; for a process that may wait for the disk. A session
 * that was deleted meanwhile has none.
 */
export function sessionDamage(path: string, sessionId: string): string | null {
  const db = openSqliteReadOnly(path);
  try {
    const tables = tablesOf(db);
    const damage = damageOf(tables, sessionId);
    return damage && JSON.stringify({ ...damage, restorable: restorableEvents(tables, { sessionId, path }) });
  } finally {
    db.close();
  }
}

/** Repairs a session as its writer, for a process that may wait for the disk; returns the `SessionRepair` as JSON. */
export function repairAsWriter(path: string, sessionId: string, writer: LeaseDeps): string {
  const db = openSqlite(path);
  try {
    const tables = createTables(db, writer);
    const other = transact(db, () => tables.leases.take(sessionId, Date.now()));
    if (other) throw new Error(leasedByAnother(other).message);
    const repaired = repairSession(tables, { sessionId, path });
    tables.leases.release(sessionId);
    if (!repaired.ok) throw new Error(repaired.error.message);
    return JSON.stringify(repaired.value);
  } finally {
    db.close();
  }
}
