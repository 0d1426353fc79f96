import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSavedContents } from './saved-contents';

const day = 86_400_000;
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'patina-saved-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Content that is not text, after which the store looks for what to delete. */
const large = (fill: number): Buffer => Buffer.alloc(64_000, fill);
const names = (): readonly string[] => readdirSync(folder).flatMap((part) => readdirSync(join(folder, part)));

it('[UNDO-kept] deletes what is older than 30 days, and the oldest when there is too much', async () => {
  let now = 100 * day;
  const contents = createSavedContents(folder, () => now, { days: 30, bytes: 150_000 });
  const old = contents.put(Buffer.from('old'));
  now += 31 * day;
  const first = contents.put(large(0xf1));
  await contents.swept();
  expect(await contents.read(old)).toEqual({ kind: 'lost', why: 'swept' });
  now += day;
  const second = contents.put(large(0xf2));
  now += day;
  // What is saved again counts as new.
  contents.put(large(0xf1));
  now += day;
  const third = contents.put(large(0xf3));
  await contents.swept();
  expect(await contents.read(second)).toEqual({ kind: 'lost', why: 'swept' });
  expect(await contents.read(first)).toEqual({ kind: 'bytes', bytes: 64_000 });
  expect([...names()].sort()).toEqual([first, third].sort());
});

it('[UNDO-kept] stores content once, for this user alone, and notices damage', async () => {
  const contents = createSavedContents(folder, Date.now);
  const hash = contents.put(Buffer.from('\uFEFFtext\r\n'));
  expect(contents.put(Buffer.from('\uFEFFtext\r\n'))).toBe(hash);
  expect(await contents.read(hash)).toEqual({ kind: 'text', text: '\uFEFFtext\r\n' });
  const file = join(folder, hash.slice(0, 2), hash);
  for (const path of [file, dirname(file)]) expect(statSync(path).mode & 0o077).toBe(0);
  chmodSync(file, 0o600);
  writeFileSync(file, 'other');
  expect(await contents.read(hash)).toEqual({ kind: 'lost', why: 'damaged' });
  // Saving it again repairs it.
  contents.put(Buffer.from('\uFEFFtext\r\n'));
  expect(await contents.read(hash)).toMatchObject({ kind: 'text' });
  expect(existsSync(file)).toBe(true);
});
