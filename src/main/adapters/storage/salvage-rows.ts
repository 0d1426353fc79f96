import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import type { SessionEvent } from '#shared/session-event';
import { fromRow, seqSpan } from './event-row';
import { leafRows, type LeafRow, type PageAt } from './leaf-page';
import { readWal, type WalFile } from './wal-file';

/** Events found in a damaged database, by session and seq, and how many there ought to be. */
export interface FoundRows {
  readonly bySession: ReadonlyMap<string, ReadonlyMap<number, SessionEvent>>;
  /** Rows that look like events and are not what was written. */
  readonly damaged: number;
  /** The last seq each session is said to have; only as true as the damaged file. */
  readonly claimedSeq: ReadonlyMap<string, number>;
}

const usualPageSize = 4_096;
const eventCells = 6;
const sessionCells = 9;

interface Finds {
  readonly bySession: Map<string, Map<number, SessionEvent>>;
  readonly damaged: Set<string>;
  readonly claimedSeq: Map<string, number>;
}

function takeEvent(finds: Finds, { rowid, cells }: LeafRow): void {
  const [, sessionId, at, v, sum, fact] = cells;
  if (typeof sessionId !== 'string' || typeof fact !== 'string') return;
  const seq = rowid % seqSpan;
  const events = finds.bySession.get(sessionId) ?? new Map<number, SessionEvent>();
  if (events.has(seq)) return;
  const event = fromRow({ sessionId, seq, at: Number(at), v: Number(v), sum: Number(sum), fact });
  if (!event) {
    finds.damaged.add(`${sessionId} ${seq}`);
    return;
  }
  events.set(seq, event);
  finds.bySession.set(sessionId, events);
}

function takeRow(finds: Finds, row: LeafRow): void {
  if (row.cells.length === eventCells) takeEvent(finds, row);
  const [, id, lastSeq] = row.cells;
  if (row.cells.length !== sessionCells || typeof id !== 'string' || typeof lastSeq !== 'number') return;
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

/** Where each frame's commit ends: rows of a frame may go on in pages written up to there, and not later. */
function commitEnds({ frames }: WalFile): readonly number[] {
  const ends: number[] = [];
  let end = -1;
  for (let index = frames.length - 1; index >= 0; index -= 1) {
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

const pageHeader = (page: number): number => (page === 1 ? 100 : 0);

function scanLog(finds: Finds, wal: WalFile, bytes: Buffer, database: Images): void {
  const ends = commitEnds(wal);
  // The newest image of a page is looked at first: a row found there needs no older one.
  for (let index = wal.frames.length - 1; index >= 0; index -= 1) {
    const frame = wal.frames[index];
    const end = ends[index] ?? -1;
    // Behind the last commit lies what was never acknowledged.
    if (!frame || end === -1) continue;
    const image = bytes.subarray(frame.offset, frame.offset + wal.pageSize);
    const rows = leafRows(image, pageHeader(frame.page), asOf(wal, bytes, end, database));
    for (const row of rows) takeRow(finds, row);
  }
}

function scanDatabase(finds: Finds, database: Images, pageAt: PageAt): void {
  for (let page = 1; page <= database.pages; page += 1) {
    const image = database.read(page);
    if (!image) continue;
    for (const row of leafRows(image, pageHeader(page), pageAt)) takeRow(finds, row);
  }
}

function scan(file: number, logPath: string): Finds {
  const finds: Finds = { bySession: new Map(), damaged: new Set(), claimedSeq: new Map() };
  const bytes = existsSync(logPath) ? readFileSync(logPath) : Buffer.alloc(0);
  const wal = readWal(bytes);
  const database = databaseImages(file, wal);
  if (wal) scanLog(finds, wal, bytes, database);
  // Twice, as the two differ where the log rewrote a row's continuation.
  scanDatabase(finds, database, wal ? asOf(wal, bytes, wal.frames.length - 1, database) : database.read);
  if (wal) scanDatabase(finds, database, database.read);
  return finds;
}

/** Every event that can still be read from a damaged database and its log, page by page, without SQLite. */
export function salvageRows(path: string, logPath: string): FoundRows {
  if (statSync(path).isDirectory()) return { bySession: new Map(), damaged: 0, claimedSeq: new Map() };
  const file = openSync(path, 'r');
  try {
    const { bySession, damaged, claimedSeq } = scan(file, logPath);
    // A row that is bad in one image and sound in another is not lost.
    const lost = [...damaged].filter((name) => {
      const [sessionId = '', seq] = name.split(' ');
      return !bySession.get(sessionId)?.has(Number(seq));
    });
    return { bySession, damaged: lost.length, claimedSeq };
  } finally {
    closeSync(file);
  }
}
