import fs from 'node:fs';

/** @typedef {import('./stages.mjs').Tally} Tally */

/**
 * Counts a vitest JSON report. A file that did not load has no tests in it and counts as one failure.
 * @param {any} report
 * @returns {Tally}
 */
export function tallyVitest(report) {
  const broken = report.testResults.filter(
    (/** @type {any} */ file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length };
}

/**
 * Counts a Playwright JSON report. A test that passed on a second try, or was skipped, did not pass.
 * @param {any} report
 * @returns {Tally}
 */
export function tallyPlaywright(report) {
  const { expected, unexpected, flaky, skipped } = report.stats;
  return { passed: expected, failed: unexpected + flaky + skipped + report.errors.length };
}

/**
 * Never less than one failure when the runner itself said no, and none passed when its report is missing.
 * @param {string} file
 * @param {(report: any) => Tally} tally
 * @param {number} exitCode of the runner
 * @returns {Tally}
 */
export function readTally(file, tally, exitCode) {
  if (!fs.existsSync(file)) return { passed: 0, failed: 1 };
  const counted = tally(JSON.parse(fs.readFileSync(file, 'utf8')));
  return exitCode !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted;
}
