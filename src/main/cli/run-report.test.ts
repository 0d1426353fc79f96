import { appError } from '#shared/app-error';
import type { SessionEvent } from '#shared/session-event';
import { continueLine } from '#shared/session-state';
import { describe, expect, it } from 'vitest';
import type { RunReport } from '../../core/ports/agent';
import { describeError, exitCodeOf, type Terminal } from './output';
import { runFacts, runOf, sampleHash, sampleUsage } from '../../testing/sample-session';
import { endedRun, printForPeople, printRun, progressLine } from './run-report';

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
  runId: 'r',
  outcome: 'done',
  answer: 'The answer.',
  stages: [],
  nodes: [],
  writes: [],
  artifacts: [],
  usage: { modelTurns: 0, inputTokens: 0, outputTokens: 0 },
  planHash: 'p',
  summaryHash: 's',
  ...more,
});

describe('a run in print', () => {
  it('exits with 0 only when it is done, with 3 for configuration errors', () => {
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

  it('[STG-continue] names the command that continues a run that reached its limits', () => {
    const { terminal, said } = open(false);
    printRun(terminal, report({ outcome: 'partial', ranOut: 'stages', sessionId: 'ses_1' }));
    expect(said.log).toBe(
      `The stages of this run are used up. To continue from the results with a new budget: patina agent --session ses_1 "${continueLine}"`,
    );
  });

  it('[STG-asks] says that the answer is a question, and what answers it', () => {
    const { terminal, said } = open(false);
    printRun(terminal, report({ outcome: 'answered', asks: true, sessionId: 'ses_1' }));
    expect(said.log).toBe('The model asks you. To answer: patina agent --session ses_1 "YOUR ANSWER"');
  });

  it('[QUE-chat-ends] of a stored run is the same, with what to type in the chat', () => {
    const writes = [{ tool: 'mcp://box.put', target: 'a', outcome: 'made', undo: 'impossible' }] as const;
    const error = appError('BUDGET', 'TOKEN_LIMIT', 'The tokens are used up.', { hint: 'Raise it.' });
    const facts = runFacts().filter(({ type }) => type !== 'approval-requested');
    const write = { callId: 'w', nodeId: 'write', tool: 'mcp://box.put', arguments: { path: 'a' } };
    const run = runOf([
      ...facts.slice(1),
      { type: 'write-intended', turn: 0, runId: 'run-0', hash: sampleHash, ...write },
      {
        ...{ type: 'tool-called', turn: 0, runId: 'run-0', nodeId: 'write' },
        call: { callId: 'w', tool: write.tool, argumentsPreview: '', outcome: 'done', ms: 1, bytes: 1 },
      },
      {
        ...{ type: 'run-ended', turn: 0, runId: 'run-0', outcome: 'partial', answer: 'Half.' },
        ...{ usage: sampleUsage, ranOut: 'tokens', error },
      },
    ]);
    const ended = endedRun(run);
    expect(ended).toMatchObject({ outcome: 'partial', writes });
    const { terminal, said } = open(false);
    printForPeople(terminal, ended, { toContinue: 'Go on.', toAnswer: '' });
    expect(said.out).toBe('Half.\n');
    expect(said.log).toContain('1 write: 1 made  made: box.put a');
    expect(said.log).toContain('BUDGET/TOKEN_LIMIT: The tokens are used up.\n→ Raise it.');
    expect(said.log).toMatch(/To continue from the results with a new budget: Go on\.$/);
  });

  it.each([
    [1, '✓ a: Read, 1 call, 900 ms'],
    [2, '✓ a: Read, 2 calls, 900 ms'],
  ])('counts the %i calls of a step in the right number', (count, line) => {
    const metrics = { cpu_ms: 4, mem_mb: 1, tool_calls: count, wall_ms: 900 };
    const ended = { type: 'node-ended', nodeId: 'a', status: 'done', summary: 'Read', metrics } as const;
    expect(progressLine(ended as unknown as SessionEvent)).toBe(line);
  });

  it('shows an error without a plan once', () => {
    const { terminal, said } = open(false);
    const { planHash: _none, ...planless } = report({ outcome: 'failed', answer: 'No recipe fits.' });
    printRun(terminal, { ...planless, error: appError('LLM', 'UNAVAILABLE', 'No recipe fits.') });
    expect(said).toEqual({ out: '', log: 'LLM/UNAVAILABLE: No recipe fits.' });
  });
});

describe('an error in print', () => {
  it('shows where it happened, which files, and what to do next', () => {
    const error = appError('CONFIG', 'INVALID', 'A file is not valid.', {
      line: 3,
      column: 7,
      hint: 'Fix it.',
      problems: [{ file: 'budgets.json', field: 'node.cpu_ms', rule: 'number', reason: 'it is text' }],
    });
    expect(describeError(error)).toBe(
      'CONFIG/INVALID: A file is not valid. (line 3, column 7)\n  budgets.json: node.cpu_ms: it is text\n→ Fix it.',
    );
    expect([exitCodeOf(error), exitCodeOf(appError('HOST', 'STATE', 'x'))]).toEqual([3, 1]);
  });

  it('[LED-cli] lists the writes that the answer omits, and returns all of them as JSON', () => {
    const write = (target: string) => ({
      tool: 'mcp://files.write',
      target,
      outcome: 'made' as const,
      undo: 'impossible' as const,
      callId: target,
      node: 'work',
    });
    const writes = Array.from({ length: 22 }, (_, at) => write(`${at}.md`));
    const people = open(false);
    printRun(people.terminal, report({ writes }));
    expect(people.said.out).toBe('The answer.\n');
    expect(people.said.log).toMatch(/^22 writes: 22 made {2}made: files\.write 0\.md/);
    expect(people.said.log).toMatch(/19\.md {2}… and 2 more$/);
    const listed = open(false);
    printRun(listed.terminal, report({ outcome: 'partial', writes, writesFrom: 3 }));
    expect(listed.said.log).toBe('');
    const machine = open(true);
    printRun(machine.terminal, report({ writes: [write('a')] }));
    expect(JSON.parse(machine.said.out)).toMatchObject({
      writes: [{ tool: 'mcp://files.write', target: 'a', outcome: 'made', undo: 'impossible' }],
    });
  });
});

describe('progressLine', () => {
  const at = (done: number, of: number) =>
    progressLine({
      type: 'node-progressed',
      sessionId: 's',
      seq: 1,
      at: 0,
      v: 1,
      turn: 0,
      runId: 'run_1',
      nodeId: 'sort',
      done,
      of,
    });

  it('[MAP-progress] reports about ten times how many items of a step are done', () => {
    const lines = Array.from({ length: 61 }, (_, done) => at(done, 60)).filter((line) => line !== null);
    expect(lines).toHaveLength(11);
    expect(lines.slice(0, 2)).toEqual(['… sort: 0 of 60 items', '… sort: 6 of 60 items']);
    expect(lines.at(-1)).toBe('… sort: 60 of 60 items');
    expect(at(0, 0)).toBe('… sort: 0 of 0 items');
  });
});
