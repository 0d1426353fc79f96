import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createDdrHarnesses, ddrText as text, listedDdrs as listed } from '../../../testing/ddr-harness';
import { createTempTree } from '../../../testing/temp-tree';

const { harness, removeAll, removeLater } = createDdrHarnesses();
afterEach(removeAll);

describe('reading the folder', () => {
  it('[DDR-doc-hostile] an invalid document is reported, and hides no other', async () => {
    const made = harness({
      home: {
        'AGN-001.md': text('AGN-001'),
        'broken.md': '---\nid: [\n---\n',
        'copy.md': text('AGN-001'),
        'binary.md': new Uint8Array([0xff, 0xfe, 0x00, 0x80]),
        'large.md': ' '.repeat(2_000_001),
        'evil\u202Efdp.md': text('AGN-006'),
        'new\nline.md': text('AGN-007'),
        'notes.txt': 'not looked at',
        '.hidden.md': 'not looked at',
      },
    });
    const outside = createTempTree({ 'secret.md': text('AGN-666', 'Secret') });
    removeLater(outside);
    symlinkSync(path.join(outside.root, 'secret.md'), path.join(made.folder, 'link.md'));
    symlinkSync(path.join(made.folder, 'nowhere'), path.join(made.folder, 'dangling.md'));
    mkdirSync(path.join(made.folder, 'folder.md'));
    execFileSync('mkfifo', [path.join(made.folder, 'pipe.md')]);
    const { ddrs, problems } = await listed(made);
    expect(ddrs.map(({ id }) => id)).toEqual(['AGN-001']);
    const reasons = Object.fromEntries(problems.map(({ file, reason }) => [file, reason]));
    expect(reasons).toMatchObject({
      'broken.md': expect.stringContaining('YAML') as string,
      'copy.md': expect.stringContaining('already in AGN-001.md') as string,
      'binary.md': 'It is not UTF-8 text.',
      'large.md': 'It is larger than 2 MB.',
      'link.md': 'It is a link; links are not followed.',
      'dangling.md': 'It is a link; links are not followed.',
      'folder.md': expect.any(String) as string,
      'pipe.md': 'It is not a file.',
    });
    expect(problems).toHaveLength(10);
    expect(problems.filter(({ reason }) => reason.includes('Rename'))).toHaveLength(2);
  });

  it('[DAMAGE-one-item] a folder that cannot be listed is reported, and hides no bundled record', async () => {
    const made = harness({ seeds: { 'AGN-001.md': text('AGN-001') } });
    writeFileSync(made.folder, 'a file in its place');
    const { ddrs, problems } = await listed(made);
    expect(ddrs.map(({ id }) => id)).toEqual(['AGN-001']);
    expect(problems).toMatchObject([
      { file: 'ddrs', rule: 'readable', reason: expect.stringContaining('cannot be read') as string },
    ]);
  });

  it('a missing folder counts as empty, and reading does not create it', async () => {
    const made = harness();
    expect(await listed(made)).toEqual({ ddrs: [], problems: [] });
    expect(existsSync(made.folder)).toBe(false);
  });

  it('[DDR-seeds] a seed is shown until a document has its id; the first change writes a copy', async () => {
    const seed = text('AGN-014', 'Modes', '\n# AGN-014: Modes\n').replace(
      'title',
      'x-kept: "as it is"\ntitle',
    );
    const made = harness({ seeds: { 'AGN-014.md': seed }, home: { 'mine.md': text('TUL-001', 'Mine') } });
    expect((await listed(made)).ddrs).toMatchObject([
      { id: 'AGN-014', origin: 'seed' },
      { id: 'TUL-001', origin: 'home' },
    ]);
    await made.user('set_goal', { id: 'AGN-014', goal: 'Why' });
    await made.user('update_metadata', { id: 'TUL-001', title: 'Still mine' });
    expect(readFileSync(path.join(made.folder, 'AGN-014.md'), 'utf8')).toContain('x-kept: "as it is"');
    expect(readFileSync(path.join(made.tree.root, 'seeds/AGN-014.md'), 'utf8')).toBe(seed);
    expect(readFileSync(path.join(made.folder, 'mine.md'), 'utf8')).toContain('Still mine');
    expect((await listed(made)).ddrs).toMatchObject([
      { id: 'AGN-014', origin: 'home' },
      { id: 'TUL-001', title: 'Still mine' },
    ]);
  });

  it('[DDR-catalog] the catalog items have id, title, aliases and status, and report changes', async () => {
    const made = harness({
      home: { 'AGN-001.md': text('AGN-001', 'Modes').replace('title', 'aliases: [m]\ntitle') },
    });
    let told = 0;
    const stop = made.ddrs.items.onChange?.(() => (told += 1));
    const load = () => made.ddrs.items.load({ sessionId: null, project: null }, new AbortController().signal);
    expect(await load()).toEqual({
      ok: true,
      value: [
        {
          header: { id: 'AGN-001', displayName: 'Modes' },
          description: 'Draft',
          aliases: ['m'],
          keywords: ['draft'],
          userTitled: true,
        },
      ],
    });
    await made.user('set_ddr_status', { id: 'AGN-001', status: 'in_review' });
    expect(told).toBeGreaterThan(0);
    expect(await load()).toMatchObject({ value: [{ description: 'In review' }] });
    stop?.();
  });
});

