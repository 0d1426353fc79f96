import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KnownModels, knownModel } from './known-models';

const known = KnownModels.parse(JSON.parse(readFileSync('seeds/models.json', 'utf8')));

describe('[CTX-known] the list of known models', () => {
  it.each([
    ['gpt-4o-2024-08-06', 128_000],
    ['openai/gpt-4.1-mini', 1_047_576],
    ['gpt-4-0613', 8_192],
    ['claude-sonnet-4-5-20250929', 200_000],
    ['claude-sonnet-4-6', 1_000_000],
    ['gpt-5-chat-latest', undefined],
    ['gpt-4-32k', undefined],
    ['llama3.2:3b', undefined],
    ['o10', undefined],
  ])('knows the size of %s: %s', (id, size) => {
    expect(knownModel(known, id)?.contextTokens).toBe(size);
  });

  it('names a source for each model', () => {
    for (const { source } of known.models) expect(Object.keys(known.sources)).toContain(source);
  });
});
