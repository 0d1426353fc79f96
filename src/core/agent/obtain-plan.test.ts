import { describe, expect, it } from 'vitest';
import type { ProviderModels } from '#shared/model';
import { ok } from '#shared/result';
import { boxHarness } from '../../testing/agent-plans';
import type { ModelClient, ModelRequest } from '../ports/llm';

const plan = { code: 'return { summary: "done" };', answer: 'Done.' };
const call = { id: 'c', name: 'submit_plan', argumentsJson: JSON.stringify(plan) };

const provider = (providerId: string, contextTokens?: Record<string, number>): ProviderModels => ({
  ...{ providerId, name: providerId, source: 'configured', hasKey: true, models: [] },
  ...(contextTokens && { contextTokens }),
});

/** A model that submits one plan, on a provider that says how much context its models take. */
function modelWith(providers: readonly ProviderModels[]) {
  const requests: ModelRequest[] = [];
  let lists = 0;
  const models: ModelClient = {
    async *stream(request) {
      await Promise.resolve();
      requests.push(request);
      yield { type: 'tool-call', call };
      yield { type: 'end', inputTokens: 1, outputTokens: 1 };
    },
    listModels: () => ((lists += 1), Promise.resolve(providers)),
    providerName: (id) => id,
    defaultModel: () => Promise.resolve({ providerId: 'local', model: 'small' }),
    setupProblem: () => null,
    probe: () => Promise.resolve(ok([])),
  };
  return { models, requests, lists: () => lists };
}

describe('[STG-conversation] the earlier turns in a planning call', () => {
  const turns = (count: number, length: number) =>
    Array.from({ length: count }, (_, at) => ({
      line: `line ${at}`,
      answer: `${at} ${'word '.repeat(length)}`,
    }));
  const sent = async (providers: readonly ProviderModels[], conversation: ReturnType<typeof turns>) => {
    const model = modelWith(providers);
    const report = await boxHarness({ models: model.models }).run({ conversation });
    expect(report.outcome).toBe('done');
    const messages = model.requests[0]?.messages.slice(1, -1) ?? [];
    return { first: messages[0]?.content, count: messages.length, lists: model.lists() };
  };
  const local = (tokens: number) => provider('local', { small: tokens });
  const other = provider('other', { small: 10 });

  it('take a quarter of the context of the model, if that is known', async () => {
    const long = turns(4, 500);
    expect(await sent([other, local(1_000_000)], long)).toMatchObject({ first: 'line 0', count: 8 });
    const short = await sent([other, local(8_000)], long);
    expect(short.first).toMatch(/^\[\d earlier turns? left out\]$/);
    expect(short.count).toBeLessThan(8);
    for (const unknown of [[], [other], [provider('local')], [provider('local', { x: 1 })]])
      expect(await sent(unknown, long)).toMatchObject({ first: 'line 0', count: 8, lists: 1 });
  });

  it('are sent whole where they fit any model, which is then not asked for its size', async () => {
    expect(await sent([local(10)], turns(4, 20))).toEqual({ first: 'line 0', count: 8, lists: 0 });
  });
});
