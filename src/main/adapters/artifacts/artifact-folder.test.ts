import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createArtifactFolder } from './artifact-folder';

let folder = '';
beforeEach(() => (folder = path.join(mkdtempSync(path.join(tmpdir(), 'patina-artifacts-')), 'artifacts')));
afterEach(() => rmSync(path.dirname(folder), { recursive: true, force: true }));

const files = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

describe('the artifact folder', () => {
  it('returns stored content by its hash, and stores it once', () => {
    const store = createArtifactFolder(folder);
    const text = 'Zwölf Boxkämpfer 🥊\n';
    const hash = createHash('sha256').update(text).digest('hex');
    const first = store.put('a.txt', 'text/plain', text);
    expect(first).toEqual({
      ok: true,
      value: { handle: `artifact://sha256/${hash}`, bytes: Buffer.byteLength(text) },
    });
    const [before] = files();
    expect(store.put('b.txt', 'text/plain', text)).toEqual(first);
    expect(files()).toHaveLength(1);
    expect(before && statSync(path.join(before.parentPath, before.name)).isFile()).toBe(true);
    expect(store.get(`artifact://sha256/${hash}`)).toEqual({ ok: true, value: text });
  });

  it('does not use content that was changed on disk, and repairs it with the next put', () => {
    const store = createArtifactFolder(folder);
    const put = store.put('a', 'text/plain', 'true');
    if (!put.ok) throw new Error(put.error.message);
    const [file] = files();
    if (!file) throw new Error('no file');
    writeFileSync(path.join(file.parentPath, file.name), 'false');
    expect(store.get(put.value.handle)).toMatchObject({ error: { kind: 'HOST', code: 'STORAGE' } });
    expect(store.put('a', 'text/plain', 'true').ok).toBe(true);
    expect(store.get(put.value.handle)).toEqual({ ok: true, value: 'true' });
  });

  it.each([
    ['artifact://sha256/../../etc/passwd', 'INVALID_INPUT'],
    ['/etc/passwd', 'INVALID_INPUT'],
    [`artifact://sha256/${'a'.repeat(64)}`, 'NOT_FOUND'],
  ])('returns nothing for %s', (handle, code) => {
    expect(createArtifactFolder(folder).get(handle)).toMatchObject({ error: { code } });
  });

  it('returns an error value when it cannot write', () => {
    writeFileSync(folder, 'a file stands where the folder would');
    expect(createArtifactFolder(folder).put('a', 'text/plain', 'x')).toMatchObject({
      error: { code: 'STORAGE' },
    });
  });
});
