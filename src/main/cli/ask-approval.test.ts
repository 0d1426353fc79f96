import type { SessionEvent } from '#shared/session-event';
import { describe, expect, it, vi } from 'vitest';
import type { App } from '../app';
import { createApprovalDesk } from './ask-approval';
import type { Terminal } from './output';

const requested = (approvalId: string): SessionEvent => ({
  ...{ v: 1, sessionId: 's', seq: 1, at: 0, type: 'approval-requested', turn: 0, runId: 'r', nodeId: 'n' },
  ...{
    approvalId,
    tool: 'mcp://fs.write',
    arguments: { path: 'a', content: 'b' },
    hash: `hash-${approvalId}`,
  },
});

function open(answers: (string | null)[]) {
  const answerApproval = vi.fn(() => true);
  const logged: string[] = [];
  const readLine = vi.fn((_prompt: string, options?: { signal?: AbortSignal }) =>
    answers.length > 0
      ? Promise.resolve(answers.shift() ?? null)
      : new Promise<null>((resolve) => options?.signal?.addEventListener('abort', () => resolve(null))),
  );
  const terminal = { log: (text: string) => logged.push(text), readLine } as unknown as Terminal;
  const desk = createApprovalDesk({ answerApproval } as unknown as App, terminal);
  return { desk, answerApproval, readLine, logged };
}

describe('approvals at the terminal', () => {
  it.each([
    ['y', true],
    [' YES ', true],
    ['yes please', false],
    ['', false],
    ['n', false],
    [null, false],
  ])('takes %j as %j, for the exact call', async (answer, approved) => {
    const { desk, answerApproval, logged } = open([answer]);
    desk.hear([requested('1')]);
    await vi.waitFor(() => expect(answerApproval).toHaveBeenCalledExactlyOnceWith('1', 'hash-1', approved));
    expect(logged[0]).toContain('"content": "b"');
  });

  it('asks one at a time, in order', async () => {
    const { desk, answerApproval } = open(['y', 'n']);
    desk.hear([requested('1'), requested('2')]);
    await vi.waitFor(() => expect(answerApproval).toHaveBeenCalledTimes(2));
    expect(answerApproval.mock.calls).toEqual([
      ['1', 'hash-1', true],
      ['2', 'hash-2', false],
    ]);
  });

  it('takes open questions back when the run is over, and answers none of them', async () => {
    const { desk, answerApproval, readLine } = open([]);
    desk.hear([requested('1'), requested('2')]);
    await vi.waitFor(() => expect(readLine).toHaveBeenCalledOnce());
    desk.close();
    await Promise.all(readLine.mock.results.map(({ value }) => value as Promise<unknown>));
    expect(answerApproval).not.toHaveBeenCalled();
    expect(readLine).toHaveBeenCalledOnce();
  });
});
