import { mkdirSync, mkdtempSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createNodeConf } from './conf';
import { createSettingsStore } from './settings-store';

const now = (): number => Date.UTC(2026, 0, 2, 3, 4, 5);
let home = '';
let file = '';

const open = () => createSettingsStore({ home, createConf: createNodeConf, now });
const keptFiles = () => readdirSync(home).filter((name) => name.includes('.corrupt-'));
const onDisk = (): unknown => JSON.parse(readFileSync(file, 'utf8'));

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'settings-'));
  file = join(home, 'ui_settings.json');
});

describe('the settings file', () => {
  it('[SET-mode] starts from the defaults, and the file documents the mode', () => {
    const store = open();
    expect(store.get()).toMatchObject({ mode: 'ask', theme: 'system', model: null });
    expect(store.notices).toEqual([]);
    expect(onDisk()).toEqual({ mode: 'ask' });
  });

  it('writes only what was set, and reads it again', () => {
    expect(open().patch({ mode: 'agent' })).toMatchObject({
      ok: true,
      value: { mode: 'agent', theme: 'system' },
    });
    expect(onDisk()).toEqual({ mode: 'agent' });
    expect(open().get().mode).toBe('agent');
  });

  it('keeps unknown keys, also with dots, and changes by another process', () => {
    writeFileSync(file, '{"mode":"ask","newer.feature":{"a":1},"theme":"dark"}');
    const store = open();
    writeFileSync(file, '{"mode":"ask","newer.feature":{"a":2},"theme":"dark","railWidth":300}');
    store.patch({ mode: 'agent' });
    expect(onDisk()).toEqual({ mode: 'agent', 'newer.feature': { a: 2 }, theme: 'dark', railWidth: 300 });
    expect(store.get().railWidth).toBe(300);
  });

  it('notifies listeners until they unsubscribe', () => {
    const store = open();
    const seen: string[] = [];
    const leave = store.onChange((settings) => seen.push(settings.theme));
    store.patch({ theme: 'dark' });
    leave();
    store.patch({ theme: 'light' });
    expect(seen).toEqual(['dark']);
  });
});

const badFiles: Record<string, Buffer | string> = {
  truncated: '{"mode":"age',
  empty: '',
  blank: ' \n',
  NUL: Buffer.alloc(64),
  'byte order mark': '\uFEFF{"mode":"agent"}',
  binary: Buffer.from([0xff, 0xfe, 0x00, 0x80, 0xc3, 0x28]),
  'a list': '[1]',
  null: 'null',
  'a number': '42',
  'a string': '"agent"',
  '100 MB': Buffer.alloc(100_000_000, ' '),
};

