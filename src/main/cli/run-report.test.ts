import { appError } from '#shared/app-error';
import { describe, expect, it } from 'vitest';
import type { RunReport } from '../agent/agent';
import { describeError, exitCodeOf, type Terminal } from './output';
import { printRun } from './run-report';

function open(json: boolean) {
  const said = { out: '', log: '' };
  const terminal = {
    json,
    out: (text: string) => void (said.out += text),
    log: (text: string) => void (said.log += text),
  } as unknown as Terminal;
  return { terminal, said };
}

const report = (more: Partial<RunReport>): RunReport => ({
  ...{ runId: 'r', outcome: 'done', answer: 'The answer.', nodes: [], writes: [], artifacts: [] },
  ...{ usage: { modelTurns: 0, inputTokens: 0, outputTokens: 0 }, planHash: 'p', summaryHash: 's' },
  ...more,
});

describe('a run in print', () => {
  it('exits 0 only when it is done, 3 for configuration', () => {
    const config = appError('CONFIG', 'INVALID', 'Broken.');
    const codes = [
      report({}),
      report({ outcome: 'partial' }),
      report({ outcome: 'cancelled' }),
      report({ outcome: 'failed', error: config }),
    ].map((run) => printRun(open(false).terminal, run));
    expect(codes).toEqual([0, 1, 1, 3]);
  });

  it('is one document with --json', () => {
    const { terminal, said } = open(true);
    printRun(terminal, report({ outcome: 'failed', error: appError('HOST', 'STATE', 'No.') }));
    expect(JSON.parse(said.out)).toMatchObject({ outcome: 'failed', error: { code: 'STATE' } });
    expect(said.log).toBe('');
  });

  it('says an error without a plan once', () => {
    const { terminal, said } = open(false);
    const { planHash: _none, ...planless } = report({ outcome: 'failed', answer: 'No recipe fits.' });
    printRun(terminal, { ...planless, error: appError('LLM', 'UNAVAILABLE', 'No recipe fits.') });
    expect(said).toEqual({ out: '', log: 'LLM/UNAVAILABLE: No recipe fits.' });
  });
});

describe('an error in print', () => {
  it('says where, which files, and what to do next', () => {
    const error = appError('CONFIG', 'INVALID', 'A file is not valid.', {
      ...{ line: 3, column: 7, hint: 'Mend it.' },
      problems: [{ file: 'budgets.json', field: 'node.cpu_ms', rule: 'number', reason: 'it is text' }],
    });
    expect(describeError(error)).toBe(
      'CONFIG/INVALID: A file is not valid. (line 3, column 7)\n  budgets.json: node.cpu_ms: it is text\n→ Mend it.',
    );
    expect([exitCodeOf(error), exitCodeOf(appError('HOST', 'STATE', 'x'))]).toEqual([3, 1]);
  });
});
