import { afterEach, describe, expect, it } from 'vitest';
import type { WireName } from '#shared/model';
import type { ModelRequest } from '../../../core/ports/llm';
import {
  createClientHarness,
  eventsOf,
  startScriptedHarness,
  textOf,
  wireNames,
} from '../../../testing/scripted-model-client';
import type { LlmLimits } from './limits';

const key = 'sk-canary/0451+equivalent';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const request: ModelRequest = {
  model: { providerId: 'environment', model: 'large' },
  messages: [{ role: 'user', content: 'hi' }],
};
const never = (): AbortSignal => new AbortController().signal;

async function withoutEnd(wire: WireName, limits: Partial<LlmLimits> = {}) {
  const replies = [{ fault: { type: 'endless-text' as const } }];
  const { client, ref, close } = await startScriptedHarness({ replies }, { limits, key, wire });
  closing.push(close);
  return eventsOf(client.stream({ ...request, model: ref }, never()));
}

it('a key that cannot stand in a header is refused before it is sent', async () => {
  const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: 'sk-canary\r\nx: y' };
  const harness = createClientHarness({ env });
  closing.push(harness.remove);
  const events = await eventsOf(harness.client.stream(request, never()));
  expect(events).toMatchObject([{ type: 'error', error: { kind: 'LLM', code: 'AUTH' } }]);
  expect(JSON.stringify(events)).not.toContain('canary');
});

describe.each(wireNames)('[LLM-wires] %s: a reply without end', (wire) => {
  it('ends at the limit when it has no end, whatever it is made of', async () => {
    const events = await withoutEnd(wire, { replyBytes: 500_000 });
    expect(textOf(events).length).toBeLessThan(1_000_000);
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'INVALID_REPLY' } });
  });

  it('[LLM-reply-length] ends at some million characters of text, long before its bytes are too many', async () => {
    const events = await withoutEnd(wire);
    expect(textOf(events).length).toBeGreaterThan(5_900_000);
    expect(textOf(events).length).toBeLessThan(6_300_000);
    const last = events.at(-1);
    expect(last).toMatchObject({ type: 'error', error: { kind: 'LLM', code: 'INVALID_REPLY' } });
    expect(last?.type === 'error' && last.error.message).toContain('a reply without end');
  });
});

describe('an address', () => {
  it.each([
    'ftp://127.0.0.1/v1',
    'not an address',
    'http://user:pass@127.0.0.1/v1',
    'http://127.0.0.1/v1?k=1',
  ])('that is invalid: %s', async (baseUrl) => {
    const harness = createClientHarness({ env: { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: key } });
    closing.push(harness.remove);
    const events = await eventsOf(harness.client.stream(request, never()));
    expect(events).toMatchObject([{ type: 'error', error: { kind: 'CONFIG', code: 'INVALID' } }]);
    const [environment, offline] = await harness.client.listModels(true);
    expect(environment?.problem).toMatch(/OPENAI_BASE_URL/);
    expect(offline?.providerId).toBe('offline');
  });
});
