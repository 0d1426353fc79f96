// Fails for a requirement that no passed test cites, and for a citation of an unknown requirement.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A family (a letter, then letters or digits: `SET`, `A11Y`, `D2`) and a name, or a row of the hostile inputs;
 * `[A-Z]` in a title is not a citation.
 */
const citation = /\[(H\d+|[A-Z][A-Z0-9]+(?:-[A-Za-z0-9]+)+)\]/g;

/** Ids cited in a title: `[H52] [SET-mode] …`. @param {string} title */
export function citedIn(title) {
  return [...title.matchAll(citation)].map((match) => String(match[1]));
}

/** All requirement rows below a folder of JSON files. @param {string} folder @returns {{id: string}[]} */
export function readRequirements(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).requirements);
}

/** Titles of the passed tests in a vitest JSON report. @param {any} report @returns {string[]} */
export function passedInVitest(report) {
  return report.testResults.flatMap((/** @type {any} */ file) =>
    file.assertionResults
      .filter((/** @type {any} */ test) => test.status === 'passed')
      .map((/** @type {any} */ test) => test.fullName),
  );
}

/** @param {any} suite @param {string} prefix @returns {string[]} */
function specsOf(suite, prefix) {
  const title = `${prefix} ${suite.title}`;
  const own = (suite.specs ?? []).filter(
    (/** @type {any} */ spec) =>
      spec.ok && spec.tests.some((/** @type {any} */ test) => test.status === 'expected'),
  );
  return [
    ...own.map((/** @type {any} */ spec) => `${title} ${spec.title}`),
    ...(suite.suites ?? []).flatMap((/** @type {any} */ inner) => specsOf(inner, title)),
  ];
}

/**
 * Titles of the passed tests in a Playwright JSON report; a skipped test proves nothing.
 * @param {any} report
 * @returns {string[]}
 */
export function passedInPlaywright(report) {
  return report.suites.flatMap((/** @type {any} */ suite) => specsOf(suite, ''));
}

/**
 * `{unproven, unknown, repeated}`: ids that are listed but not proven, cited but not listed, and listed twice.
 * @param {{id: string}[]} requirements
 * @param {string[]} titles
 */
export function coverage(requirements, titles) {
  const listed = new Set(requirements.map((row) => row.id));
  const cited = new Set(titles.flatMap(citedIn));
  return {
    unproven: [...listed].filter((id) => !cited.has(id)),
    unknown: [...cited].filter((id) => !listed.has(id)),
    repeated: requirements.map(({ id }) => id).filter((id, at, ids) => ids.indexOf(id) !== at),
  };
}
