import { afterEach, describe, expect, it } from 'vitest';
import type { WireName } from '#shared/model';
import type { ModelEvent, ModelRequest } from '../../../core/ports/llm';
import {
  faultKey,
  providerFaults,
  startFaultyProvider,
  type FaultResult,
  type ProviderFault,
} from '../../../testing/provider-faults';
import {
  configureScripted,
  createClientHarness,
  textOf,
  wireNames,
} from '../../../testing/scripted-model-client';
import { llmLimits } from './limits';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const request: ModelRequest = {
  model: { providerId: 'scripted', model: 'large' },
  messages: [{ role: 'user', content: 'hi' }],
};

/** Sends one request to the server of a fault, and lets the waits and time limits pass that the fault needs. */
async function meet(fault: ProviderFault, wire: WireName) {
  const provider = await startFaultyProvider(fault, wire);
  const { client, clock, home, remove } = createClientHarness({ limits: fault.limits ?? {} });
  closing.push(provider.close, remove);
  configureScripted(home, { wire, baseUrl: provider.baseUrl, key: faultKey });
  const events: ModelEvent[] = [];
  const pass = async (): Promise<void> => {
    for (const ms of fault.result.waits ?? []) await clock.ring(ms);
    if (fault.expires !== 'headersMs') return;
    await provider.asked;
    await clock.ring(llmLimits.headersMs);
  };
  void pass();
  for await (const event of client.stream({ ...request, ...fault.request }, new AbortController().signal)) {
    events.push(event);
    const came = event.type === 'text' && textOf(events) === fault.result.text;
    if (fault.expires === 'idleMs' && came) void clock.ring(llmLimits.idleMs);
  }
  return { events, last: events.at(-1), requests: provider.requests() };
}

function expectError(last: ModelEvent | undefined, result: Exclude<FaultResult, { code: 'reply' }>): void {
  expect(last).toMatchObject({ type: 'error', error: { kind: 'LLM', code: result.code } });
  if (last?.type !== 'error') return;
  expect(last.error.message).toMatch(result.says);
  expect(last.error.hint).toMatch(/^[A-Z].*\.$/);
}

function expectReply(
  { events, last }: { readonly events: readonly ModelEvent[]; readonly last: ModelEvent | undefined },
  result: Extract<FaultResult, { code: 'reply' }>,
): void {
  expect(last).toMatchObject({
    type: 'end',
    ...(result.inputTokens !== undefined && { inputTokens: result.inputTokens }),
  });
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call.argumentsJson] : []));
  expect(calls).toEqual(result.calls ?? []);
}

describe.each(wireNames)('[LLM-faults] %s: the server', (wire) => {
  const possible = providerFaults.filter(({ impossible }) => impossible?.[wire] === undefined);
  it.each(possible.map((fault) => [fault.does, fault] as const))('%s', async (_does, fault) => {
    const met = await meet(fault, wire);
    const { result } = fault;
    if (result.code === 'reply') expectReply(met, result);
    else expectError(met.last, result);
    expect(textOf(met.events)).toBe(result.text ?? '');
    const waits = met.events.flatMap((event) => (event.type === 'retrying' ? [event.inMs] : []));
    expect(waits).toEqual(result.waits ?? []);
    expect(met.requests).toBe(result.requests ?? waits.length + 1);
    expect(JSON.stringify(met.events)).not.toMatch(/canary|c2stY2FuYXJ5/);
  });
});

it('[LLM-faults] each fault is another one, and at least 42 can befall every protocol', () => {
  const names = providerFaults.map(({ does }) => does);
  expect(new Set(names).size).toBe(names.length);
  expect(providerFaults.filter(({ impossible }) => impossible === undefined).length).toBeGreaterThanOrEqual(
    42,
  );
});
