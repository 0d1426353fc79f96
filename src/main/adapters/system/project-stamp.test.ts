import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { createProjectStamp } from './project-stamp';

function project() {
  const folder = mkdtempSync(join(tmpdir(), 'patina-stamp-'));
  writeFileSync(join(folder, 'a.txt'), 'a');
  const ofServer = createProjectStamp(folder);
  return {
    folder,
    ofServer,
    stamp: (tool: string, args: JsonObject) => ofServer('project', tool, args),
  };
}

it('is unknown for files outside, behind a link or in no file at all', async () => {
  const { folder, stamp } = project();
  symlinkSync('a.txt', join(folder, 'link.txt'));
  const paths = ['../x', '/etc/passwd', 'link.txt', 'a\0b', 7];
  expect(await Promise.all(paths.map((path) => stamp('read_text', { path })))).toEqual(paths.map(() => null));
  expect(await stamp('git_status', {})).toBeNull();
  expect(await stamp('hash_files', { paths: ['a.txt', '../x'] })).toBeNull();
});

it('notices an added, changed or removed file, and is otherwise equal', async () => {
  const { folder, stamp } = project();
  const now = () => stamp('list_files', { path: '.' });
  const seen = [await now()];
  expect(await now()).toBe(seen[0]);
  writeFileSync(join(folder, 'b.txt'), 'b');
  seen.push(await now());
  mkdirSync(join(folder, 'empty'));
  seen.push(await now());
  rmSync(join(folder, 'a.txt'));
  seen.push(await now());
  expect(new Set(seen).size).toBe(4);
});

it('ignores files that no tool shows: installed packages that the project ignores, unless requested, and Patina’s own folder', async () => {
  const { folder, stamp } = project();
  writeFileSync(join(folder, '.gitignore'), 'node_modules/\n');
  const plain = () => stamp('search_text', {});
  const everything = () => stamp('search_text', { includeIgnored: true });
  const before = [await plain(), await everything()];
  mkdirSync(join(folder, 'node_modules'));
  mkdirSync(join(folder, '.patina'));
  writeFileSync(join(folder, '.patina/x'), 'x');
  writeFileSync(join(folder, 'node_modules/x.js'), 'x');
  expect(await plain()).toBe(before[0]);
  expect(await everything()).not.toBe(before[1]);
});

it.each<[string, string, Readonly<Record<string, string>>, JsonObject]>([
  ['an anchored rule names only those of the root', '/node_modules\n', {}, {}],
  ['a nested file includes them again', 'node_modules\n', { 'packages/.gitignore': '!node_modules\n' }, {}],
  ['the call names them', 'node_modules\n', {}, { path: './packages/a/node_modules' }],
])(
  '[AGC-changed] notices a change of installed packages that are shown: %s',
  async (_why, rules, files, args) => {
    const { folder, stamp } = project();
    mkdirSync(join(folder, 'packages/a/node_modules'), { recursive: true });
    writeFileSync(join(folder, '.gitignore'), rules);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const now = () => stamp('search_text', args);
    const before = await now();
    expect(await now()).toBe(before);
    writeFileSync(join(folder, 'packages/a/node_modules/x.js'), 'x');
    expect(await now()).not.toBe(before);
  },
);

it.each<[string, string, Readonly<Record<string, string>>]>([
  ['/node_modules\n', 'node_modules', {}],
  ['node_modules\n', 'packages/node_modules', { 'packages/.gitignore': 'dist\n' }],
])('ignores installed packages under the rule %j in %s', async (rules, packages, files) => {
  const { folder, stamp } = project();
  mkdirSync(join(folder, packages), { recursive: true });
  writeFileSync(join(folder, '.gitignore'), rules);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const before = await stamp('list_files', { path: '.' });
  writeFileSync(join(folder, packages, 'x.js'), 'x');
  expect(await stamp('list_files', { path: '.' })).toBe(before);
});

const servers = [
  ['project', 'read_text', { path: 'a.txt' }],
  ['project', 'search_text', { query: 'a' }],
  ['filesystem', 'read_text_file', { path: 'a.txt' }],
  ['filesystem', 'read_multiple_files', { paths: ['a.txt'] }],
  ['filesystem', 'directory_tree', { path: '.' }],
] as const;

it.each(servers)(
  '[AGC-ctime] %s.%s notices a file of the same size and time, a rename over it, and other permissions',
  async (server, tool, args) => {
    const { folder, ofServer } = project();
    const file = join(folder, 'a.txt');
    const now = () => ofServer(server, tool, args);
    const { atime, mtime } = statSync(file);
    utimesSync(file, atime, mtime);
    const seen = [await now()];
    expect(await now()).toBe(seen[0]);
    writeFileSync(file, 'b');
    utimesSync(file, atime, mtime);
    seen.push(await now());
    writeFileSync(join(folder, 'c.txt'), 'c');
    utimesSync(join(folder, 'c.txt'), atime, mtime);
    renameSync(join(folder, 'c.txt'), file);
    seen.push(await now());
    chmodSync(file, 0o600);
    seen.push(await now());
    expect(seen).not.toContain(null);
    expect(new Set(seen).size).toBe(4);
  },
);

it('[AGC-filesystem] is unknown when the filesystem server reads under another name than the given one', async () => {
  const { folder, ofServer } = project();
  for (const name of ['~', ' a.txt', '"a.txt"']) writeFileSync(join(folder, name), 'x');
  const paths = ['~/a.txt', '~', ' a.txt', '"a.txt"', 'gone.txt', 'sub\\a.txt', '../a.txt'];
  const stamps = paths.map((path) => ofServer('filesystem', 'read_text_file', { path }));
  expect(await Promise.all(stamps)).toEqual(paths.map(() => null));
  expect(await ofServer('filesystem', 'get_file_info', { path: 'a.txt' })).toBeNull();
  expect(await ofServer('filesystem', 'write_file', { path: 'a.txt' })).toBeNull();
  expect(await ofServer(undefined, 'read_text', { path: 'a.txt' })).toBeNull();
});
