import { afterEach, describe, expect, it } from 'vitest';
import type { ModelEvent, ModelRequest } from '../../../core/ports/llm';
import type { Script } from '../../../testing/scripted-model';
import { eventsOf, startScriptedHarness, textOf } from '../../../testing/scripted-model-client';
import type { ScriptedFault } from '../../../testing/scripted-reply';
import { llmLimits, watchedMaxRetryMs, type LlmLimits } from './limits';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const request: ModelRequest = {
  model: { providerId: 'environment', model: 'large' },
  messages: [{ role: 'user', content: 'hi' }],
};
const never = (): AbortSignal => new AbortController().signal;

async function harnessFor(script: Script, limits: Partial<LlmLimits> = {}) {
  const harness = await startScriptedHarness(script, { limits });
  closing.push(harness.close);
  return harness;
}

const status = (
  code: number,
  more: Partial<Extract<ScriptedFault, { type: 'status' }>> = {},
): ScriptedFault => ({
  type: 'status',
  status: code,
  ...more,
});

describe('timeouts', () => {
  const late = { type: 'error', error: { kind: 'LLM', code: 'UNAVAILABLE', retryable: true } };

  it('end a request without an answer, and its socket', async () => {
    const { client, model, clock } = await harnessFor({
      replies: [{ fault: { type: 'hang', beforeHeaders: true } }],
    });
    const events = eventsOf(client.stream(request, never()));
    const asked = await model.chat(0);
    await clock.ring(llmLimits.headersMs);
    expect(await events).toMatchObject([late]);
    expect(await asked.over).toBe('aborted');
  });

  it('end a reply that stalls, and keep the text so far', async () => {
    const { client, model, clock } = await harnessFor({
      replies: [{ text: 'one two', fault: { type: 'hang', after: 2 } }],
    });
    const seen: ModelEvent[] = [];
    for await (const event of client.stream(request, never())) {
      seen.push(event);
      if (textOf(seen) === 'one two' && event.type === 'text') void clock.ring(llmLimits.idleMs);
    }
    expect(textOf(seen)).toBe('one two');
    expect(seen.at(-1)).toMatchObject(late);
    expect(await (await model.chat(0)).over).toBe('aborted');
  });
});

