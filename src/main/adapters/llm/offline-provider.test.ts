import { describe, expect, it } from 'vitest';
import { offlineModel, type ProviderModels } from '#shared/model';
import type { RecipeSummary } from '#shared/recipe';
import type { ModelRequest } from '../../../core/ports/llm';
import { eventsOf, textOf } from '../../../testing/scripted-model-client';
import type { OfflineFacts } from './offline-facts';
import { createOfflineProvider } from './offline-provider';

const duplicates: RecipeSummary = {
  id: 'find_duplicates',
  title: 'Find duplicate files',
  description: 'Compares sizes, then contents.',
  example: 'find duplicate files in ./docs',
  params: [],
};
const facts: OfflineFacts = { recipes: [duplicates], agentMode: { enabled: true } };

function provider(more: Partial<OfflineFacts> = {}) {
  return createOfflineProvider({
    matchRecipes: (text) => (text.includes('duplicate') ? [duplicates] : []),
    facts: () => ({ ...facts, ...more }),
  });
}
const request = (content: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: offlineModel,
  messages: [
    { role: 'system', content: 'find duplicate files' },
    { role: 'user', content },
  ],
  ...more,
});
const never = () => new AbortController().signal;

async function answer(
  content: string,
  others: readonly ProviderModels[] = [],
  more: Partial<OfflineFacts> = {},
) {
  return textOf(await eventsOf(provider(more).stream(request(content), never(), { others })));
}

describe('the offline provider', () => {
  it.each(['hi', 'Hello!', 'help', 'What can you do?', 'Please help', 'what is Patina?', 'list recipes'])(
    'explains what Patina is and does: %s',
    async (text) => {
      const said = await answer(text);
      expect(said).toContain("this is Patina's built-in text, not a model's");
      expect(said).toContain('**Agent Mode**');
      expect(said).toContain('"find duplicate files in ./docs"');
    },
  );

  it.each(['How do I connect a model?', 'use ollama', 'where do I enter my API key', 'set up LM Studio'])(
    'explains how to connect a model, step by step: %s',
    async (text) => {
      const said = await answer(text);
      for (const part of [
        '127.0.0.1:11434',
        '127.0.0.1:1234',
        'Settings → Models',
        'OPENAI_BASE_URL',
        'PATINA_MODEL',
      ]) {
        expect(said).toContain(part);
      }
    },
  );

  it('names the matching recipe and how to run it', async () => {
    const said = await answer('are there duplicate files here?');
    expect(said).toContain('**Find duplicate files**: Compares sizes, then contents.');
    expect(said).toContain('Switch to **Agent Mode**');
  });

  it('does not suggest an Agent Mode that is off', async () => {
    const off = { agentMode: { enabled: false, reason: 'turned off by PATINA_AGENT_MODE' } };
    expect(await answer('find duplicates', [], off)).toContain('is off: turned off by PATINA_AGENT_MODE');
    expect(await answer('what is 2 + 2?', [], off)).not.toContain('duplicate files');
  });

  it.each([
    'what is 2 + 2?',
    'hello world in C',
    'Write a poem about models of the moon',
    '',
    '¿qué hora es?',
  ])('never pretends to answer: %j', async (text) => {
    const said = await answer(text);
    expect(said).toContain('No model is connected, so I cannot answer that.');
    expect(said).not.toMatch(/\b4\b|main\(/);
  });

  it('suggests a model that is one click away', async () => {
    const ollama: ProviderModels = {
      providerId: 'ollama',
      name: 'Ollama',
      source: 'discovered',
      hasKey: false,
      models: ['llama3.2'],
    };
    expect(await answer('why?', [ollama])).toContain('**Ollama** (llama3.2) can answer now');
    expect(await answer('why?', [{ ...ollama, models: [] }])).not.toContain('can answer now');
  });

  it('returns the same parts for the same message, and more than one', async () => {
    const run = () => eventsOf(provider().stream(request('help'), never(), { others: [] }));
    const [first, second] = [await run(), await run()];
    expect(first).toEqual(second);
    expect(first.length).toBeGreaterThan(10);
    expect(first.at(-1)).toEqual({ type: 'end', inputTokens: 0, outputTokens: 0 });
  });

  it('stops when it is cancelled', async () => {
    const stop = new AbortController();
    const types: string[] = [];
    for await (const event of provider().stream(request('help'), stop.signal, { others: [] })) {
      types.push(event.type === 'error' ? event.error.code : event.type);
      stop.abort();
    }
    expect(types).toEqual(['text', 'CANCELLED']);
  });
});
