import { afterEach, describe, expect, it } from 'vitest';
import type { WireName } from '#shared/model';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { createPrefixCache } from '../../testing/prefix-cache';
import { wireNames } from '../../testing/scripted-model-client';

let harness: MainHarness;
afterEach(() => harness.close());

/** Adds a provider of each protocol at the scripted model's address. */
function addProvider(wire: WireName): void {
  const { app, model } = harness;
  const edited = app.providers.edit({
    id: wire,
    edit: {
      ...{ name: wire, baseUrl: model.baseUrl, wire, organization: null, models: ['m'] },
      ...{ headers: {}, timeouts: {}, proxy: null, keyVariable: null },
    },
  });
  if (!edited.ok) throw new Error(edited.error.message);
}

const choose = (wire: WireName) => harness.app.settings.patch({ model: { providerId: wire, model: 'm' } });

const bodies = () => harness.model.chats().map(({ json }) => json ?? {});

describe.each(wireNames)('[LLM-cache-prefix] %s', (wire) => {
  it('sends a conversation so that >= 90 % of the input is cached from the third turn on', async () => {
    const replies = Array.from({ length: 10 }, (_, at) => ({
      text: `Answer ${at}: ${'so it is. '.repeat(20)}`,
    }));
    harness = await startMain({ replies });
    addProvider(wire);
    choose(wire);
    for (let at = 0; at < 10; at += 1) await harness.say(`Why does ${at} come after ${at - 1}? Explain it.`);
    const cache = createPrefixCache({ marks: wire === 'anthropic' });
    const shares = bodies().map((body) => {
      const { input, cached } = cache.receive(body);
      return cached / input;
    });
    expect(shares).toHaveLength(10);
    expect(shares[0]).toBe(0);
    expect(Math.min(...shares.slice(2)), shares.join(' ')).toBeGreaterThanOrEqual(0.9);
  });
});

it('[LLM-across-wires] one session goes back and forth between the protocols, with its text and calls', async () => {
  const order = [...wireNames, ...wireNames.toReversed(), ...wireNames];
  const call = { name: 'agent_list_modes', arguments: {} };
  harness = await startMain({
    replies: order.flatMap((wire, at) => [
      { thinking: `THOUGHT-${at}-${wire}`, toolCalls: [{ ...call, id: `call_${at}` }] },
      { text: `Answer ${at} over ${wire}.` },
    ]),
  });
  for (const wire of wireNames) addProvider(wire);
  for (const [at, wire] of order.entries()) {
    choose(wire);
    const { reply } = await harness.say(`Question ${at}?`);
    expect(reply).toMatchObject({
      status: 'done',
      text: `Answer ${at} over ${wire}.`,
      model: { providerId: wire },
    });
    const [first, second] = bodies()
      .slice(-2)
      .map((body) => JSON.stringify(body));
    // The whole conversation so far goes along, whichever protocol its turns came over.
    for (let before = 0; before < at; before += 1) {
      expect(first).toContain(`Question ${before}?`);
      expect(first).toContain(`Answer ${before} over ${order[before]}.`);
      expect(second).not.toContain(`THOUGHT-${before}-`);
    }
    // Thinking returns with the calls that it led to, over its own protocol.
    expect(second).toContain(`THOUGHT-${at}-${wire}`);
  }
});
