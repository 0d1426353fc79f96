import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { splitMeasures } from './measure-table.mjs';
import { fromRoot } from './paths.mjs';

const lines = fs.readFileSync(fromRoot('ARCHITECTURE.md'), 'utf8').trimEnd().split('\n');

/** What a line puts into code font. */
const quoted = (/** @type {string} */ line) =>
  [...line.matchAll(/`([^`]+)`/g)].map(([, name]) => /** @type {string} */ (name));

const isPath = (/** @type {string} */ name) => /^(?:src|seeds|docs|scripts|e2e|bench)[/]/.test(name);
const folderOf = (/** @type {string} */ name) =>
  /[.][a-z]+$/.test(name) ? path.posix.dirname(name) : name.replace(/[/]$/, '');

/** The names of a line that stand for no file: a name without a folder needs a path before it. */
function missing(/** @type {string} */ line) {
  const folders = /** @type {string[]} */ ([]);
  return quoted(line).filter((name) => {
    if (isPath(name)) folders.push(folderOf(name));
    else if (!/^[\w./-]+[.]tsx?$/.test(name)) return false;
    const places = isPath(name) ? [name] : folders.map((folder) => `${folder}/${name}`);
    return !places.some((place) => fs.existsSync(fromRoot(place)));
  });
}

it('names only files and folders that exist', () => {
  expect(lines.flatMap(missing)).toEqual([]);
  expect(lines.flatMap(quoted).filter(isPath).length).toBeGreaterThan(100);
});

it('detects a missing path, and a name without a folder before it', () => {
  expect(missing('`src/shared/ipc.ts`, `src/shared/gone.ts`, `gone-too.ts`, `session-state.ts`')).toEqual([
    'src/shared/gone.ts',
    'gone-too.ts',
  ]);
});

it('stays under 150 lines, without the generated table', () => {
  const { before, after } = splitMeasures(lines.join('\n'));
  expect(`${before}${after}`.split('\n').length).toBeLessThan(150);
});
