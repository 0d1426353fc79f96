import fs from 'node:fs';

/** @typedef {import('./stages.mjs').Tally} Tally */

/**
 * Counts a vitest JSON report. A file that failed to load contains no tests and counts as one failure.
 * @param {any} report
 * @returns {Tally}
 */
export function tallyVitest(report) {
  const broken = report.testResults.filter(
    (/** @type {any} */ file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  const failures = report.testResults.flatMap((/** @type {any} */ file) =>
    file.assertionResults
      .filter((/** @type {any} */ test) => test.status === 'failed')
      .map((/** @type {any} */ test) => failure(`${file.name} › ${test.fullName}`, test.failureMessages[0])),
  );
  for (const file of broken) failures.push(failure(file.name, file.message));
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length, failures };
}

/**
 * Counts a Playwright JSON report. A test that passed on retry or was skipped does not count as passed.
 * @param {any} report
 * @returns {Tally}
 */
export function tallyPlaywright(report) {
  const { expected, unexpected, flaky, skipped } = report.stats;
  const failures = report.suites.flatMap(playwrightFailures);
  for (const error of report.errors) failures.push(failure('outside any test', error.message));
  return { passed: expected, failed: unexpected + flaky + skipped + report.errors.length, failures };
}

/** @param {any} suite @returns {string[]} the failed, flaky and skipped tests of a Playwright suite */
function playwrightFailures(suite) {
  const own = (suite.specs ?? []).flatMap((/** @type {any} */ spec) =>
    spec.tests
      .filter((/** @type {any} */ test) => test.status !== 'expected')
      .map((/** @type {any} */ test) => {
        const error = test.results.find((/** @type {any} */ result) => result.error)?.error;
        return failure(`${spec.file} › ${spec.title} (${test.status})`, error?.message);
      }),
  );
  return [...own, ...(suite.suites ?? []).flatMap(playwrightFailures)];
}

/** @param {string} name @param {string} [message] @returns {string} the name and the message's first 20 lines */
function failure(name, message = '') {
  const lines = message.trim().split('\n').slice(0, 20);
  return [name, ...lines].join('\n  ');
}

/**
 * Counts at least one failure when the runner failed, and no passed test when its report is missing.
 * @param {string} file
 * @param {(report: any) => Tally} tally
 * @param {number} exitCode of the runner
 * @returns {Tally}
 */
export function readTally(file, tally, exitCode) {
  if (!fs.existsSync(file)) return { passed: 0, failed: 1 };
  const counted = tally(JSON.parse(fs.readFileSync(file, 'utf8')));
  if (exitCode === 0 || counted.failed > 0) return counted;
  const failures = [
    `No test failed, but the runner ended with exit code ${exitCode}: look for an error outside the tests in its output.`,
  ];
  return { ...counted, failed: 1, failures };
}
