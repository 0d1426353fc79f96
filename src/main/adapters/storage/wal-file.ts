/**
 * Reads SQLite's write-ahead log as bytes (sqlite.org, "Database File Format", section 4). SQLite itself stops at the first frame
 * that does not check out and forgets every commit behind it, silently; here each frame is judged by itself.
 */
export interface WalFrame {
  readonly page: number;
  /** Where the page's image begins in the file. */
  readonly offset: number;
  /** Pages of the database after this commit; 0 when the frame ends no commit. */
  readonly commitPages: number;
  /** Whether it was written since the log was last begun anew. */
  readonly ofThisRound: boolean;
  readonly sound: boolean;
}

export interface WalFile {
  readonly pageSize: number;
  readonly frames: readonly WalFrame[];
  /** Whether commits lie behind a frame that does not check out: SQLite would drop them. */
  readonly commitsBehindDamage: boolean;
  /** Frames at the end that SQLite drops because one of them does not check out: a write that was interrupted, or a damaged one. */
  readonly brokenEnd: readonly WalFrame[];
}

const headerBytes = 32;
const frameHeaderBytes = 24;
const magics = [0x377f0682, 0x377f0683];

type Sums = readonly [number, number];

/** The log's running checksum over some bytes, a multiple of 8, from where it stood. */
function runSum(bytes: Buffer, [first, second]: Sums, bigEndian: boolean): Sums {
  let [a, b] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + (bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + b) >>> 0;
    b = (b + (bigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + a) >>> 0;
  }
  return [a, b];
}

const storedSums = (bytes: Buffer, at: number): Sums => [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];

function frameSound(bytes: Buffer, at: number, pageSize: number, before: Sums): boolean {
  const bigEndian = bytes.readUInt32BE(0) === magics[1];
  const head = runSum(bytes.subarray(at, at + 8), before, bigEndian);
  const image = bytes.subarray(at + frameHeaderBytes, at + frameHeaderBytes + pageSize);
  const [a, b] = runSum(image, head, bigEndian);
  const [storedA, storedB] = storedSums(bytes, at + 16);
  return a === storedA && b === storedB;
}

/** Behind the last commit lies what was never acknowledged; a bad frame there is an interrupted write, not damage. */
function damageBeforeCommit(frames: readonly WalFrame[]): boolean {
  const firstBad = frames.findIndex((frame) => !frame.sound);
  return firstBad !== -1 && frames.slice(firstBad).some((frame) => frame.sound && frame.commitPages > 0);
}

const saltAlike = (bytes: Buffer, at: number, salt: 0 | 4): boolean =>
  bytes.readUInt32BE(16 + salt) === bytes.readUInt32BE(at + 8 + salt);

/** The frames of this round behind its last sound commit, when one of them does not check out. */
function brokenEndOf(frames: readonly WalFrame[]): readonly WalFrame[] {
  const lastCommit = frames.findLastIndex((frame) => frame.sound && frame.commitPages > 0);
  const end = frames.slice(lastCommit + 1).filter((frame) => frame.ofThisRound);
  return end.some((frame) => !frame.sound) ? end : [];
}

function readFrames(bytes: Buffer, pageSize: number): readonly WalFrame[] {
  const frames: WalFrame[] = [];
  let before = storedSums(bytes, 24);
  const step = frameHeaderBytes + pageSize;
  for (let at = headerBytes; at + step <= bytes.length; at += step) {
    const [first, second] = [saltAlike(bytes, at, 0), saltAlike(bytes, at, 4)];
    const sound = first && second && frameSound(bytes, at, pageSize, before);
    frames.push({
      page: bytes.readUInt32BE(at),
      offset: at + frameHeaderBytes,
      commitPages: bytes.readUInt32BE(at + 4),
      // Frames of an earlier round have two other salts; one other salt is a damaged one.
      ofThisRound: first || second,
      sound,
    });
    // A frame's own stored sum is where the next one starts, so damage in one does not spread to the verdict on others.
    before = storedSums(bytes, at + 16);
  }
  return frames;
}

function headerSound(bytes: Buffer): boolean {
  const magic = bytes.readUInt32BE(0);
  if (!magics.includes(magic)) return false;
  const [a, b] = runSum(bytes.subarray(0, 24), [0, 0], magic === magics[1]);
  const [storedA, storedB] = storedSums(bytes, 24);
  return a === storedA && b === storedB;
}

/** What every database of Patina has; the header's word for it is believed only when the header checks out. */
const usualPageSize = 4_096;

/** The frames of a log; null when it is too short to hold any. With a damaged header SQLite would drop all of them. */
export function readWal(bytes: Buffer): WalFile | null {
  if (bytes.length < headerBytes + frameHeaderBytes) return null;
  const sound = headerSound(bytes);
  const pageSize = sound ? bytes.readUInt32BE(8) : usualPageSize;
  const frames = readFrames(bytes, pageSize);
  const lostHeader = !sound && frames.some((frame) => frame.commitPages > 0);
  const commitsBehindDamage = lostHeader || damageBeforeCommit(frames);
  return { pageSize, frames, commitsBehindDamage, brokenEnd: brokenEndOf(frames) };
}
