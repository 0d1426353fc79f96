import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileSecrets } from './file-secrets';

let home = '';
let file = '';
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'patina-secrets-'));
  file = path.join(home, 'secrets.json');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const canary = 'sk-canary-0451';
const kept = { ok: true, value: null };

describe('secrets of the command line', () => {
  it('[STO-private] are in a file of mode 0600 and available to the next process', () => {
    expect(createFileSecrets({ home }).set('provider.a', canary, { unprotected: true })).toEqual(kept);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(createFileSecrets({ home }).get('provider.a')).toEqual({ ok: true, value: canary });
  });

  it('stay in memory only when no file was requested', () => {
    const secrets = createFileSecrets({ home });
    expect(secrets.set('provider.a', canary, { unprotected: false })).toEqual(kept);
    expect(secrets.get('provider.a')).toEqual({ ok: true, value: canary });
    expect(createFileSecrets({ home }).get('provider.a')).toMatchObject({
      ok: false,
      error: { kind: 'CONFIG', code: 'MISSING' },
    });
  });

  it('[SET-key-place] say how they are kept', () => {
    const secrets = createFileSecrets({ home });
    expect(secrets.place('provider.a')).toBeNull();
    secrets.set('provider.a', canary, { unprotected: true });
    expect(secrets.place('provider.a')).toBe('file');
    secrets.set('provider.a', canary, { unprotected: false });
    expect(secrets.place('provider.a')).toBe('memory');
    secrets.remove('provider.a');
    expect(secrets.place('provider.a')).toBeNull();
  });

  it('are gone after remove, from memory and file', () => {
    const secrets = createFileSecrets({ home });
    secrets.set('a', canary, { unprotected: true });
    secrets.set('b', 'other', { unprotected: true });
    secrets.set('a', canary, { unprotected: false });
    expect(secrets.remove('a')).toEqual(kept);
    expect(secrets.get('a').ok).toBe(false);
    expect(secrets.get('b').ok).toBe(true);
    expect(readFileSync(file, 'utf8')).not.toContain(canary);
  });

  it('may have any name', () => {
    const secrets = createFileSecrets({ home });
    for (const ref of ['__proto__', 'constructor', '']) secrets.set(ref, `v${ref}`, { unprotected: true });
    expect(createFileSecrets({ home }).get('__proto__')).toEqual({ ok: true, value: 'v__proto__' });
    expect(createFileSecrets({ home }).get('toString').ok).toBe(false);
  });

  it('are unprotected, and a warning says so', () => {
    expect(createFileSecrets({ home }).status()).toMatchObject({
      available: false,
      reason: expect.stringMatching(/no keychain/) as string,
    });
  });
});

describe('a secrets file that cannot be trusted is refused, named, and left unchanged', () => {
  const content = JSON.stringify({ version: 1, secrets: [{ ref: 'a', value: canary }] });
  const cases: readonly (readonly [string, () => void, RegExp])[] = [
    [
      'others may read it',
      () => {
        writeFileSync(file, content);
        chmodSync(file, 0o644);
      },
      /other users/,
    ],
    [
      'others may write it',
      () => {
        writeFileSync(file, content);
        chmodSync(file, 0o620);
      },
      /other users/,
    ],
    ['it is truncated', () => writeFileSync(file, content.slice(0, -3), { mode: 0o600 }), /damaged/],
    ['it is empty', () => writeFileSync(file, '', { mode: 0o600 }), /damaged/],
    ['it has another shape', () => writeFileSync(file, `{"a":"${canary}"}`, { mode: 0o600 }), /damaged/],
    ['it is a folder', () => mkdirSync(file), /regular file/],
    [
      'it is a link',
      () => {
        writeFileSync(`${file}.real`, content, { mode: 0o600 });
        symlinkSync(`${file}.real`, file);
      },
      /regular file/,
    ],
  ];
  it.each(cases)('when %s', (_name, prepare, reason) => {
    prepare();
    const secrets = createFileSecrets({ home });
    for (const result of [
      secrets.get('a'),
      secrets.set('b', canary, { unprotected: true }),
      secrets.remove('a'),
    ]) {
      expect(result).toMatchObject({ ok: false, error: { kind: 'CONFIG', code: 'INVALID' } });
      expect(!result.ok && result.error.message).toMatch(reason);
      expect(JSON.stringify(result)).not.toContain(canary);
    }
    expect(secrets.set('b', canary, { unprotected: false })).toEqual(kept);
    expect(secrets.get('b')).toEqual({ ok: true, value: canary });
  });

  it('when the folder cannot be written', () => {
    const blocked = path.join(home, 'file');
    writeFileSync(blocked, '');
    const secrets = createFileSecrets({ home: path.join(blocked, 'home') });
    const result = secrets.set('a', canary, { unprotected: true });
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).not.toContain(canary);
  });
});
