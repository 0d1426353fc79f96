import type { SessionEvent } from '#shared/session-event';
import { ok } from '#shared/result';
import { describe, expect, it, vi } from 'vitest';
import type { App } from '../app';
import { createApprovalPrompts } from './ask-approval';
import type { Terminal } from './output';
import { createTurns } from './turns';

const requested = (approvalId: string, card?: string): SessionEvent => ({
  v: 1,
  sessionId: 's',
  seq: 1,
  at: 0,
  type: 'approval-requested',
  turn: 0,
  runId: 'r',
  nodeId: 'n',
  approvalId,
  tool: 'mcp://fs.write',
  arguments: { path: 'a', content: 'b' },
  hash: `hash-${approvalId}`,
  ...(card !== undefined && { card }),
});

function open(answers: (string | null)[]) {
  const answerApprovals = vi.fn((_decisions: unknown) => ok(null));
  const editApproval = vi.fn(() => ok(null));
  const logged: string[] = [];
  const readLine = vi.fn((_prompt: string, options?: { signal?: AbortSignal }) =>
    answers.length > 0
      ? Promise.resolve(answers.shift() ?? null)
      : new Promise<null>((resolve) => options?.signal?.addEventListener('abort', () => resolve(null))),
  );
  const terminal = {
    log: (text: string) => logged.push(text),
    readLine,
    inTurn: createTurns(),
  } as unknown as Terminal;
  const prompts = createApprovalPrompts(
    {
      runs: { answer: (_place: unknown, given: unknown) => answerApprovals(given) },
      editApproval,
    } as unknown as App,
    terminal,
  );
  return { prompts, answerApprovals, editApproval, readLine, logged };
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
    const { prompts, answerApprovals, logged } = open([answer]);
    prompts.hear([requested('1')]);
    await vi.waitFor(
      () =>
        expect(answerApprovals).toHaveBeenCalledExactlyOnceWith([
          { approvalId: '1', hash: 'hash-1', approved },
        ]),
      15_000,
    );
    expect(logged[0]).toContain('"content": "b"');
  });

  it('asks one at a time, in order', async () => {
    const { prompts, answerApprovals } = open(['y', 'n']);
    prompts.hear([requested('1'), requested('2')]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledTimes(2), 15_000);
    expect(answerApprovals.mock.calls).toEqual([
      [[{ approvalId: '1', hash: 'hash-1', approved: true }]],
      [[{ approvalId: '2', hash: 'hash-2', approved: false }]],
    ]);
  });

  it('[AGP-card-terminal] asks for one card once; numbers are a yes to some of it', async () => {
    const { prompts, answerApprovals, logged } = open(['2']);
    prompts.hear([requested('1', 'card'), requested('2', 'card')]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledOnce(), 15_000);
    expect(answerApprovals.mock.calls).toEqual([
      [
        [
          { approvalId: '1', hash: 'hash-1', approved: false },
          { approvalId: '2', hash: 'hash-2', approved: true },
        ],
      ],
    ]);
    expect(logged.at(-1)).toBe('Approved 1 of 2.');
  });

  it('[AGP-edit-terminal] has a call changed, shows it again, and answers what is shown then', async () => {
    const { prompts, answerApprovals, editApproval, logged } = open(['e', '{"path":"b"}', 'y']);
    editApproval.mockImplementation(() => {
      const now = { approvalId: '1', arguments: { path: 'b' }, hash: 'new' };
      prompts.hear([{ ...requested('1'), ...now, type: 'approval-edited' } as SessionEvent]);
      return ok(null);
    });
    prompts.hear([requested('1')]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledOnce(), 15_000);
    expect(editApproval).toHaveBeenCalledExactlyOnceWith({
      approvalId: '1',
      hash: 'hash-1',
      arguments: { path: 'b' },
    });
    expect(answerApprovals.mock.calls).toEqual([[[{ approvalId: '1', hash: 'new', approved: true }]]]);
    expect(logged.some((text) => text.includes('"path": "b"'))).toBe(true);
  });

  it('takes open questions back when the run is over, and answers none of them', async () => {
    const { prompts, answerApprovals, readLine } = open([]);
    prompts.hear([requested('1'), requested('2')]);
    await vi.waitFor(() => expect(readLine).toHaveBeenCalledOnce(), 15_000);
    prompts.close();
    await Promise.all(readLine.mock.results.map(({ value }) => value as Promise<unknown>));
    expect(answerApprovals).not.toHaveBeenCalled();
    expect(readLine).toHaveBeenCalledOnce();
  });
});
