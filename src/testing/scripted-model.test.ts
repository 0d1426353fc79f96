import { afterEach, describe, expect, it } from 'vitest';
import { startScriptedModel, type Script, type ScriptedModel } from './scripted-model';

let model: ScriptedModel | undefined;
afterEach(async () => {
  await model?.close();
});

async function start(script: Script): Promise<ScriptedModel> {
  model = await startScriptedModel(script);
  return model;
}

const post = (text: string, more: object = {}) =>
  fetch(`${model?.baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }], ...more }),
  });
const said = async (response: Response) =>
  ((await response.json()) as { choices: { message: { content: string } }[] }).choices[0]?.message.content;

describe('a scripted model', () => {
  it('answers by match first, otherwise in sequence, and reports the end of the script', async () => {
    await start({
      replies: [{ match: /weather/, text: 'rain' }, { text: 'one' }, { text: 'two', times: 2 }],
    });
    const texts = [];
    for (const text of ['a', 'weather?', 'b', 'weather!', 'c']) texts.push(await said(await post(text)));
    expect(texts).toEqual(['one', 'rain', 'two', 'rain', 'two']);
    const over = await post('d');
    expect([over.status, await over.text()]).toEqual([400, expect.stringContaining('no reply for this')]);
  });

  it('keeps every request byte for byte', async () => {
    const server = await start({ replies: [], key: 'k' });
    const body = '{"a": "\u00fc",\n\t"b":1.50}';
    const response = await fetch(`${server.baseUrl}/chat/completions`, { method: 'POST', body });
    expect(response.status).toBe(401);
    expect(server.requests).toMatchObject([
      { index: 0, method: 'POST', path: '/v1/chat/completions', text: body },
    ]);
    expect(server.requests[0]?.body.equals(Buffer.from(body))).toBe(true);
  });

  it('streams parts one by one as they are released, with usage only on request', async () => {
    const server = await start({ replies: [{ text: 'one two', gated: true }, { text: 'x' }] });
    const response = await post('a', { stream: true, stream_options: { include_usage: true } });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let wire = '';
    const until = async (part: string) => {
      while (!wire.includes(part)) wire += (await reader?.read())?.value ?? '';
    };
    server.release(1);
    await until('one');
    expect(wire).not.toContain('two');
    server.release();
    await until('[DONE]');
    expect(wire).toContain('"completion_tokens":2');
    expect(await (await post('b', { stream: true })).text()).not.toContain('usage');
  });

  it('keeps its rate', async () => {
    await start({ replies: [{ text: 'word '.repeat(60), tokensPerSecond: 300 }] });
    const before = performance.now();
    await (await post('a', { stream: true })).text();
    expect(performance.now() - before).toBeGreaterThan(150);
  });
});
