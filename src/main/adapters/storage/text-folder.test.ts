import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createTextFolder } from './text-folder';

const home = mkdtempSync(path.join(tmpdir(), 'patina-texts-'));
afterEach(() => rmSync(path.join(home, 'learned'), { recursive: true, force: true }));
const key = (n: number) => n.toString(16).padStart(64, '0');

describe('texts stored between starts', () => {
  it('[PLN-kept] are available at the next start, and the oldest are removed', () => {
    const folder = path.join(home, 'learned');
    for (let n = 0; n < 503; n += 1) createTextFolder(folder).put(key(n), `text ${n}`);
    expect(createTextFolder(folder).get(key(502))).toBe('text 502');
    expect(readdirSync(folder)).toHaveLength(500);
  });

  it('[PLN-kept] never leave their folder and never throw', () => {
    const blocked = path.join(home, 'file');
    writeFileSync(blocked, '');
    const cache = createTextFolder(blocked);
    expect(() => cache.put(key(1), 'x')).not.toThrow();
    expect(cache.get(key(1))).toBeNull();
    cache.put('../escape', 'x');
    expect(readdirSync(home)).toEqual(['file']);
  });

  it('[PLN-kept] are no more and no longer than allowed, and the least recently written go first', () => {
    const folder = path.join(home, 'learned');
    const texts = createTextFolder(folder, { maxTexts: 2, largest: 5 });
    const dated = (n: number, at: number): void => {
      texts.put(key(n), `t${n}`);
      utimesSync(path.join(folder, `${key(n)}.json`), at, at);
    };
    dated(3, 100);
    dated(1, 300);
    writeFileSync(path.join(folder, 'notes.txt'), 'of somebody else');
    texts.put(key(2), '12345');
    expect([1, 2, 3].map((n) => texts.get(key(n)))).toEqual(['t1', '12345', null]);
    texts.put(key(4), '123456');
    expect(texts.get(key(4))).toBeNull();
    expect(readdirSync(folder).sort()).toEqual([`${key(1)}.json`, `${key(2)}.json`, 'notes.txt']);
    writeFileSync(path.join(folder, `${key(1)}.json`), '123456');
    expect(texts.get(key(1))).toBeNull();
  });

  it('[PLN-kept] are for their owner only, under keys that are no other file', (context) => {
    const folder = path.join(home, 'learned', 'deeper');
    const texts = createTextFolder(folder);
    for (const bad of ['ab', `${key(1)}0`, `../${key(1)}`, key(1).replace('1', 'G')]) {
      texts.put(bad, 'x');
      expect(texts.get(bad)).toBeNull();
    }
    expect(existsSync(folder)).toBe(false);
    texts.put(key(1), 'x');
    if (process.platform === 'win32') context.skip('Windows has no permission bits');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(folder, `${key(1)}.json`)).mode & 0o777).toBe(0o600);
  });
});
