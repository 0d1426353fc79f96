import { describe, expect, it } from 'vitest';
import { contextOf, listedAbilities, listedPrice, ModelList } from './model-list';

const read = (entry: Record<string, unknown>) => {
  const [model] = ModelList.parse({ data: [{ id: 'm', ...entry }] }).data;
  if (!model) throw new Error('The entry was dropped.');
  return { context: contextOf(model), abilities: listedAbilities(model), price: listedPrice(model) };
};

describe('[CAP-listed] the fields of model lists', () => {
  it('OpenRouter: sizes, abilities and prices per token', () => {
    expect(
      read({
        context_length: 200_000,
        architecture: { input_modalities: ['text', 'image'] },
        supported_parameters: ['tools', 'reasoning'],
        top_provider: { max_completion_tokens: 64_000 },
        pricing: {
          ...{ prompt: '0.000003', completion: '0.000015' },
          ...{ input_cache_read: '3e-7', input_cache_write: '0.00000375' },
        },
      }),
    ).toEqual({
      context: 200_000,
      abilities: { outputTokens: 64_000, images: true, tools: true, thinking: true },
      price: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 },
    });
  });

  it('OpenRouter: a price that varies is not a price', () => {
    expect(read({ pricing: { prompt: '-1', completion: '-1' } }).price).toBeNull();
  });

  it('Mistral, Groq, Gemini, Anthropic, and the field names of Ollama and llama.cpp', () => {
    expect(read({ capabilities: { vision: false, function_calling: true } }).abilities).toEqual({
      images: false,
      tools: true,
    });
    expect(read({ context_window: 131_072, max_completion_tokens: 8_192 })).toMatchObject({
      context: 131_072,
      abilities: { outputTokens: 8_192 },
    });
    expect(read({ inputTokenLimit: 1_048_576, outputTokenLimit: 65_536, thinking: true })).toMatchObject({
      context: 1_048_576,
      abilities: { outputTokens: 65_536, thinking: true },
    });
    const anthropic = {
      max_input_tokens: 200_000,
      max_tokens: 64_000,
      capabilities: { image_input: { supported: true }, thinking: { supported: true } },
    };
    expect(read(anthropic).abilities).toEqual({ outputTokens: 64_000, images: true, thinking: true });
    expect(read({ capabilities: ['completion', 'vision', 'tools'] }).abilities).toEqual({
      images: true,
      tools: true,
      thinking: false,
    });
  });

  it.each([
    [{ capabilities: 7, pricing: 'free', architecture: null, supported_parameters: { tools: 1 } }],
    [{ pricing: { prompt: {}, completion: '1e999999' }, thinking: 'yes', max_tokens: -1 }],
  ])('an invalid field counts as absent: %j', (entry) => {
    expect(read(entry)).toEqual({ context: undefined, abilities: {}, price: null });
  });
});
