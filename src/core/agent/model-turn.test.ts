import { expect, it } from 'vitest';
import { createManualClock } from '../../testing/manual-clock';
import type { ModelClient, ModelEvent } from '../ports/llm';
import { createTokenEstimate } from '../tools/model-usage';
import { modelTurn } from './model-turn';
import { createRunMeter } from './run-meter';

it('[AGENT-thinking] a reply says how long the model thought, before its words and between them', async () => {
  const { clock, advance } = createManualClock();
  const thinking = (text: string) => ({ type: 'thinking' as const, text });
  const parts = [thinking('One.'), { type: 'text' as const, text: 'A' }, thinking('Two.')];
  const steps: readonly (ModelEvent | number)[] = [
    ...[2_000, thinking('One.'), 3_000, { type: 'text' as const, text: 'A' }],
    ...[9_000, thinking('Two.'), 1_000],
    { type: 'end', inputTokens: 1, outputTokens: 1, parts },
  ];
  async function* stream(): AsyncGenerator<ModelEvent> {
    for (const step of steps) {
      if (typeof step !== 'number') yield step;
      else advance(step);
      await Promise.resolve();
    }
  }
  const models = { stream } as unknown as ModelClient;
  const meter = createRunMeter({ estimate: createTokenEstimate(), clock, onCall: () => undefined });
  const request = { model: { providerId: 'p', model: 'm' }, messages: [] };
  const { reply } = await modelTurn(models, request, meter, new AbortController().signal, { part: 'plan' });
  expect(reply).toMatchObject({
    ok: true,
    value: { parts: [{ ...parts[0], ms: 4_000 }, parts[1], parts[2]] },
  });
});

it.each([
  ['plan', 'Ask for less at once, or choose a model with longer replies.'],
  ['repair', 'Ask for less at once, or choose a model with longer replies.'],
  ['node', 'Ask for less in one step, or choose a model with longer replies.'],
  ['answer', 'Ask for a shorter answer, or choose a model with longer replies.'],
] as const)('a cut reply of the part %s is never to be continued', async (part, hint) => {
  const error = { kind: 'LLM', code: 'CONTEXT_LIMIT', message: 'Cut.', hint: 'Ask it to continue.' } as const;
  async function* stream(): AsyncGenerator<ModelEvent> {
    yield await Promise.resolve({ type: 'error', error: { ...error, retryable: false }, cut: true } as const);
  }
  const models = { stream } as unknown as ModelClient;
  const { clock } = createManualClock();
  const meter = createRunMeter({ estimate: createTokenEstimate(), clock, onCall: () => undefined });
  const request = { model: { providerId: 'p', model: 'm' }, messages: [] };
  const { reply } = await modelTurn(models, request, meter, new AbortController().signal, { part });
  expect(reply).toMatchObject({ ok: false, error: { code: 'CONTEXT_LIMIT', message: 'Cut.', hint } });
});