describe('a change by another program', () => {
  it('[DDR-watch] is noticed before Patina has written, even when the program creates the folder', async () => {
    const made = harness();
    let tell = (): void => undefined;
    const told = new Promise<void>((resolve) => (tell = resolve));
    const stop = made.openStore().onChange(() => tell());
    mkdirSync(made.folder);
    writeFileSync(path.join(made.folder, 'AGN-001.md'), text('AGN-001'));
    await told;
    const again = new Promise<void>((resolve) => (tell = resolve));
    writeFileSync(path.join(made.folder, 'AGN-002.md'), text('AGN-002'));
    await again;
    stop();
    expect((await listed(made)).ddrs.map(({ id }) => id)).toEqual(['AGN-001', 'AGN-002']);
  });
});

describe('writing a document', () => {
  it('[DDR-doc-atomic] leaves no other file behind, and releases the lock', async () => {
    const made = harness();
    await made.user('create_ddr', { tla: 'AGN', title: 'A', summary: 's' });
    await made.user('set_goal', { id: 'AGN-001', goal: 'g' });
    expect(readdirSync(made.folder).sort()).toEqual(['.history', '.reserved', 'AGN-001.md']);
  });

  it('[DDR-doc-atomic] at the same time as another change: one is written, the other reports a conflict', async () => {
    const made = harness({ home: { 'AGN-001.md': text('AGN-001') } });
    const id = 'AGN-001';
    const store = made.openStore();
    const write = (title: string) =>
      store.write({
        id,
        file: 'AGN-001.md',
        text: text(id, title),
        previous: text(id),
        approved: null,
        expected: text(id),
      });
    const [one, two] = await Promise.all([write('One'), write('Two')]);
    expect([one.ok, two.ok].sort()).toEqual([false, true]);
    expect([one, two].find(({ ok }) => !ok)).toMatchObject({ error: { kind: 'HOST', code: 'STATE' } });
  });

  it('[DDR-doc-atomic] takes over the lock of a dead process, or an old one', async () => {
    const made = harness({ home: { 'AGN-001.md': text('AGN-001') } });
    const lock = path.join(made.folder, '.lock');
    writeFileSync(lock, '999999 dead');
    expect(await made.user('set_goal', { id: 'AGN-001', goal: 'a' })).toMatchObject({ ok: true });
    writeFileSync(lock, `${process.pid} alive`);
    expect(await made.user('set_goal', { id: 'AGN-001', goal: 'b' })).toMatchObject({
      ok: false,
      error: { code: 'storage', message: expect.stringContaining('.lock') as string },
    });
    utimesSync(lock, 1_000, 1_000);
    expect(await made.user('set_goal', { id: 'AGN-001', goal: 'b' })).toMatchObject({ ok: true });
    expect(existsSync(lock)).toBe(false);
  });

  it('[DDR-doc-hostile] never writes through a link in place of a document or a folder', async () => {
    const outside = createTempTree({ 'kept.md': 'untouched' });
    removeLater(outside);
    const made = harness({
      seeds: { 'AGN-014.md': text('AGN-014') },
      home: { 'TUL-001.md': text('TUL-001') },
    });
    symlinkSync(path.join(outside.root, 'kept.md'), path.join(made.folder, 'AGN-014.md'));
    expect(await made.user('set_goal', { id: 'AGN-014', goal: 'g' })).toMatchObject({
      error: { code: 'conflict' },
    });
    symlinkSync(outside.root, path.join(made.folder, '.history'));
    expect(await made.user('set_goal', { id: 'TUL-001', goal: 'g' })).toMatchObject({
      error: { code: 'storage' },
    });
    expect(readdirSync(outside.root)).toEqual(['kept.md']);
    expect(readFileSync(path.join(outside.root, 'kept.md'), 'utf8')).toBe('untouched');
  });

  it('to an unwritable folder is an error that says what to do', async () => {
    const made = harness();
    writeFileSync(made.folder, 'a file stands where the folder would');
    expect(await made.user('create_ddr', { tla: 'AGN', title: 'A', summary: 's' })).toMatchObject({
      ok: false,
      error: { code: 'storage' },
    });
  });
});
