import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { flipped, frameBytes, frameHeader } from '../../../testing/corrupt-database';
import { newDatabasePath } from '../../../testing/stored-session';
import { openSqlite } from './sqlite';
import { readWal, type WalFile } from './wal-file';

/** A log of three commits, one row each, and the first frames of one more. */
function writeLog(): { readonly log: Buffer; readonly unfinished: Buffer; readonly restarted: Buffer } {
  const path = newDatabasePath();
  const db = openSqlite(path);
  db.exec('CREATE TABLE t (x)');
  db.exec('INSERT INTO t VALUES (1)');
  db.exec('INSERT INTO t VALUES (2)');
  const log = readFileSync(`${path}-wal`);
  db.exec('INSERT INTO t VALUES (zeroblob(20000))');
  const unfinished = readFileSync(`${path}-wal`).subarray(log.length, -frameBytes);
  // A checkpoint lets the next commit begin the log again, before frames of the round before.
  db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  db.exec('INSERT INTO t VALUES (3)');
  const restarted = readFileSync(`${path}-wal`);
  db.close();
  return { log, unfinished, restarted };
}

const { log, unfinished, restarted } = writeLog();
const frameCount = (log.length - 32) / frameBytes;
const frameAt = (index: number): number => 32 + index * frameBytes;
const read = (bytes: Buffer): WalFile => readWal(bytes)!;
const soundOf = (bytes: Buffer): readonly boolean[] => read(bytes).frames.map(({ sound }) => sound);
const allBut = (...bad: readonly number[]): readonly boolean[] =>
  Array.from({ length: frameCount }, (_, index) => !bad.includes(index));

describe('[H55] the frames of a log', () => {
  it('name their page, the place of its image and the size after a commit', () => {
    const { pageSize, frames, commitsBehindDamage, brokenEnd } = read(log);
    expect({ pageSize, commitsBehindDamage, brokenEnd }).toEqual({
      pageSize: 4_096,
      commitsBehindDamage: false,
      brokenEnd: [],
    });
    expect(frames.slice(-2)).toEqual([
      {
        page: 2,
        offset: frameAt(frameCount - 2) + frameHeader,
        commitPages: 2,
        ofThisRound: true,
        sound: true,
      },
      {
        page: 2,
        offset: frameAt(frameCount - 1) + frameHeader,
        commitPages: 2,
        ofThisRound: true,
        sound: true,
      },
    ]);
    expect(soundOf(log)).toEqual(allBut());
  });

  it('are judged one by one: damage in an image makes no other frame unsound', () => {
    const first = read(flipped(log, frameAt(0) + frameHeader + 9, 1));
    expect(first.frames.map(({ sound }) => sound)).toEqual(allBut(0));
    expect(first).toMatchObject({ commitsBehindDamage: true, brokenEnd: [] });
  });

  it('with a damaged checksum are unsound together with the frame after it, which continues the sum', () => {
    for (const at of [16, 20]) {
      expect(soundOf(flipped(log, frameAt(0) + at, 1))).toEqual(allBut(0, 1));
    }
  });

  it.each([0, 3, 4, 7])('with damage at %i of their header are unsound', (at) => {
    expect(soundOf(flipped(log, frameAt(1) + at, 1))).toEqual(allBut(1));
  });

  it.each([8, 12])('with one damaged salt, at %i, still belong to this round', (at) => {
    const { frames, brokenEnd } = read(flipped(log, frameAt(frameCount - 1) + at, 1));
    expect(frames.at(-1)).toMatchObject({ ofThisRound: true, sound: false });
    expect(brokenEnd).toEqual([frames.at(-1)]);
  });

  it('of an earlier round are no damage', () => {
    const { frames, commitsBehindDamage, brokenEnd } = read(restarted.subarray(0, log.length));
    expect(frames.map(({ ofThisRound }) => ofThisRound)).toEqual([
      true,
      ...allBut()
        .slice(1)
        .map(() => false),
    ]);
    expect(frames.map(({ sound }) => sound)).toEqual([
      true,
      ...allBut()
        .slice(1)
        .map(() => false),
    ]);
    expect({ commitsBehindDamage, brokenEnd }).toEqual({ commitsBehindDamage: false, brokenEnd: [] });
  });

  it('after the last commit are a broken end when one is unsound, and no lost commit', () => {
    const torn = read(flipped(log, log.length - 1, 1));
    expect(torn.commitsBehindDamage).toBe(false);
    expect(torn.brokenEnd).toEqual([torn.frames.at(-1)]);
    const whole = read(log.subarray(0, log.length - 1));
    expect(whole.frames).toHaveLength(frameCount - 1);
    expect(whole.brokenEnd).toEqual([]);
  });

  it('of a commit that was not finished are lost with it, whatever is damaged', () => {
    const bytes = Buffer.concat([log, unfinished]);
    const added = unfinished.length / frameBytes;
    expect(added).toBeGreaterThan(2);
    expect(read(bytes)).toMatchObject({ commitsBehindDamage: false, brokenEnd: [] });
    const torn = read(flipped(bytes, frameAt(frameCount) + frameHeader, 1));
    expect(torn.commitsBehindDamage).toBe(false);
    expect(torn.brokenEnd).toEqual(torn.frames.slice(-added));
    const alone = Buffer.concat([log.subarray(0, 32), unfinished]);
    expect(read(flipped(alone, 24, 1)).commitsBehindDamage).toBe(false);
  });
});

