import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { fromRoot } from './paths.mjs';

const read = (/** @type {string} */ file) => readFileSync(fromRoot(file), 'utf8');

/** The markdown files at the root, in `docs` and below it. */
const documents = [
  ...readdirSync(fromRoot('.')).filter((name) => name.endsWith('.md')),
  ...readdirSync(fromRoot('docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];

/** The relative links of a document that lead to no file. */
const brokenLinks = (/** @type {string} */ file) =>
  [...read(file).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target.replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
    .filter((target) => !existsSync(fromRoot(path.join(path.dirname(file), target))))
    .map((target) => `${file}: ${target}`);

it('every relative link of a document leads to a file', () => {
  expect(documents.length).toBeGreaterThan(100);
  expect(documents.flatMap(brokenLinks)).toEqual([]);
});

it('every decision has its number in its title, and the index shows this title', () => {
  const folder = 'docs/decisions';
  const titles = new Map(
    readdirSync(fromRoot(folder))
      .filter((name) => name !== 'README.md')
      .map((name) => [name, /^# (.+)/.exec(read(`${folder}/${name}`))?.[1] ?? '']),
  );
  const numbered = (/** @type {[string, string]} */ [name, title]) =>
    title.startsWith(`${Number.parseInt(name, 10)}. `);
  expect([...titles].filter((entry) => !numbered(entry))).toEqual([]);
  const entries = [...read(`${folder}/README.md`).matchAll(/^- \[(.+)\]\((.+)\)$/gm)];
  expect(entries.length).toBeGreaterThan(100);
  expect(entries.map(([, , name]) => name).toSorted()).toEqual([...titles.keys()].toSorted());
  const wrong = entries.filter(([, title, name = '']) => titles.get(name) !== title);
  expect(wrong.map(([entry]) => entry)).toEqual([]);
});
