/**
 * Reads SQLite's write-ahead log as bytes (sqlite.org, "Database File Format", section 4). SQLite itself
 * stops at the first frame with a wrong checksum and silently drops every commit after it; this reader judges
 * each frame separately.
 */
export interface WalFrame {
  readonly page: number;
  /** Offset of the page image in the file. */
  readonly offset: number;
  /** Number of database pages after this commit; 0 when the frame ends no commit. */
  readonly commitPages: number;
  /** Whether the frame was written since the log last restarted. */
  readonly ofThisRound: boolean;
  readonly sound: boolean;
}

export interface WalFile {
  readonly pageSize: number;
  readonly frames: readonly WalFrame[];
  /** Whether commits follow a frame with a wrong checksum: SQLite would drop them. */
  readonly commitsBehindDamage: boolean;
  /**
   * Frames at the end that SQLite drops because of a wrong checksum: an interrupted write, or a damaged one.
   */
  readonly brokenEnd: readonly WalFrame[];
}

const headerBytes = 32;
const frameHeaderBytes = 24;
const magics = [0x377f0682, 0x377f0683];

type Sums = readonly [number, number];

/** Continues the log's running checksum over some bytes; their length is a multiple of 8. */
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

/**
 * Frames after the last commit were never acknowledged; a bad frame there is an interrupted write, not
 * damage.
 */
function damageBeforeCommit(frames: readonly WalFrame[]): boolean {
  const firstBad = frames.findIndex((frame) => !frame.sound);
  return firstBad !== -1 && frames.slice(firstBad).some((frame) => frame.sound && frame.commitPages > 0);
}

const saltAlike = (bytes: Buffer, at: number, salt: 0 | 4): boolean =>
  bytes.readUInt32BE(16 + salt) === bytes.readUInt32BE(at + 8 + salt);

/** The frames of this round after its last intact commit, if one of them has a wrong checksum. */
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
      // Both salts of a frame from an earlier round differ; a single different salt is damaged.
      ofThisRound: first || second,
      sound,
    });
    // The next frame's checksum starts from this frame's stored one, so damage in one frame does not affect
    // the verdict on others.
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

/**
 * The page size of every Patina database; the header's value is trusted only when the header's checksum
 * matches.
 */
const usualPageSize = 4_096;

/**
 * The frames of a log; null when it is too short to contain any. With a damaged header SQLite would drop all
 * of them.
 */
export function readWal(bytes: Buffer): WalFile | null {
  if (bytes.length < headerBytes + frameHeaderBytes) return null;
  const sound = headerSound(bytes);
  const pageSize = sound ? bytes.readUInt32BE(8) : usualPageSize;
  const frames = readFrames(bytes, pageSize);
  const lostHeader = !sound && frames.some((frame) => frame.commitPages > 0);
  const commitsBehindDamage = lostHeader || damageBeforeCommit(frames);
  return { pageSize, frames, commitsBehindDamage, brokenEnd: brokenEndOf(frames) };
}