describe('[H55] a log', () => {
  it('too short for a frame has none', () => {
    expect(readWal(Buffer.alloc(0))).toBeNull();
    expect(readWal(log.subarray(0, 32 + frameHeader - 1))).toBeNull();
    expect(read(log.subarray(0, 32 + frameHeader)).frames).toEqual([]);
    expect(read(log.subarray(0, 32 + frameHeader)).commitsBehindDamage).toBe(false);
  });

  it.each([0, 8, 24, 28])('with damage at %i of its header would lose its commits', (at) => {
    // SQLite ignores the whole log; the usual page size still finds its frames.
    const { pageSize, frames, commitsBehindDamage } = read(flipped(log, at, 1));
    expect({ pageSize, commitsBehindDamage }).toEqual({ pageSize: 4_096, commitsBehindDamage: true });
    expect(frames).toHaveLength(frameCount);
    expect(read(flipped(log, at, 1).subarray(0, 32 + frameHeader)).commitsBehindDamage).toBe(false);
  });

  it('may have another page size, and sums of the other byte order', () => {
    const path = newDatabasePath();
    const db = openSqlite(path);
    db.exec('PRAGMA journal_mode = DELETE; PRAGMA page_size = 1024; VACUUM; PRAGMA journal_mode = WAL');
    db.exec('CREATE TABLE t (x); INSERT INTO t VALUES (1)');
    const small = read(readFileSync(`${path}-wal`));
    db.close();
    expect(small.pageSize).toBe(1_024);
    expect(small.frames.length).toBeGreaterThan(2);
    expect(small.frames.every(({ sound }) => sound)).toBe(true);

    // The same frame as SQLite writes it on a big-endian machine.
    const big = Buffer.from(log.subarray(0, 32 + frameBytes));
    const sum = (bytes: Buffer, [first, second]: readonly [number, number]): readonly [number, number] => {
      let [a, b] = [first, second];
      for (let at = 0; at < bytes.length; at += 8) {
        a = (a + bytes.readUInt32BE(at) + b) >>> 0;
        b = (b + bytes.readUInt32BE(at + 4) + a) >>> 0;
      }
      return [a, b];
    };
    big.writeUInt32BE(0x377f0683, 0);
    const head = sum(big.subarray(0, 24), [0, 0]);
    head.forEach((value, index) => big.writeUInt32BE(value, 24 + index * 4));
    const frame = sum(big.subarray(32 + frameHeader), sum(big.subarray(32, 40), head));
    frame.forEach((value, index) => big.writeUInt32BE(value, 32 + 16 + index * 4));
    expect(soundOf(big)).toEqual([true]);
    expect(read(big).commitsBehindDamage).toBe(false);
  });
});
