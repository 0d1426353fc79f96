import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { headIntact, type Head } from './event-chain';
import { factOf, isIntact, rowSetAside, seqSpan, type EventRow } from './event-row';
import { findRow, leafRows, type LeafRow, type PageAt } from './leaf-page';
import { deletedMark } from './session-table';
import { readWal, type WalFile } from './wal-file';

/** The event that a damaged row claims to be; either field may itself be damaged. */
export interface DamagedRow {
  readonly sessionId: string;
  readonly seq: number;
}

/** Events found in a damaged database, by session and seq, and how many each session should have. */
export interface FoundRows {
  readonly bySession: ReadonlyMap<string, ReadonlyMap<number, EventRow>>;
  /** Rows that resemble events but are damaged and have no intact image elsewhere. */
  readonly damaged: readonly DamagedRow[];
  /** The last seq recorded for each session; only as reliable as the damaged file. */
  readonly claimedSeq: ReadonlyMap<string, number>;
  /** The furthest head found for each session. */
  readonly heads: ReadonlyMap<string, Head>;
  /** Rows that an older version of Patina quarantined and that no repair has restored, in order. */
  readonly aside: readonly AsideRow[];
}

/** A row of `unreadable`, as it is. */
interface AsideRow {
  readonly rowid: number;
  readonly foundAt: number;
  readonly row: string;
}

const usualPageSize = 4_096;
const eventCells = 6;
const sessionCells = 9;
const headCells = 5;
const asideCells = 2;

interface Finds {
  /** Sessions being erased: they are not salvaged. */
  readonly deleted: Set<string>;
  readonly bySession: Map<string, Map<number, EventRow>>;
  readonly damaged: DamagedRow[];
  readonly claimedSeq: Map<string, number>;
  readonly heads: Map<string, Head>;
  readonly aside: Map<number, AsideRow>;
}

const emptyFinds = (): Finds => ({
  deleted: new Set(),
  bySession: new Map(),
  damaged: [],
  claimedSeq: new Map(),
  heads: new Map(),
  aside: new Map(),
});

function takeEvent(finds: Finds, { rowid, cells }: LeafRow): void {
  const [, sessionId, at, v, sum, fact] = cells;
  if (typeof sessionId !== 'string' || typeof fact !== 'string') return;
  const seq = rowid % seqSpan;
  const events = finds.bySession.get(sessionId) ?? new Map<number, EventRow>();
  if (events.has(seq)) return;
  const row = { sessionId, seq, at: Number(at), v: Number(v), sum: Number(sum), fact };
  if (!isIntact(row)) {
    finds.damaged.push({ sessionId, seq });
    return;
  }
  events.set(seq, row);
  finds.bySession.set(sessionId, events);
}

function takeHead(finds: Finds, cells: LeafRow['cells']): void {
  const [, id, seq, hash, sum] = cells;
  if (typeof id !== 'string' || typeof seq !== 'number' || typeof hash !== 'string') return;
  if (!headIntact(id, { seq, hash, sum: Number(sum) }) || seq <= (finds.heads.get(id)?.seq ?? 0)) return;
  finds.heads.set(id, { seq, hash });
}

/** The first image of a row is the newest one. */
function takeAside({ aside }: Finds, { rowid, cells }: LeafRow): void {
  const [foundAt, row] = cells;
  if (typeof foundAt !== 'number' || typeof row !== 'string' || aside.has(rowid)) return;
  aside.set(rowid, { rowid, foundAt, row });
}

function takeRow(finds: Finds, row: LeafRow): void {
  if (row.cells.length === asideCells) takeAside(finds, row);
  if (row.cells.length === eventCells) takeEvent(finds, row);
  if (row.cells.length === headCells) takeHead(finds, row.cells);
  const [, id, lastSeq] = row.cells;
  if (row.cells.length !== sessionCells || typeof id !== 'string' || typeof lastSeq !== 'number') return;
  if (id.startsWith(deletedMark)) finds.deleted.add(id.slice(deletedMark.length));
  finds.claimedSeq.set(id, Math.max(lastSeq, finds.claimedSeq.get(id) ?? 0));
}

