import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import {
  index,
  listenAt,
  packFile,
  template,
  type HostileCase,
  type HostileWorkspace,
} from './hostile-workspace';

/** A huge folder that has to be searched. */
function hundredThousand({ at }: HostileWorkspace): void {
  rmSync(at(index));
  for (let n = 0; n < 100_000; n += 1) writeFileSync(at(`tools/${n}.json`), '');
}

/** Workspaces with files of a forbidden location, kind or size. */
export const hostileFiles: readonly HostileCase[] = [
  [
    'a path that climbs out',
    (w) => w.naming('../../../etc/passwd'),
    { file: packFile, field: 'templates.0', rule: 'path' },
  ],
  [
    'an absolute path',
    (w) => w.indexWith({ promptPacks: { default: '/etc/passwd' } }),
    { file: index, field: 'promptPacks.default', rule: 'path' },
  ],
  [
    'a path with a backslash',
    (w) => w.naming('prompts\\..\\..\\x.md'),
    { file: packFile, field: 'templates.0', rule: 'path' },
  ],
  [
    'a drive of Windows',
    (w) => w.naming('C:/Windows/win.ini'),
    { file: packFile, field: 'templates.0', rule: 'path' },
  ],
  [
    'a device of Windows',
    (w) => w.naming('prompts/con.md'),
    { file: packFile, field: 'templates.0', rule: 'path' },
  ],
  ['a hidden file', (w) => w.naming('.git/config'), { file: packFile, field: 'templates.0', rule: 'path' }],
  [
    'a zero byte in a name',
    (w) => w.naming('prompts/a\0.md'),
    { file: packFile, field: 'templates.0', rule: 'path' },
  ],
  [
    'a name that is not in Unicode form NFC',
    (w) => w.naming('prompts/e\u0301.md'),
    { file: packFile, field: 'templates.0', rule: 'path' },
  ],
  [
    'a link to a file outside',
    (w) => w.replaceBy(template, (file) => symlinkSync('/etc/hostname', file)),
    { file: template, rule: 'link' },
  ],
  [
    'a folder that is a link to outside',
    (w) => w.replaceBy('prompts/templates', (file) => symlinkSync('/etc', file)),
    { file: template, rule: 'outside' },
  ],
  [
    'a link that leads to itself',
    (w) => w.replaceBy(template, (file) => symlinkSync(file, file)),
    { file: template, rule: 'link-loop' },
  ],
  [
    'folders whose links lead round',
    (w) => w.replaceBy('prompts/templates', (file) => symlinkSync(file, file)),
    { file: template, rule: 'link-loop' },
  ],
  [
    'a named pipe',
    (w) => w.replaceBy(template, (file) => void spawnSync('mkfifo', [file])),
    { file: template, rule: 'file' },
  ],
  ['a socket', (w) => (rmSync(w.at(template)), listenAt(w.at(template))), { file: template, rule: 'file' }],
  [
    'a folder where a file is named',
    (w) => w.replaceBy(template, (file) => mkdirSync(file)),
    { file: template, rule: 'file' },
  ],
  ['a file that is not there', (w) => rmSync(w.at(template)), { file: template, rule: 'exists' }],
  [
    'two names that differ in capital letters only',
    (w) => w.pack({ context: ['context/docs/patina.md', 'context/docs/Patina.md'] }),
    { file: packFile, field: 'context', rule: 'case' },
  ],
  ['a folder of 100,000 files', (w) => hundredThousand(w), { file: 'tools', rule: 'count' }],
  ['an index that leads to thousands of files', (w) => w.manyFiles(), { file: index, rule: 'count' }],
  ['a file of 1 GB', (w) => truncateSync(w.at(template), 1_073_741_824), { file: template, rule: 'size' }],
  ['files that are too large together', (w) => w.manyPictures(), { file: index, rule: 'total-size' }],
  [
    'an index that is too large',
    (w) => w.indexWith({ contextGroups: { a: Array(2_000).fill('x'.repeat(200)) } }),
    { file: index, rule: 'size' },
  ],
];
