import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTally, tallyPlaywright, tallyVitest } from './test-reports.mjs';

const passed = { status: 'passed', fullName: 'adds', failureMessages: [] };
const failed = {
  status: 'failed',
  fullName: 'subtracts',
  failureMessages: ['expected 1 to be 2\n    at a.test.ts:3'],
};

describe('the count of a unit run', () => {
  it('names each failed test with its error, and a file that did not load', () => {
    const tally = tallyVitest({
      numPassedTests: 1,
      numFailedTests: 1,
      testResults: [
        { name: 'a.test.ts', status: 'failed', assertionResults: [passed, failed] },
        { name: 'b.test.ts', status: 'failed', assertionResults: [], message: 'Cannot find module c' },
      ],
    });
    expect(tally).toMatchObject({ passed: 1, failed: 2 });
    expect(tally.failures?.[0]).toMatch(/a\.test\.ts › subtracts\n.*expected 1 to be 2/);
    expect(tally.failures?.[1]).toMatch(/b\.test\.ts\n.*Cannot find module c/);
  });

  it('counts an error outside all tests as a failure, and says where to look', () => {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'patina-report-')), 'unit.json');
    fs.writeFileSync(file, JSON.stringify({ numPassedTests: 1, numFailedTests: 0, testResults: [] }));
    expect(readTally(file, tallyVitest, 0)).toMatchObject({ passed: 1, failed: 0 });
    const tally = readTally(file, tallyVitest, 1);
    expect(tally).toMatchObject({ passed: 1, failed: 1 });
    expect(tally.failures?.[0]).toContain('exit code 1');
  });
});

describe('the count of an e2e run', () => {
  it('names failed, flaky and skipped tests at any depth', () => {
    const spec = (/** @type {string} */ title, /** @type {string} */ status) => ({
      title,
      file: 'x.spec.ts',
      tests: [{ status, results: [{ error: { message: `${title} broke` } }] }],
    });
    const inner = { specs: [spec('second', 'flaky'), spec('third', 'skipped')] };
    const tally = tallyPlaywright({
      stats: { expected: 1, unexpected: 1, flaky: 1, skipped: 1 },
      suites: [{ specs: [spec('zero', 'expected'), spec('first', 'unexpected')], suites: [inner] }],
      errors: [],
    });
    expect(tally).toMatchObject({ passed: 1, failed: 3 });
    expect(tally.failures?.map((text) => text.split('\n')[0])).toEqual([
      'x.spec.ts › first (unexpected)',
      'x.spec.ts › second (flaky)',
      'x.spec.ts › third (skipped)',
    ]);
  });
});
