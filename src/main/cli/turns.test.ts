import { describe, expect, it, vi } from 'vitest';
import type { SessionEvent } from '#shared/session-event';
import { ok } from '#shared/result';
import type { App } from '../app';
import { createElicitationQueue } from '../../core/tools/elicitation-queue';
import { createApprovalPrompts } from './ask-approval';
import { askElicitations } from './ask-elicitation';
import type { Terminal } from './output';
import { createTurns } from './turns';

const requested: SessionEvent = {
  v: 1,
  sessionId: 's',
  seq: 1,
  at: 0,
  type: 'approval-requested',
  turn: 0,
  runId: 'r',
  nodeId: 'n',
  approvalId: '1',
  tool: 'mcp://fs.write',
  arguments: { path: 'a' },
  hash: 'hash-1',
};

/** A terminal whose lines arrive when the test sends them. */
function typed() {
  const waiting: ((line: string | null) => void)[] = [];
  const prompts: string[] = [];
  const readLine = (prompt: string): Promise<string | null> => {
    prompts.push(prompt);
    return new Promise((resolve) => waiting.push(resolve));
  };
  const parts = { log: () => undefined, readLine, inTurn: createTurns(), language: 'en' };
  const terminal = parts as unknown as Terminal;
  const type = async (line: string): Promise<void> => {
    await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(0), 15_000);
    expect(waiting).toHaveLength(1);
    waiting.shift()?.(line);
  };
  return { terminal, prompts, type };
}

describe('questions to the person at a terminal', () => {
  it('[CLI-one-queue] of an approval and of a server never wait for the same line', async () => {
    const { terminal, prompts, type } = typed();
    const answer = vi.fn((_place: unknown, _given: unknown) => ok(null));
    const elicitations = createElicitationQueue({ next: (prefix) => `${prefix}_1` });
    const app = { elicitations, runs: { answer } } as unknown as App;
    askElicitations(app, terminal, true);
    const asked = elicitations.elicit(
      { server: 'shop', message: 'Which?', fields: [] },
      new AbortController().signal,
    );
    createApprovalPrompts(app, terminal).onEvents([requested]);
    await type('n');
    expect(await asked).toEqual({ action: 'decline' });
    expect(answer).not.toHaveBeenCalled();
    await type('y');
    await vi.waitFor(() => expect(answer).toHaveBeenCalledOnce(), 15_000);
    expect(answer.mock.calls[0]?.[1]).toMatchObject([{ approved: true }]);
    expect(prompts).toHaveLength(2);
  });

  it('[CLI-one-queue] that fail do not block others', async () => {
    const inTurn = createTurns();
    const failing = inTurn(() => Promise.reject(new Error('gone')));
    await expect(failing).rejects.toThrow('gone');
    expect(await inTurn(() => Promise.resolve(1))).toBe(1);
  });
});
