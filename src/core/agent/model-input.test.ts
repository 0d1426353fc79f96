import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err, ok } from '#shared/result';
import { modelInput, type ModelReader } from './model-input';
import type { RunContext } from './node-run';

const handle = (digit: string) => `artifact://sha256/${digit.repeat(64)}`;
const stored = (digit: string) => ({ $artifact: handle(digit), bytes: 9, head: '[' });
const labelled = { source: 'mcp://box.get', nodeId: 'a', trusted: true };

/** What a reader gets of these states when every character is a token. */
function read(
  states: JsonObject,
  tokens = 1_000,
  beside?: string,
  setting: ModelReader['setting'] = 'node.tokens',
) {
  const run = {
    artifacts: {
      get: (id: string) => (id === handle('9') ? err(appError('HOST', 'NOT_FOUND', 'gone')) : ok('[1,2]')),
      originsOf: (id: string) => (id === handle('1') ? [labelled] : null),
    },
    countTokens: (text: string) => Promise.resolve(text.length),
  } as unknown as RunContext;
  const reader = { nodeId: 'me', what: 'The input', tokens, setting };
  return modelInput(run, states, reader, ...(beside === undefined ? [] : [beside]));
}

describe('what a model reads of earlier steps', () => {
  it('is the whole of each state, with its sources; a stored value without a label is untrusted', async () => {
    expect(await read({ a: { rows: stored('1'), n: 1 }, b: { more: stored('2') } })).toEqual(
      ok({
        states: { a: { rows: [1, 2], n: 1 }, b: { more: [1, 2] } },
        origins: [labelled, { source: 'artifact', nodeId: 'me', trusted: false }],
      }),
    );
    expect(await read({ a: {} })).toEqual(ok({ states: { a: {} }, origins: [] }));
  });

  it('is an error when a stored value is gone', async () => {
    expect(await read({ a: { rows: stored('9') } })).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it('is never cut: it fits with what stands beside it, or is an error that says what to do', async () => {
    const state = { a: {} };
    expect((await read(state, 8)).ok).toBe(true);
    expect((await read(state, 10, '12')).ok).toBe(true);
    expect(await read(state, 9, '12')).toMatchObject({
      error: {
        kind: 'BUDGET',
        code: 'TOKEN_LIMIT',
        message: 'The input is about 10 tokens, and a model step may use 9.',
        hint: 'Let a script step select or shorten what the model needs, or raise node.tokens in .patina/budgets.json.',
      },
    });
    expect(await read({ a: { text: 'x'.repeat(2_000) } }, -5, '', 'run.tokens')).toMatchObject({
      error: {
        message: 'The input is about 2,017 tokens, and the run has left 0.',
        hint: expect.stringContaining('raise run.tokens') as string,
      },
    });
  });
});
