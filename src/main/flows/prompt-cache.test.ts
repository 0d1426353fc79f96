import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { WireName } from '#shared/model';
import { drawnPng } from '../../testing/drawn-png';
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

/** The part of each request's input that a provider's cache had, by the rules of its protocol. */
function cachedShares(wire: WireName): readonly number[] {
  const cache = createPrefixCache({ marks: wire === 'anthropic' });
  return bodies().map((body) => {
    const { input, cached } = cache.receive(body);
    return cached / input;
  });
}

describe.each(wireNames)('[LLM-cache-prefix] %s', (wire) => {
  it('sends a conversation so that >= 90 % of the input is cached from the third turn on', async () => {
    const replies = Array.from({ length: 10 }, (_, at) => ({
      text: `Answer ${at}: ${'so it is. '.repeat(20)}`,
    }));
    harness = await startMain({ replies });
    addProvider(wire);
    choose(wire);
    for (let at = 0; at < 10; at += 1) await harness.say(`Why does ${at} come after ${at - 1}? Explain it.`);
    const shares = cachedShares(wire);
    expect(shares).toHaveLength(10);
    expect(shares[0]).toBe(0);
    expect(Math.min(...shares.slice(2)), shares.join(' ')).toBeGreaterThanOrEqual(0.9);
  });

  it('sends a staged run so that >= 90 % of the input is cached from the third stage on', async () => {
    const stages = Array.from({ length: 5 }, (_, at) => {
      const code = `return { summary: 'looked', state: { found: 'number ${at}', next: ${at + 1} } };`;
      return { toolCalls: [{ id: `c${at}`, name: 'submit_plan', arguments: { code, then: 'look' } }] };
    });
    harness = await startMain({ replies: [...stages, { text: 'All five are found.' }] });
    addProvider(wire);
    choose(wire);
    const { run } = await harness.say('Find five numbers, one after the other', { runMode: 'agent' });
    expect(run).toMatchObject({ status: 'done', answer: 'All five are found.' });
    const shares = cachedShares(wire);
    expect(shares).toHaveLength(6);
    expect(Math.min(...shares.slice(2)), shares.join(' ')).toBeGreaterThanOrEqual(0.9);
  });
});

it.each(wireNames)(
  '[ASK-unchanged] Ask sends the same over %s with Agent Mode on, used and off',
  async (wire) => {
    const home = mkdtempSync(join(tmpdir(), 'patina-ask-'));
    const talk = async (agentMode: 'orchestrator' | 'off', goal?: string) => {
      harness = await startMain({
        at: home,
        env: { PATINA_AGENT_MODE: agentMode },
        replies: [{ match: /./, text: 'An answer.' }],
      });
      addProvider(wire);
      choose(wire);
      await harness.say('What is a tuple?');
      await harness.say('And find duplicate files in ./docs?');
      const asked = harness.model.chats().map(({ method, path, text }) => ({ method, path, text }));
      if (goal !== undefined) expect((await harness.say(goal, { runMode: 'agent' })).run).toBeDefined();
      await harness.close();
      return asked;
    };
    try {
      const first = await talk('orchestrator', 'Count the files');
      expect(first.map(({ text }) => text.includes('What is a tuple?'))).toEqual([true, true]);
      expect(await talk('orchestrator')).toEqual(first);
      expect(await talk('off')).toEqual(first);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);

it('[LLM-across-wires] lets one session switch between the protocols, with the lines and answers of earlier turns', async () => {
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
    // The lines and answers so far go along, whichever protocol their turns came over; calls stay in their turn.
    for (let before = 0; before < at; before += 1) {
      expect(first).toContain(`Question ${before}?`);
      expect(first).toContain(`Answer ${before} over ${order[before]}.`);
      expect(second).not.toContain(`THOUGHT-${before}-`);
      expect(second).not.toContain(`"call_${before}"`);
    }
    // Thinking returns with the calls that it led to, over its own protocol.
    expect(second).toContain(`THOUGHT-${at}-${wire}`);
    expect(second).toContain(`"call_${at}"`);
  }
});

it('[LLM-across-wires] sends an image and a stage of Agent Mode over each protocol', async () => {
  const png = drawnPng(40, 30);
  const order = [...wireNames, ...wireNames.toReversed()];
  const look = (at: number) => ({
    code: `return { summary: 'looked', state: { found: 'FOUND-${at}' } };`,
    then: 'look',
  });
  harness = await startMain({
    replies: order.flatMap((wire, at) => [
      { text: `A picture, over ${wire}.` },
      { toolCalls: [{ id: `plan_${at}`, name: 'submit_plan', arguments: look(at) }] },
      { text: `It is done over ${wire}.` },
    ]),
  });
  const { app, home, sessionId } = harness;
  writeFileSync(join(home, 'shot.png'), png);
  for (const wire of wireNames) addProvider(wire);
  for (const [at, wire] of order.entries()) {
    choose(wire);
    const attached = await app.attach({
      source: { type: 'path', path: 'shot.png' },
      base: home,
      confirmed: false,
    });
    if (!attached.ok || attached.value.type !== 'attached') throw new Error(JSON.stringify(attached));
    const line = {
      ...{ sessionId, text: `What is in picture ${at}?`, runMode: 'ask' as const, ui: true },
      ...{ model: await app.chosenModel(), items: [attached.value.item] },
    };
    const sent = await app.lines.send(line);
    if (!sent.ok) throw new Error(sent.error.message);
    await sent.value.done;
    const asked = JSON.stringify(bodies().at(-1));
    expect(asked).toContain(Buffer.from(png).toString('base64'));
    if (at > 0) expect(asked).toContain(`It is done over ${order[at - 1]}.`);

    const { run } = await harness.say(`Look ${at}`, { runMode: 'agent' });
    expect(run).toMatchObject({ status: 'done', answer: `It is done over ${wire}.` });
    const [planning, looking] = bodies()
      .slice(-2)
      .map((body) => JSON.stringify(body));
    expect(planning).toContain(`A picture, over ${wire}.`);
    expect(looking).toContain(`FOUND-${at}`);
  }
});
