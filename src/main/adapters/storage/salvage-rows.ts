import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { headIntact, type Head } from './event-chain';
import { isIntact, seqSpan, type EventRow } from './event-row';
import { leafRows, type LeafRow, type PageAt } from './leaf-page';
import { readWal, type WalFile, type WalFrame } from './wal-file';

/** Which event a damaged row says it is; either may be what is damaged. */
export interface DamagedRow {
  readonly sessionId: string;
  readonly seq: number;
}

/** Events found in a damaged database, by session and seq, and how many there ought to be. */
export interface FoundRows {
  readonly bySession: ReadonlyMap<string, ReadonlyMap<number, EventRow>>;
  /** Rows that look like events and are not what was written, nor to be had from elsewhere. */
  readonly damaged: readonly DamagedRow[];
  /** The last seq each session is said to have; only as true as the damaged file. */
  readonly claimedSeq: ReadonlyMap<string, number>;
  /** How each session ends, the furthest that was found. */
  readonly heads: ReadonlyMap<string, Head>;
}

const usualPageSize = 4_096;
const eventCells = 6;
const sessionCells = 9;
const headCells = 5;

interface Finds {
  readonly bySession: Map<string, Map<number, EventRow>>;
  readonly damaged: DamagedRow[];
  readonly claimedSeq: Map<string, number>;
  readonly heads: Map<string, Head>;
}

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

function takeRow(finds: Finds, row: LeafRow): void {
  if (row.cells.length === eventCells) takeEvent(finds, row);
  if (row.cells.length === headCells) takeHead(finds, row.cells);
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

/**
 * Where each frame's commit ends: rows of a frame may go on in pages written up to there, and not later. A broken end is taken for
 * a commit too: a row in it that checks out was written whole.
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

/** The log without those frames of its broken end that `leaveOut` names. */
function withoutFrames(wal: WalFile, leaveOut: (frame: WalFrame) => boolean): WalFile {
  const gone = new Set(wal.brokenEnd.filter(leaveOut));
  const kept = (frame: WalFrame): boolean => !gone.has(frame);
  return { ...wal, frames: wal.frames.filter(kept), brokenEnd: wal.brokenEnd.filter(kept) };
}

function scan(file: number, logPath: string, leaveOut: (frame: WalFrame) => boolean): FoundRows {
  const finds: Finds = { bySession: new Map(), damaged: [], claimedSeq: new Map(), heads: new Map() };
  const bytes = existsSync(logPath) ? readFileSync(logPath) : Buffer.alloc(0);
  const read = readWal(bytes);
  const wal = read && withoutFrames(read, leaveOut);
  const database = databaseImages(file, wal);
  if (wal) scanLog(finds, wal, bytes, database);
  // Twice, as the two differ where the log rewrote a row's continuation.
  scanDatabase(finds, database, wal ? asOf(wal, bytes, wal.frames.length - 1, database) : database.read);
  if (wal) scanDatabase(finds, database, database.read);
  return { ...finds, damaged: lostRows(finds) };
}

/** The damaged rows, each once; one that is bad in one image and sound in another is not lost. */
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

/** Every event that can still be read from a damaged database and its log, page by page, without SQLite. */
export function salvageRows(path: string, logPath: string): FoundRows {
  if (statSync(path).isDirectory())
    return { bySession: new Map(), damaged: [], claimedSeq: new Map(), heads: new Map() };
  return withFile(path, (file) => scan(file, logPath, () => false));
}

/** How much events there are and are said to be. */
const weight = ({ bySession, damaged, claimedSeq }: FoundRows): number =>
  [...bySession.values()].reduce((sum, events) => sum + events.size, damaged.length) +
  [...claimedSeq.values()].reduce((sum, seq) => sum + seq, 0);

/**
 * Whether a frame that does not check out at the end of a log tells of events that are known from nowhere else. One whose writing was
 * interrupted does not: behind its header stands what was there before.
 */
export function brokenEndHoldsRows(path: string, logPath: string): boolean {
  const hasMore = (file: number): boolean =>
    weight(scan(file, logPath, ({ sound }) => sound)) > weight(scan(file, logPath, () => true));
  return withFile(path, hasMore);
}