interface Images {
  readonly pageSize: number;
  readonly pages: number;
  readonly read: PageAt;
}

function databaseImages(file: number, wal: WalFile | null): Images {
  const head = Buffer.alloc(100);
  readSync(file, head, 0, 100, 0);
  const stated = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16);
  const plausible = stated >= 512 && (stated & (stated - 1)) === 0;
  const pageSize = wal?.pageSize ?? (plausible ? stated : usualPageSize);
  return {
    pageSize,
    pages: Math.floor(fstatSync(file).size / pageSize),
    read(page) {
      const image = Buffer.alloc(pageSize);
      return page > 0 && readSync(file, image, 0, pageSize, (page - 1) * pageSize) === pageSize
        ? image
        : null;
    },
  };
}

/**
 * For each frame, the end of its commit: its rows may continue in pages written up to there, but no later. A
 * broken tail also counts as a commit: a row in it whose checksum matches was written completely.
 */
function commitEnds({ frames, brokenEnd }: WalFile): readonly number[] {
  const ends: number[] = [];
  const last = brokenEnd.at(-1);
  let end = -1;
  for (let index = frames.length - 1; index >= 0; index -= 1) {
    if (last && frames[index] === last) end = index;
    if ((frames[index]?.commitPages ?? 0) > 0) end = index;
    ends[index] = end;
  }
  return ends;
}

/** Pages as they were when frame `upTo` was the newest. */
function asOf(wal: WalFile, bytes: Buffer, upTo: number, database: Images): PageAt {
  return (page) => {
    for (let index = upTo; index >= 0; index -= 1) {
      const frame = wal.frames[index];
      if (frame?.page === page) return bytes.subarray(frame.offset, frame.offset + wal.pageSize);
    }
    return database.read(page);
  };
}

function scanLog(finds: Finds, wal: WalFile, bytes: Buffer, database: Images): void {
  const ends = commitEnds(wal);
  // Scans the newest image of a page first: a row found there needs no older image.
  for (let index = wal.frames.length - 1; index >= 0; index -= 1) {
    const frame = wal.frames[index];
    const end = ends[index] ?? -1;
    // Frames after the last commit were never acknowledged.
    if (!frame || end === -1) continue;
    const image = bytes.subarray(frame.offset, frame.offset + wal.pageSize);
    const rows = leafRows(frame.page, image, asOf(wal, bytes, end, database));
    for (const row of rows) takeRow(finds, row);
  }
}

function scanDatabase(finds: Finds, database: Images, pageAt: PageAt): void {
  for (let page = 1; page <= database.pages; page += 1) {
    const image = database.read(page);
    if (!image) continue;
    for (const row of leafRows(page, image, pageAt)) takeRow(finds, row);
  }
}

function scan(file: number, logPath: string): FoundRows {
  const finds = emptyFinds();
  const bytes = existsSync(logPath) ? readFileSync(logPath) : Buffer.alloc(0);
  const wal = readWal(bytes);
  const database = databaseImages(file, wal);
  if (wal) scanLog(finds, wal, bytes, database);
  // Two scans, because their results differ where the log rewrote a row's overflow pages.
  scanDatabase(finds, database, wal ? asOf(wal, bytes, wal.frames.length - 1, database) : database.read);
  if (wal) scanDatabase(finds, database, database.read);
  for (const id of finds.deleted) finds.bySession.delete(id);
  const aside = [...finds.aside.values()]
    .filter((row) => isWaiting(row, finds))
    .sort((a, b) => a.rowid - b.rowid);
  const damaged = lostRows(finds).filter(({ sessionId }) => !finds.deleted.has(sessionId));
  return { ...finds, damaged, aside };
}

