import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fromRoot } from './paths.mjs';

const folder = fromRoot('docs/decisions');
const titleOf = (/** @type {string} */ file) =>
  readFileSync(join(folder, file), 'utf8').split('\n')[0]?.replace('# ', '');

it('the list of decisions names every record by its title', () => {
  const list = readFileSync(join(folder, 'README.md'), 'utf8');
  const listed = [...list.matchAll(/\[([^\]]+)\]\((\d{4}-[^)]+\.md)\)/g)].map(([, title, file]) => [
    file,
    title,
  ]);
  const records = readdirSync(folder).filter((file) => /^\d{4}-/.test(file));
  expect(records.length).toBeGreaterThan(100);
  expect(listed.toSorted()).toEqual(records.map((file) => [file, titleOf(file)]).toSorted());
});
