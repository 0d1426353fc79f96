import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileSecrets } from '../secrets/file-secrets';
import { createSafeStorageSecrets, type SafeStorage } from './safe-storage-secrets';

let home = '';
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'patina-keychain-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const canary = 'sk-canary-0451';

/** A keychain that reverses the bytes. */
function keychain(more: Partial<SafeStorage> = {}): SafeStorage {
  return {
    isEncryptionAvailable: () => true,
    encryptString: (text) => Buffer.from(text, 'utf8').reverse(),
    decryptString: (sealed) => Buffer.from(sealed).reverse().toString('utf8'),
    ...more,
  };
}
const fails = () => {
  throw new Error(`no keyring for ${canary}`);
};
const open = (safeStorage: SafeStorage) => createSafeStorageSecrets({ safeStorage, home });
const stored = () => readFileSync(path.join(home, 'secrets.json'), 'utf8');

describe('secrets of the app', () => {
  it('are encrypted with the keychain and can be read after a restart', () => {
    expect(open(keychain()).set('a', canary, { unprotected: false })).toEqual({ ok: true, value: null });
    expect(stored()).not.toContain(canary);
    expect(statSync(path.join(home, 'secrets.json')).mode & 0o777).toBe(0o600);
    expect(open(keychain()).get('a')).toEqual({ ok: true, value: canary });
    expect(open(keychain()).status()).toEqual({ available: true });
  });

  it('[SET-key-place] say how they are kept', () => {
    open(keychain()).set('a', canary, { unprotected: false });
    expect(open(keychain()).place('a')).toBe('keychain');
    const secrets = open(keychain({ isEncryptionAvailable: () => false }));
    secrets.set('b', canary, { unprotected: false });
    secrets.set('c', canary, { unprotected: true });
    expect(['b', 'c', 'd'].map((ref) => secrets.place(ref))).toEqual(['memory', 'file', null]);
  });

  const without: readonly (readonly [string, Partial<SafeStorage>])[] = [
    ['there is no keychain', { isEncryptionAvailable: () => false, encryptString: fails }],
    ['the keychain is a constant', { getSelectedStorageBackend: () => 'basic_text' }],
    ['the keychain throws', { isEncryptionAvailable: fails }],
  ];
  it.each(without)('[LLM-keys] last for the session when %s, and the user is told', (_name, more) => {
    const secrets = open(keychain(more));
    expect(secrets.status().available).toBe(false);
    expect(secrets.status().reason).toMatch(/^[A-Z].*until Patina closes.*\.$/);
    secrets.set('a', canary, { unprotected: false });
    expect(secrets.get('a')).toEqual({ ok: true, value: canary });
    expect(stored).toThrow(/ENOENT/);
    expect(open(keychain(more)).get('a')).toMatchObject({ ok: false, error: { code: 'MISSING' } });
  });

  it('are stored unprotected in a 0600 file only if the user chose it; the command line reads it', () => {
    const secrets = open(keychain({ isEncryptionAvailable: () => false }));
    secrets.set('a', canary, { unprotected: true });
    expect(statSync(path.join(home, 'secrets.json')).mode & 0o777).toBe(0o600);
    expect(createFileSecrets({ home }).get('a')).toEqual({ ok: true, value: canary });
  });

  it('that cannot be decrypted are asked for again, never deleted', () => {
    open(keychain()).set('a', canary, { unprotected: false });
    const before = stored();
    const secrets = open(keychain({ decryptString: fails }));
    const result = secrets.get('a');
    expect(result).toMatchObject({ ok: false, error: { kind: 'CONFIG', code: 'INVALID' } });
    expect(JSON.stringify(result)).toMatch(/enter the key again/);
    expect(JSON.stringify(result)).not.toContain(canary);
    expect(stored()).toBe(before);
    secrets.set('a', 'new', { unprotected: false });
    expect(open(keychain()).get('a')).toEqual({ ok: true, value: 'new' });
  });

  it('are not lost when the keychain refuses a new one', () => {
    open(keychain()).set('a', 'old', { unprotected: false });
    const result = open(keychain({ encryptString: fails })).set('a', canary, { unprotected: false });
    expect(result).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STORAGE' } });
    expect(JSON.stringify(result)).not.toContain(canary);
    expect(open(keychain()).get('a')).toEqual({ ok: true, value: 'old' });
  });

  it('encrypted by the app are recognised by the command line', () => {
    open(keychain()).set('a', canary, { unprotected: false });
    expect(createFileSecrets({ home }).get('a')).toMatchObject({
      ok: false,
      error: { kind: 'CONFIG', code: 'MISSING', hint: expect.stringContaining('OPENAI_API_KEY') as string },
    });
  });
});