/** Whether a quarantined row belongs to a session and is not its event again: an old page may still have it. */
function isWaiting({ row: text }: AsideRow, { bySession }: Finds): boolean {
  const row = rowSetAside(text);
  const events = row && bySession.get(row.sessionId);
  if (!events) return false;
  const event = events.get(row.seq);
  return event?.at !== row.at || JSON.stringify(factOf(event.fact)) !== row.fact;
}

/** The damaged rows without duplicates, except rows that are intact in another image. */
function lostRows({ bySession, damaged }: Finds): readonly DamagedRow[] {
  const lost = new Map<string, DamagedRow>();
  for (const row of damaged) {
    if (!bySession.get(row.sessionId)?.has(row.seq)) lost.set(`${row.seq} ${row.sessionId}`, row);
  }
  return [...lost.values()];
}

function withFile<T>(path: string, work: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}

/** Every event that is still readable in a damaged database and its log, page by page, without SQLite. */
export function salvageRows(path: string, logPath: string): FoundRows {
  if (statSync(path).isDirectory()) return { ...emptyFinds(), aside: [] };
  return withFile(path, (file) => scan(file, logPath));
}

/** More rows than the file has tables and indexes. */
const maxSchemaRows = 64;

/** The root page of a table, according to the schema on page 1. */
function rootOf(table: string, pageAt: PageAt): number {
  for (let rowid = 1; rowid <= maxSchemaRows; rowid += 1) {
    const [type, name, , root] = findRow(1, rowid, pageAt)?.cells ?? [];
    if (type === 'table' && name === table) return Number(root);
  }
  return 0;
}

/** Whether a row from a frame with a wrong checksum contains more than the committed database. */
function saysMore(
  { rowid, cells }: LeafRow,
  committed: (table: string, rowid: number) => LeafRow | null,
): boolean {
  const [, id, lastSeq] = cells;
  if (typeof id !== 'string') return false;
  if (cells.length === eventCells && typeof cells[5] === 'string') {
    const finds = emptyFinds();
    const known = committed('events', rowid);
    if (known) takeEvent(finds, known);
    return !finds.bySession.get(id)?.has(rowid % seqSpan);
  }
  if (cells.length !== sessionCells || typeof lastSeq !== 'number') return false;
  const known = committed('sessions', rowid)?.cells;
  return known?.[1] !== id || Number(known[2]) < lastSeq;
}

/**
 * Whether a broken frame at the end of a log contains events that exist nowhere else. A frame whose write was
 * interrupted does not: the bytes after its header are old. Reads the log and a few pages of the database per
 * row.
 */
export function walTailHasRows(path: string, logPath: string): boolean {
  const bytes = readFileSync(logPath);
  const wal = readWal(bytes);
  if (!wal) return false;
  return withFile(path, (file) => {
    const database = databaseImages(file, wal);
    const lastCommit = wal.frames.findLastIndex(({ sound, commitPages }) => sound && commitPages > 0);
    const before = wal.frames.slice(0, lastCommit + 1);
    const newest = new Map(before.map(({ page, offset }) => [page, offset]));
    const committedPage: PageAt = (page) => {
      const offset = newest.get(page);
      return offset === undefined ? database.read(page) : bytes.subarray(offset, offset + wal.pageSize);
    };
    const roots = new Map(['events', 'sessions'].map((table) => [table, rootOf(table, committedPage)]));
    const committed = (table: string, rowid: number): LeafRow | null =>
      findRow(roots.get(table) ?? 0, rowid, committedPage);
    const damaged = wal.brokenEnd.filter(({ sound }) => !sound);
    const frames = [...before, ...damaged];
    const pageAt = asOf({ ...wal, frames }, bytes, frames.length - 1, database);
    return damaged.some(({ page, offset }) => {
      const image = bytes.subarray(offset, offset + wal.pageSize);
      for (const row of leafRows(page, image, pageAt)) if (saysMore(row, committed)) return true;
      return false;
    });
  });
}
