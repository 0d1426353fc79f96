import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fromRoot } from './paths.mjs';

const headings = readFileSync(fromRoot('docs/specs.md'), 'utf8').matchAll(/^### (.+)$/gm);
const entries = new Set([...headings].map(([, title]) => title));

const folders = ['src', 'e2e', 'docs', 'seeds', 'scripts', 'bench'];
const isText = (/** @type {string} */ name) =>
  /\.(ts|tsx|mjs|json|md)$/.test(name) && !name.endsWith('specification-citations.test.mjs');
const files = folders.flatMap((folder) =>
  readdirSync(fromRoot(folder), { recursive: true, encoding: 'utf8' })
    .filter(isText)
    .map((name) => join(folder, name)),
);

/** A name and one or more sections of it: "TUL-006 §7.3, §7.7". */
const citation = /([A-Za-z][\w-]*(?: \d+)?) (§\d[\d.]*(?:(?:,| and) §\d[\d.]*)*)/g;
const foreign = /^(RFC \d+|HTML)$/;

/**
 * The citations in a text that docs/specs.md does not explain, and the sections without a name before them.
 * @param {string} text
 */
function unresolved(text) {
  // A comment may break a line inside a citation.
  const joined = text.replaceAll(/\n\s*(?:\*|\/\/)?\s*/g, ' ');
  const named = [...joined.matchAll(citation)];
  const cited = named.flatMap(([, name = '', sections = '']) =>
    foreign.test(name)
      ? []
      : [...sections.matchAll(/§(\d+(?:\.\d+)*)/g)].map(([, number]) => `${name} §${number}`),
  );
  const unnamed = joined.replaceAll(citation, '').match(/§\d[\d.]*/g) ?? [];
  return [...cited.filter((each) => !entries.has(each)), ...unnamed];
}

it('[DOC-specs] every cited section has an entry in docs/specs.md', () => {
  const missing = files.flatMap((file) =>
    unresolved(readFileSync(fromRoot(file), 'utf8')).map((each) => `${file}: ${each}`),
  );
  expect(missing).toEqual([]);
});

it.each([
  ['a section without an entry', 'as in TUL-006 §99.1', ['TUL-006 §99.1']],
  ['an unknown specification', 'as in TUL-999 §1', ['TUL-999 §1']],
  ['one of several sections', 'TUL-006 §7.3, §77', ['TUL-006 §77']],
  ['a section without a name', '// see (§3)', ['§3']],
  ['a line break inside', ' * as AGN-000037\n * §5, §555).', ['AGN-000037 §555']],
  ['nothing where a standard is cited', 'RFC 9110 §10.2.3, RFC 6585 §4', []],
])('[DOC-specs] finds %s', (_name, text, found) => {
  expect(unresolved(text)).toEqual(found);
});