describe('retries', () => {
  it('wait 1, 2 and 4 seconds after 5xx, then stop', async () => {
    const { client, model, clock } = await harnessFor({ replies: [{ fault: status(503), times: 9 }] });
    const events = eventsOf(client.stream(request, never()));
    for (const ms of [1000, 2000, 4000]) await clock.ring(ms);
    const waits = (await events).flatMap((event) => (event.type === 'retrying' ? [event.inMs] : []));
    expect(waits).toEqual([1000, 2000, 4000]);
    expect((await events).at(-1)).toMatchObject({ type: 'error', error: { code: 'UNAVAILABLE' } });
    expect(model.chats()).toHaveLength(4);
  });

  it('wait as long as the server asks after 429, show how long, and continue', async () => {
    const asked = status(429, { headers: { 'retry-after': '7' } });
    const { client, clock } = await harnessFor({ replies: [{ fault: asked }, { text: 'here' }] });
    const events = eventsOf(client.stream(request, never()));
    await clock.ring(7000);
    expect(await events).toMatchObject([
      { type: 'retrying', inMs: 7000, error: { code: 'RATE_LIMITED', retryAfterMs: 7000 } },
      { type: 'text', text: 'here' },
      { type: 'end' },
    ]);
  });

  const spent = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '12s' };

  it.each([
    [429, spent, 12_000],
    [529, spent, 12_000],
    [429, { ...spent, 'retry-after': '7' }, 7000],
    // A server that fails says nothing about its limits.
    [503, spent, 1000],
  ])(
    '[LLM-retry] wait until the limit is renewed where the server asks for no wait: %i %j',
    async (code, headers, ms) => {
      const { client } = await harnessFor({ replies: [{ fault: status(code, { headers }) }] });
      const events = client.stream(request, never())[Symbol.asyncIterator]();
      expect((await events.next()).value).toMatchObject({ type: 'retrying', inMs: ms });
      await events.return?.();
    },
  );

  it('take the renewal of a limit for no renewal of a quota', async () => {
    const fault = status(429, { message: 'daily limit', headers: spent });
    const { client } = await harnessFor({ replies: [{ fault }] });
    const [failed] = await eventsOf(client.stream(request, never()));
    expect(failed).toMatchObject({ error: { code: 'QUOTA' } });
    expect(failed).not.toHaveProperty('error.retryAfterMs');
  });

  it.each(['0', 'Wed, 31 Dec 1969 23:59:00 GMT'])(
    'wait 1, 2 and 4 seconds where the server names no time to come: %s',
    async (asked) => {
      const fault = status(429, { headers: { 'retry-after': asked } });
      const { client, model, clock } = await harnessFor({ replies: [{ fault, times: 9 }] });
      const events = eventsOf(client.stream(request, never()));
      for (const ms of [1000, 2000, 4000]) await clock.ring(ms);
      const waits = (await events).flatMap((event) => (event.type === 'retrying' ? [event.inMs] : []));
      expect(waits).toEqual([1000, 2000, 4000]);
      expect(model.chats()).toHaveLength(4);
    },
  );

  it.each([
    [429, 'RATE_LIMITED'],
    [529, 'RATE_LIMITED'],
    [503, 'UNAVAILABLE'],
  ])('leave a long wait to the user, and say how long it is: %i', async (code, failure) => {
    const { client } = await harnessFor({
      replies: [{ fault: status(code, { headers: { 'retry-after': '300' } }) }],
    });
    const hint = 'Send again in 5 minutes, or choose another model.';
    expect(await eventsOf(client.stream(request, never()))).toMatchObject([
      { type: 'error', error: { code: failure, retryable: true, retryAfterMs: 300_000, hint } },
    ]);
  });

  const watched = { maxRetryMs: watchedMaxRetryMs };

  it.each([429, 529, 503])(
    '[LLM-long-wait] wait up to 15 minutes where somebody watches: %i',
    async (code) => {
      const fault = status(code, { headers: { 'retry-after': '150' } });
      const { client, clock, model } = await harnessFor({ replies: [{ fault }, { text: 'here' }] }, watched);
      const events = eventsOf(client.stream(request, never()));
      for (const ms of [60_000, 60_000, 30_000]) {
        await clock.ring(ms);
        expect(model.chats()).toHaveLength(1);
      }
      expect(await events).toMatchObject([
        { type: 'retrying', inMs: 150_000 },
        { text: 'here' },
        { type: 'end' },
      ]);
    },
  );

  it('[LLM-long-wait] a long wait ends on time although the computer slept', async () => {
    const fault = status(429, { headers: { 'retry-after': '600' } });
    const { client, clock } = await harnessFor({ replies: [{ fault }, { text: 'here' }] }, watched);
    const events = eventsOf(client.stream(request, never()));
    await clock.ring(60_000);
    clock.sleep(560_000);
    await clock.ring(60_000);
    await clock.ring(40_000);
    expect(textOf(await events)).toBe('here');
  });

  it('[LLM-long-wait] stop at once during a long wait', async () => {
    const fault = status(429, { headers: { 'retry-after': '900' } });
    const { client, clock, model } = await harnessFor({ replies: [{ fault }] }, watched);
    const stop = new AbortController();
    const seen: ModelEvent[] = [];
    for await (const event of client.stream(request, stop.signal)) {
      seen.push(event);
      if (event.type === 'retrying') stop.abort();
    }
    // The refused request is not counted as one that a model read.
    expect(seen.at(-1)).toMatchObject({
      type: 'error',
      error: { kind: 'HOST', code: 'CANCELLED' },
      unanswered: true,
    });
    expect(clock.pending()).toBe(0);
    expect(model.chats()).toHaveLength(1);
  });

  it.each([
    ['a longer wait', status(429, { headers: { 'retry-after': '901' } }), 'RATE_LIMITED'],
    ['a quota', status(429, { message: 'daily limit', headers: { 'retry-after': '300' } }), 'QUOTA'],
  ])('[LLM-long-wait] leave %s to the user', async (_what, fault, code) => {
    const { client } = await harnessFor({ replies: [{ fault }] }, watched);
    expect(await eventsOf(client.stream(request, never()))).toMatchObject([
      { type: 'error', error: { code } },
    ]);
  });

  it('happen once when the connection is closed before an answer', async () => {
    const { client, clock, model } = await harnessFor({
      replies: [{ fault: { type: 'drop' } }, { text: 'here' }],
    });
    const events = eventsOf(client.stream(request, never()));
    await clock.ring(1000);
    expect(textOf(await events)).toBe('here');
    expect(model.chats()).toHaveLength(2);
  });
});
