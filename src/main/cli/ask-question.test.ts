import { expect, it, vi } from 'vitest';
import { ok } from '#shared/result';
import type { SessionEvent } from '#shared/session-event';
import type { App } from '../app';
import { createQuestionPrompts } from './ask-question';
import type { Terminal } from './output';
import { createTurns } from './turns';

const asked = (call: boolean) =>
  ({
    ...{ v: 1, sessionId: 's', seq: 1, at: 0, type: 'question-asked', turn: 0 },
    question: {
      questionId: 'q',
      asker: 'model',
      text: 'The model wants to call it.',
      options: ['Approve', 'Do not approve'],
      ...(call && { call: { tool: 'mcp://fs.write', arguments: { path: 'a' }, hash: 'h' } }),
    },
  }) as unknown as SessionEvent;

async function answered(approve: 'all' | 'none' | 'ask', call: boolean, reads = false): Promise<unknown> {
  const answer = vi.fn((_place: { readonly option: string }) => Promise.resolve(ok(null)));
  const terminal = { log: vi.fn(), readLine: () => Promise.resolve('1'), inTurn: createTurns() };
  const app = { lines: { answer } } as unknown as App;
  createQuestionPrompts(app, terminal as unknown as Terminal, reads, approve).onEvents([asked(call)]);
  await vi.waitFor(() => expect(answer).toHaveBeenCalledOnce());
  return answer.mock.calls[0]?.[0].option;
}

it('[APR-ask-approve] a question about a call is answered by the policy, other questions are not', async () => {
  expect(await answered('all', true)).toBe('Approve');
  expect(await answered('none', true, true)).toBe('Do not approve');
  expect(await answered('ask', true, true)).toBe('Approve');
  expect(await answered('ask', true)).toBe('Do not approve');
  expect(await answered('all', false)).toBe('Do not approve');
});
