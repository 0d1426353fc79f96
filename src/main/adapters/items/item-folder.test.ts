import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { must } from '../../../testing/stored-session';
import { createItemFolder } from './item-folder';

const day = 86_400_000;
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'patina-items-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = 1_000 * day;
const open = (now = start) => createItemFolder({ folder, now: () => now });
const placeOf = (hash: string): string => join(folder, hash.slice(0, 2), hash);
/** Sets the time at which a content was last named. */
const touch = (hash: string, at: number): void => utimesSync(placeOf(hash), at / 1_000, at / 1_000);

it('[ITEM-stored] stores content once, returns it unchanged and notices damage', () => {
  const items = open();
  const content = Buffer.from('\uFEFFone\r\ntwo');
  const hash = must(items.put(content));
  expect(must(items.put(content))).toBe(hash);
  expect(Buffer.from(must(items.read(hash)))).toEqual(content);
  writeFileSync(join(placeOf(hash), 'content'), 'other');
  expect(items.read(hash)).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STORAGE' } });
  must(items.put(content));
  expect(items.read(hash).ok).toBe(true);
  for (const wrong of ['0'.repeat(64), '../../etc/passwd', ''])
    expect(items.read(wrong)).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
});

it('[ITEM-counted] removes content with the last session that names it', () => {
  const items = open();
  const hash = must(items.put(Buffer.from('shared')));
  must(items.claim('one', [hash, hash]));
  must(items.claim('two', [hash]));
  items.release('one');
  expect(items.read(hash).ok).toBe(true);
  items.release('two');
  expect(items.read(hash).ok).toBe(false);
  expect(must(items.claim('one', ['0'.repeat(64)]))).toBeNull();
});

it('[ITEM-counted] removes content that nothing has named for a week, and that of deleted sessions', () => {
  const items = open();
  const [draft, named, orphan] = ['draft', 'named', 'orphan'].map((text) =>
    must(items.put(Buffer.from(text))),
  );
  if (!draft || !named || !orphan) throw new Error('The contents are missing.');
  must(items.claim('alive', [named]));
  must(items.claim('deleted', [named, orphan]));
  for (const hash of [named, orphan]) touch(hash, start - 8 * day);
  touch(draft, start - 6 * day);
  mkdirSync(placeOf('f'.repeat(64)), { recursive: true });
  writeFileSync(join(placeOf('f'.repeat(64)), '.content.1.tmp'), 'half');
  touch('f'.repeat(64), start - 8 * day);
  items.sweep(['alive']);
  expect([draft, named, orphan].map((hash) => items.read(hash).ok)).toEqual([true, true, false]);
  expect(readdirSync(join(folder, 'ff'))).toEqual([]);
  expect(readdirSync(placeOf(named))).toHaveLength(2);
  createItemFolder({ folder, now: () => start + 2 * day }).sweep(['alive']);
  expect(items.read(draft).ok).toBe(false);
});