describe('an invalid settings file', () => {
  it.each(Object.entries(badFiles))(
    '[H52] %s: defaults apply, the file is kept, a notice is shown',
    (_name, content) => {
      writeFileSync(file, content);
      const store = open();
      expect(store.get().mode).toBe('ask');
      expect(store.notices).toHaveLength(1);
      expect(store.notices[0]?.detail).toContain('.corrupt-2026-01-02T03-04-05-000Z');
      expect(keptFiles()).toEqual(['ui_settings.json.corrupt-2026-01-02T03-04-05-000Z']);
      expect(readFileSync(join(home, keptFiles()[0]!)).equals(Buffer.from(content))).toBe(true);
      expect(store.patch({ mode: 'agent' }).ok).toBe(true);
      expect(onDisk()).toEqual({ mode: 'agent' });
    },
  );

  it('[H52] that is a directory is moved away', () => {
    mkdirSync(file);
    writeFileSync(join(file, 'inside'), 'x');
    const store = open();
    expect(store.notices).toHaveLength(1);
    expect(store.patch({ theme: 'dark' }).ok).toBe(true);
    expect(onDisk()).toEqual({ mode: 'ask', theme: 'dark' });
    expect(readFileSync(join(home, keptFiles()[0]!, 'inside'), 'utf8')).toBe('x');
  });

  it('[H52] is replaced by the copy of the last valid file', () => {
    open().patch({ mode: 'agent', theme: 'dark' });
    writeFileSync(file, '{"mode":');
    const store = open();
    expect(store.get()).toMatchObject({ mode: 'agent', theme: 'dark' });
    expect(store.notices[0]?.title).toContain('restored');
    expect(onDisk()).toEqual({ mode: 'agent', theme: 'dark' });
  });

  it('[H52] is not replaced by an invalid copy', () => {
    writeFileSync(file, '{');
    writeFileSync(`${file}.bak`, '[]');
    expect(open().get().mode).toBe('ask');
  });

  it('[H52] that becomes invalid while Patina runs is set aside at the next change', () => {
    const store = open();
    store.patch({ mode: 'agent' });
    writeFileSync(file, 'not json');
    expect(store.patch({ theme: 'dark' })).toMatchObject({
      ok: true,
      value: { mode: 'agent', theme: 'dark' },
    });
    expect(store.notices).toHaveLength(1);
    expect(onDisk()).toEqual({ mode: 'agent', theme: 'dark' });
  });

  it('[H52] in a folder that cannot be created is an error value, and defaults apply', () => {
    const notAFolder = join(home, 'file');
    writeFileSync(notAFolder, 'x');
    const store = createSettingsStore({ home: join(notAFolder, 'sub'), createConf: createNodeConf, now });
    expect(store.get().mode).toBe('ask');
    expect(store.patch({ mode: 'agent' })).toMatchObject({
      ok: false,
      error: { kind: 'HOST', code: 'STORAGE' },
    });
    expect(store.get().mode).toBe('ask');
  });

  it('[H52] on a read-only disk is an error value, and nothing changes', () => {
    writeFileSync(file, '{"theme":"dark"}');
    const readOnly = (options: Parameters<typeof createNodeConf>[0]) => ({
      store: createNodeConf(options).store,
      delete: () => undefined,
      set: () => {
        throw Object.assign(new Error('EROFS: read-only file system, open'), { code: 'EROFS' });
      },
    });
    const store = createSettingsStore({ home, createConf: readOnly, now });
    expect(store.get().theme).toBe('dark');
    const changed = store.patch({ theme: 'light' });
    expect(changed).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STORAGE', retryable: true } });
    expect(store.get().theme).toBe('dark');
  });
});

describe('an invalid value in a valid file', () => {
  it('[H52] loses one setting: the others and unknown keys survive, and a copy is kept', () => {
    writeFileSync(file, '{"mode":"fly","theme":"dark","railWidth":"wide","later":1}');
    const store = open();
    expect(store.get()).toMatchObject({ mode: 'ask', theme: 'dark', railWidth: 248, later: 1 });
    expect(store.notices).toHaveLength(1);
    expect(store.notices[0]?.detail).toContain('mode, railWidth');
    expect(readFileSync(join(home, keptFiles()[0]!), 'utf8')).toContain('"fly"');
    expect(onDisk()).toEqual({ mode: 'ask', theme: 'dark', later: 1 });
    expect(open().notices).toEqual([]);
  });

  it('cannot change a prototype', () => {
    writeFileSync(file, '{"__proto__":{"mode":"agent"},"constructor":1,"theme":"dark"}');
    const settings = open().get();
    expect(settings.mode).toBe('ask');
    expect(Object.getPrototypeOf(settings)).toBe(Object.prototype);
  });
});

describe('leftover files of killed writers', () => {
  it('are removed once old, never while recent', () => {
    writeFileSync(`${file}.tmp-1`, '{');
    writeFileSync(`${file}.tmp-2`, '{');
    utimesSync(`${file}.tmp-1`, now() / 1000 - 600, now() / 1000 - 600);
    utimesSync(`${file}.tmp-2`, now() / 1000, now() / 1000);
    open();
    expect(readdirSync(home).filter((name) => name.includes('.tmp-'))).toEqual(['ui_settings.json.tmp-2']);
  });
});
