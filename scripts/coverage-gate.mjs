// Fails for a requirement no passed test cites, and for a citation of a requirement nobody wrote down.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const citation = /\[([A-Z][A-Z0-9]*(?:-[A-Za-z0-9]+)*)\]/g;

/** Ids cited in a title: `[H52] [SET-mode] …`. */
export function citedIn(title) {
  return [...title.matchAll(citation)].map((match) => match[1]);
}

/** All requirement rows below a folder of JSON files. */
export function readRequirements(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).requirements);
}

/** Titles of the passed tests in a vitest JSON report. */
export function passedInVitest(report) {
  return report.testResults.flatMap((file) =>
    file.assertionResults.filter((test) => test.status === 'passed').map((test) => test.fullName),
  );
}

function specsOf(suite, prefix) {
  const title = `${prefix} ${suite.title}`;
  const own = (suite.specs ?? []).filter(
    (spec) => spec.ok && spec.tests.some((test) => test.status === 'expected'),
  );
  return [
    ...own.map((spec) => `${title} ${spec.title}`),
    ...(suite.suites ?? []).flatMap((inner) => specsOf(inner, title)),
  ];
}

/** Titles of the passed tests in a Playwright JSON report; a skipped one proves nothing. */
export function passedInPlaywright(report) {
  return report.suites.flatMap((suite) => specsOf(suite, ''));
}

/** `{unproven, unknown}`: ids listed but not proven, ids cited but not listed. */
export function coverage(requirements, titles) {
  const listed = new Set(requirements.map((row) => row.id));
  const cited = new Set(titles.flatMap(citedIn));
  return {
    unproven: [...listed].filter((id) => !cited.has(id)),
    unknown: [...cited].filter((id) => !listed.has(id)),
  };
}
