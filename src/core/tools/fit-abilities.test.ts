import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../ports/llm';
import { fitAbilities, maxReplyTokensOf } from './fit-abilities';

const image = { label: 'shot.png', mediaType: 'image/png', bytes: new Uint8Array([1]) };
const tool = { name: 't', description: '', parameters: {} };
const request: ModelRequest = {
  model: { providerId: 'lab', model: 'big' },
  messages: [
    { role: 'user', content: 'look', images: [image] },
    { role: 'assistant', content: 'A cat.' },
    { role: 'user', content: 'and now?' },
  ],
  tools: [tool],
  maxOutputTokens: 50_000,
};

describe('[CAP-used] a request for a model with known abilities', () => {
  it('is unchanged while nothing is known, or when the model can handle it', () => {
    expect(fitAbilities(request, {})).toEqual({ ok: true, value: request });
    const able = { images: true, tools: true, outputTokens: 100_000 };
    expect(fitAbilities(request, able)).toEqual({ ok: true, value: request });
  });

  it('has no tools and no longer reply than the model supports', () => {
    const fitted = fitAbilities(request, { tools: false, outputTokens: 8_192 });
    const { tools: _tools, ...rest } = request;
    expect(fitted).toEqual({ ok: true, value: { ...rest, maxOutputTokens: 8_192 } });
  });

  it('has a note in place of earlier images, and is refused for an image of its own line', () => {
    const fitted = fitAbilities(request, { images: false });
    expect(fitted.ok && fitted.value.messages[0]).toEqual({
      role: 'user',
      content: 'look\n\n[1 image left out: this model reads none]',
    });
    const withImage = { ...request, messages: request.messages.slice(0, 1) };
    expect(fitAbilities(withImage, { images: false })).toMatchObject({
      error: { kind: 'HOST', code: 'INVALID_INPUT', message: 'The model big reads no images.' },
    });
  });
});

it('[LLM-output-limit] the longest reply leaves room for the request in the context of the model', () => {
  const small = { messages: [{ role: 'user' as const, content: 'hi' }] };
  const large = { messages: [{ role: 'user' as const, content: 'x'.repeat(400_000) }] };
  expect(maxReplyTokensOf(small, { contextTokens: 200_000 })).toBeUndefined();
  expect(maxReplyTokensOf(large, { outputTokens: 64_000 })).toBe(64_000);
  expect(maxReplyTokensOf(small, { outputTokens: 64_000, contextTokens: 200_000 })).toBe(64_000);
  expect(maxReplyTokensOf(large, { outputTokens: 128_000, contextTokens: 200_000 })).toBe(70_000);
  expect(maxReplyTokensOf(large, { outputTokens: 64_000, contextTokens: 100_000 })).toBe(8_192);
  expect(maxReplyTokensOf(large, { outputTokens: 4_096, contextTokens: 100_000 })).toBe(4_096);
});

describe('[CAP-used] the images of earlier messages', () => {
  const fitted = (message: ModelRequest['messages'][number]) => {
    const end = { role: 'user' as const, content: 'and now?' };
    const result = fitAbilities({ ...request, messages: [message, end] }, { images: false });
    return result.ok ? result.value.messages[0] : undefined;
  };

  it('are counted in the note, which replaces an empty text', () => {
    expect(fitted({ role: 'user', content: '', images: [image, image] })).toEqual({
      role: 'user',
      content: '[2 images left out: this model reads none]',
    });
    expect(fitted({ role: 'system', content: 'a', images: [image] })).toEqual({
      role: 'system',
      content: 'a\n\n[1 image left out: this model reads none]',
    });
  });

  it('leave a message without images as it is', () => {
    const plain = { role: 'user' as const, content: 'a', images: [] };
    expect(fitted(plain)).toEqual(plain);
    const { messages } = { messages: request.messages.slice(1) };
    const result = fitAbilities({ ...request, messages }, { images: false });
    expect(result.ok && result.value.messages).toBe(messages);
  });
});

it('[CAP-used] the limit of a reply stays when the model can write more, and none is added', () => {
  const limit = (maxOutputTokens: number | undefined, outputTokens: number) => {
    const { maxOutputTokens: _limit, ...rest } = request;
    const asked = maxOutputTokens === undefined ? rest : { ...rest, maxOutputTokens };
    const fitted = fitAbilities(asked, { outputTokens });
    return fitted.ok && fitted.value.maxOutputTokens;
  };
  expect([limit(10, 20), limit(20, 10), limit(undefined, 10)]).toEqual([10, 10, undefined]);
  const { tools: _tools, ...without } = request;
  const fitted = fitAbilities(without, { tools: true });
  expect(fitted.ok && 'tools' in fitted.value).toBe(false);
});

it('[CAP-used] an image of the line is refused only where the model is known to read none', () => {
  const line = { ...request, messages: request.messages.slice(0, 1) };
  expect(fitAbilities(line, {}).ok).toBe(true);
  expect(fitAbilities(line, { images: false })).toMatchObject({
    error: { hint: expect.stringContaining('choose another model') as string },
  });
  const none = { ...request, messages: [{ role: 'assistant' as const, content: 'A cat.' }] };
  expect(fitAbilities(none, { images: false }).ok).toBe(true);
});
