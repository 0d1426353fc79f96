import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
});
