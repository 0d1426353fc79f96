import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { SessionRepair } from '../../../core/ports/session-store';
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
import { checkSession, reachOf, rebuildSession } from './read-events';
import { listCopies, withCopy } from './session-copies';
import { transact } from './sqlite';
import type { Tables } from './tables';

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

/** Restores missing or damaged rows from a copy, but only if the chain is better with them; returns how many. */
function restoreFrom(
  tables: Tables,
  key: number,
  sessionId: string,
  copy: Tables,
  before: ChainCheck,
): number {
  const copyKey = copy.sessions.keyOf(sessionId);
  if (copyKey === null) return 0;
  let check = before;
  const rows = [...new Set(doubtful(check))]
    .sort((a, b) => a - b)
    .flatMap((seq) => copy.events.find(copyKey, sessionId, seq) ?? []);
  const changed = rows.filter((row) => tables.events.find(key, sessionId, row.seq)?.fact !== row.fact);
  const tryRows = (some: readonly EventRow[]): number => {
    if (some.length === 0) return 0;
    tables.db.exec('SAVEPOINT copied');
    for (const row of some) tables.events.put(key, row);
    const head = tables.heads.find(key, sessionId);
    const after = checkChain(tables.events, key, sessionId, head, check.end.seq);
    const better = isBetter(after, check);
    if (better) check = after;
    else tables.db.exec('ROLLBACK TO copied');
    tables.db.exec('RELEASE copied');
    return better ? some.length : 0;
  };
  // One place that does not fit keeps none of the others from being restored.
  return tryRows(changed) || runsOf(changed).reduce((sum, run) => sum + tryRows(run), 0);
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

/** Restores rows, and with `derive` what is derived from them: the summary, the index and the snapshot. */
function repairRows(
  tables: Tables,
  { sessionId, path, copy }: RepairRequest,
  derive: boolean,
): Result<SessionRepair> {
  const names = copy === undefined ? listCopies(path).map(({ name }) => name) : [copy];
  const known = tables.sessions.find(sessionId);
  if (!known) {
    const fromCopies =
      copy === undefined ? 0 : withCopy(path, copy, (from) => importSession(tables, sessionId, from));
    if (fromCopies > 0) {
      const check = checkSession(tables, sessionId);
      const damaged = check.ok ? wrongIn(check.value) : 0;
      return ok({ sessionId, fromUnreadable: 0, fromCopies, damaged });
    }
    return err(
      appError('HOST', 'NOT_FOUND', `There is no session "${sessionId}"${copy ? ` in ${copy}` : ''}.`),
    );
  }
  const { key } = known;
  const fromUnreadable = restoreAside(tables, key, sessionId);
  const look = (): ChainCheck => {
    const row = tables.sessions.find(sessionId) ?? known;
    return checkChain(tables.events, key, sessionId, tables.heads.find(key, sessionId), reachOf(tables, row));
  };
  if (fromUnreadable > 0) relinkAll(tables, key, sessionId, look().end.seq);
  let check = look();
  let fromCopies = 0;
  for (const name of names) {
    if (wrongIn(check) === 0) break;
    fromCopies += withCopy(path, name, (from) => restoreFrom(tables, key, sessionId, from, check));
    check = look();
  }
  if (derive && fromUnreadable + fromCopies > 0) {
    const lastSeq = check.end.seq;
    const events = [...tables.events.intact(key, sessionId, { afterSeq: 0, lastSeq })].map(eventOf);
    rebuildSession(tables, key, sessionId, { events, lastSeq });
    tables.snapshots.drop(sessionId);
  }
  return ok({ sessionId, fromUnreadable, fromCopies, damaged: wrongIn(check) });
}

/** Counts the events that a repair would restore; changes nothing. Throws `SqliteError`. */
export function restorableEvents(tables: Tables, request: RepairRequest): number {
  const repaired = transact(tables.db, (undo) => {
    const done = repairRows(tables, request, false);
    undo();
    return done;
  });
  return repaired.ok ? repaired.value.fromUnreadable + repaired.value.fromCopies : 0;
}

/**
 * Restores the recoverable events of a session: intact rows that an older version of Patina quarantined, and
 * missing or damaged rows from the copies. Atomic and idempotent; the caller is the session's writer. Throws
 * `SqliteError`.
 */
export function repairSession(tables: Tables, request: RepairRequest): Result<SessionRepair> {
  const repaired = transact(tables.db, (undo) => {
    const done = repairRows(tables, request, true);
    if (!done.ok) undo();
    return done;
  });
  tables.chain.forget(request.sessionId);
  return repaired;
}
