import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AppError } from '#shared/app-error';
import { localProviderId } from '#shared/local-model';
import type { ModelEvent, ModelRequest } from '../../../core/ports/llm';
import { buildEntry } from '../../../testing/build-entry';
import { createManualClock } from '../../../testing/manual-clock';
import { must } from '../../../testing/stored-session';
import { testLock } from '../../../testing/test-lock';
import { offeredTiny, tinyGguf } from '../../../testing/tiny-gguf';
import { createLocalModels, localMessages, withCalls } from './local-models';
import { createModelDownload } from './model-download';
import { createModelFolder } from './model-folder';
import { createModelRunner, threadsFor } from './model-runner';
import { startChildProcess } from '../system/message-process';
import type { ModelProcess } from './messages';

const home = mkdtempSync(join(tmpdir(), 'patina-local-'));
const file = join(home, 'My tiny model.gguf');
let bundle = '';
beforeAll(async () => {
  writeFileSync(file, tinyGguf());
  bundle = await buildEntry('main/adapters/local-model/model-process.ts', ['node-llama-cpp']);
}, 120_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

let close = (): void => undefined;
afterEach(() => close());

interface Options {
  readonly freeMemory?: number;
  /** Free memory now; without it, always all. */
  readonly measure?: () => number;
  readonly start?: () => ModelProcess;
}

function createModels({
  freeMemory = 8e9,
  measure = () => freeMemory,
  start = startChildProcess(bundle),
}: Options = {}) {
  const time = createManualClock();
  const started: ModelProcess[] = [];
  const runner = createModelRunner({
    start: () => {
      const process = start();
      started.push(process);
      return process;
    },
    machine: { cores: 2, load: () => 0, freeMemory: measure },
    clock: time.clock,
  });
  const folder = createModelFolder(home);
  const models = createLocalModels({
    folder,
    runner,
    download: createModelDownload({ folder, clock: time.clock, lock: testLock }),
    offered: offeredTiny('http://127.0.0.1:9/tiny.gguf'),
    mirror: () => '',
    memory: { free: () => freeMemory, total: freeMemory },
  });
  close = models.close;
  return { models, runner, started, time };
}

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: { providerId: localProviderId, model: 'My-tiny-model' },
  messages: [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hello.' },
  ],
  maxOutputTokens: 24,
  ...more,
});

const never = new AbortController().signal;
async function all(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const seen: ModelEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}
const textOf = (events: readonly ModelEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');

describe('[LOCAL-import] a GGUF file', () => {
  it('is copied under a plain name, with its trained context size', async () => {
    const { models } = createModels();
    expect(must(await models.add(file))).toMatchObject({ name: 'My-tiny-model', contextTokens: 8_192 });
    expect(models.provider()).toMatchObject({
      providerId: localProviderId,
      source: 'local',
      models: ['My-tiny-model'],
      abilities: { 'My-tiny-model': { tools: false, images: false } },
    });
    expect(readdirSync(join(home, 'models'))).toEqual(['My-tiny-model.gguf']);
  });

  const whole = tinyGguf();
  const versioned = Buffer.from(whole);
  versioned.writeUInt32LE(1, 4);
  // The name of the architecture is the first value, after its key and its type.
  const renamed = Buffer.from(whole);
  renamed.write('gen', whole.indexOf('general.architecture'), 'latin1');
  renamed.write('X', whole.indexOf('general.architecture') + 3, 'latin1');
  const header = Buffer.from('GGUF\u0003\0\0\0');

  it.each<[string, string | Buffer, RegExp]>([
    ['an empty file', '', /: it is empty\./],
    ['a zip file', 'PK\u0003\u0004 something', /: it does not begin with “GGUF”\./],
    ['zeros', '\0'.repeat(100), /: it does not begin with “GGUF”\./],
    ['a web page', '<!doctype html>\r\n\t<title>Sign in</title>', /: it is a text, such as a web page/],
    ['four bytes', 'GGUF', /: it ends before its header is complete\./],
    ['a version alone', header, /: it ends before its header is complete\./],
    ['half a header', whole.subarray(0, 10_000), /: it ends before its header is complete\./],
    [
      'half the weights',
      whole.subarray(0, 1_000_000),
      /: it has 1000000 bytes, and its last weights begin after \d{7}\./,
    ],
    ['an old version', versioned, /: its format has the version 1, and Patina reads 2 and 3\./],
    [
      'a count of keys that is too large',
      Buffer.concat([header, Buffer.alloc(16, 1)]),
      /: its header is damaged\./,
    ],
    ['another kind of file', renamed, /: its header names no architecture\./],
  ])('[LOCAL-import-why] is refused with the reason when it is %s', async (_, content, reason) => {
    const { models } = createModels();
    const other = join(home, 'other.gguf');
    writeFileSync(other, content);
    const { error } = (await models.add(other)) as { error?: AppError };
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringMatching(reason) as string });
    expect(error?.hint).toMatch(/ends before|bytes/.test(error?.message ?? '') ? /again/ : /\.gguf/);
    expect(readdirSync(join(home, 'models'))).toEqual(['My-tiny-model.gguf']);
  });

  it('[LOCAL-import-why] is refused when it is missing, or a folder', async () => {
    const { models } = createModels();
    expect(await models.add(join(home, 'none.gguf'))).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(await models.add(home)).toMatchObject({
      error: { code: 'INVALID_INPUT', message: `${home} is a folder, not a GGUF model.` },
    });
    expect(models.remove('../../etc')).toMatchObject({ ok: false });
    expect(readdirSync(join(home, 'models'))).toEqual(['My-tiny-model.gguf']);
  });
});

describe('[LOCAL-reply] a model on this computer', () => {
  it('loads for the first reply, streams, counts tokens and reuses the conversation in its cache', async () => {
    const { models, started } = createModels();
    const first = await all(models.stream(request(), never));
    expect(first.filter(({ type }) => type === 'text').length).toBeGreaterThan(3);
    const firstEnd = first.at(-1);
    expect(firstEnd).toMatchObject({ type: 'error', cut: true, usage: { outputTokens: 24 } });
    const messages = [
      ...request().messages,
      { role: 'assistant' as const, content: textOf(first) },
      { role: 'user' as const, content: 'And?' },
    ];
    const second = await all(models.stream(request({ messages }), never));
    const usage = second.at(-1);
    const counts = usage && 'usage' in usage ? usage.usage : usage;
    expect(counts).toMatchObject({ cachedTokens: expect.any(Number) as number });
    expect((counts as { cachedTokens: number }).cachedTokens).toBeGreaterThan(10);
    expect(started).toHaveLength(1);
  }, 240_000);

  it('stops immediately, and answers the next line in the same process', async () => {
    const { models, started } = createModels();
    const stop = new AbortController();
    const seen: ModelEvent[] = [];
    for await (const event of models.stream(request({ maxOutputTokens: 1_500 }), stop.signal)) {
      seen.push(event);
      if (event.type === 'text') stop.abort();
    }
    expect(seen.at(-1)).toMatchObject({ type: 'error', error: { code: 'CANCELLED' } });
    expect(textOf(await all(models.stream(request(), never)))).not.toBe('');
    expect(started).toHaveLength(1);
  }, 240_000);

  it('writes JSON that fits a schema', async () => {
    const { models } = createModels();
    const schema = {
      type: 'object',
      properties: { id: { enum: ['duplicates', 'none'] }, sure: { type: 'boolean' } },
      required: ['id', 'sure'],
      additionalProperties: false,
    };
    const Wanted = z.strictObject({ id: z.enum(['duplicates', 'none']), sure: z.boolean() });
    const json = textOf(
      await all(
        models.stream(request({ responseFormat: { type: 'json', schema }, maxOutputTokens: 400 }), never),
      ),
    );
    expect(Wanted.safeParse(JSON.parse(json)).error).toBeUndefined();
  }, 240_000);

  it('answers two concurrent lines one after the other', async () => {
    const { models, started } = createModels();
    const both = await Promise.all([
      all(models.stream(request(), never)),
      all(models.stream(request(), never)),
    ]);
    expect(both.map((events) => textOf(events) !== '')).toEqual([true, true]);
    expect(started).toHaveLength(1);
  }, 240_000);

  it('reports that a conversation is longer than its context', async () => {
    const { models } = createModels();
    const messages = [{ role: 'user' as const, content: 'word '.repeat(20_000) }];
    expect(await all(models.stream(request({ messages }), never))).toMatchObject([
      { type: 'error', error: { kind: 'LLM', code: 'CONTEXT_LIMIT' } },
    ]);
  }, 240_000);
});

describe('[LOCAL-process] the process of a model', () => {
  it('that is killed during a reply is an error of that line only; the next line restarts it', async () => {
    const { models, started } = createModels();
    const seen: ModelEvent[] = [];
    for await (const event of models.stream(request({ maxOutputTokens: 1_500 }), never)) {
      seen.push(event);
      if (event.type === 'text') started[0]?.kill();
    }
    expect(seen.at(-1)).toMatchObject({ type: 'error', error: { code: 'UNAVAILABLE', retryable: true } });
    expect(textOf(await all(models.stream(request(), never)))).not.toBe('');
    expect(started).toHaveLength(2);
  }, 240_000);

  it('is unloaded when nobody uses it, and not before', async () => {
    const { models, runner, time } = createModels();
    await all(models.stream(request(), never));
    time.advance(4 * 60_000);
    expect(runner.loaded()).toBe(true);
    await all(models.stream(request(), never));
    time.advance(4 * 60_000);
    expect(runner.loaded()).toBe(true);
    time.advance(60_000);
    expect(runner.loaded()).toBe(false);
  }, 240_000);

  it('is not started when memory is too small', async () => {
    const bytes = must(await createModels().models.add(file)).bytes;
    const { models, started } = createModels({ freeMemory: bytes * 2.2 });
    expect(await all(models.stream(request(), never))).toMatchObject([
      {
        type: 'error',
        unanswered: true,
        error: { code: 'UNAVAILABLE', message: expect.stringMatching(/memory/) as string },
      },
    ]);
    expect(started).toHaveLength(0);
  });

  it('reports a damaged file, and continues with another', async () => {
    const { models } = createModels();
    mkdirSync(join(home, 'models'), { recursive: true });
    writeFileSync(join(home, 'models', 'damaged.gguf'), tinyGguf().subarray(0, 200_000));
    const model = { providerId: localProviderId, model: 'damaged' };
    expect(await all(models.stream(request({ model }), never))).toMatchObject([
      {
        type: 'error',
        error: { code: 'UNAVAILABLE', message: expect.stringMatching(/could not be loaded/) as string },
      },
    ]);
    expect(textOf(await all(models.stream(request(), never)))).not.toBe('');
    must(models.remove('damaged'));
    expect(existsSync(join(home, 'models', 'damaged.gguf'))).toBe(false);
  }, 240_000);

  it('that sends an unknown message, or ends immediately, is an error', async () => {
    const odd = (act: 'lie' | 'end') => (): ModelProcess => {
      let end = (): void => undefined;
      let say = (_message: unknown): void => undefined;
      return {
        send: () => (act === 'lie' ? say({ type: 'loaded?' }) : end()),
        onMessage: (listener) => (say = listener),
        onExit: (listener) => (end = listener),
        kill: () => undefined,
      };
    };
    for (const act of ['lie', 'end'] as const) {
      const { models, runner } = createModels({ start: odd(act) });
      const events = await all(models.stream(request(), never));
      expect(events).toMatchObject([{ type: 'error', error: { code: 'UNAVAILABLE' } }]);
      expect(runner.loaded()).toBe(false);
    }
  });

  /** A process that answers each reply with `said`, with the id of the reply. */
  const scripted =
    (load: object, said: readonly object[] = []) =>
    (): ModelProcess => {
      let say = (_message: unknown): void => undefined;
      let end = (): void => undefined;
      const endOnce = (): void => {
        const listener = end;
        end = () => undefined;
        setImmediate(listener);
      };
      return {
        send: (message) => {
          if (message.type === 'load') say(load);
          if (message.type === 'reply') for (const each of said) say({ id: message.id, ...each });
        },
        onMessage: (listener) => (say = listener),
        onExit: (listener) => (end = listener),
        kill: endOnce,
      };
    };
  const whole = { inputTokens: 1, cachedTokens: 0, outputTokens: 1, reason: 'complete' };
  const fault = { type: 'reply-failed', detail: 'no slot left', tooLong: false };

  it('that reports a failed reply stays, and answers the next line', async () => {
    must(await createModels().models.add(file));
    const answers = [
      [{ type: 'text', text: 'He' }, fault],
      [
        { type: 'text', text: 'Hello' },
        { type: 'end', ...whole },
      ],
    ];
    const said: object[] = [];
    const { models, started } = createModels({ start: scripted({ type: 'loaded' }, said) });
    said.push(...(answers[0] ?? []));
    expect(await all(models.stream(request(), never))).toMatchObject([
      { type: 'text', text: 'He' },
      {
        type: 'error',
        error: {
          code: 'UNAVAILABLE',
          retryable: true,
          message: expect.stringMatching(/could not answer: no slot left/) as string,
        },
      },
    ]);
    said.splice(0, said.length, ...(answers[1] ?? []));
    expect(textOf(await all(models.stream(request(), never)))).toBe('Hello');
    expect(started).toHaveLength(1);
  });

  it('that reports a failed load says why, and is not used again', async () => {
    must(await createModels().models.add(file));
    const failing = (memory: boolean) =>
      scripted({ type: 'load-failed', detail: 'cannot map the file', memory });
    for (const [memory, message] of [
      [false, /could not be loaded: cannot map the file/],
      [true, /needs about .* of memory/],
    ] as const) {
      const { models, runner, started } = createModels({ start: failing(memory) });
      for (const count of [1, 2]) {
        expect(await all(models.stream(request(), never))).toMatchObject([
          {
            type: 'error',
            unanswered: true,
            error: { code: 'UNAVAILABLE', message: expect.stringMatching(message) as string },
          },
        ]);
        expect([runner.loaded(), started.length]).toEqual([false, count]);
      }
    }
  });

  it('that speaks of another reply is not heard', async () => {
    must(await createModels().models.add(file));
    const other = { type: 'text', id: 77, text: 'of another' };
    const said = [other, { ...fault, id: 77 }, { type: 'text', text: 'mine' }, { type: 'end', ...whole }];
    const { models } = createModels({ start: scripted({ type: 'loaded' }, said) });
    const events = await all(models.stream(request(), never));
    expect(textOf(events)).toBe('mine');
    expect(events.at(-1)).toMatchObject({ type: 'end' });
  });

  it('that is still loading ends when the user stops, and the next message starts another', async () => {
    const ends: (() => void)[] = [];
    const loading = (): ModelProcess => ({
      send: () => undefined,
      onMessage: () => undefined,
      onExit: (listener) => void ends.push(listener),
      kill: () => ends.splice(0).forEach((end) => end()),
    });
    const { models, started, runner } = createModels({ start: loading });
    for (const count of [1, 2]) {
      const stop = new AbortController();
      const events = all(models.stream(request(), stop.signal));
      await expect.poll(() => started.length).toBe(count);
      stop.abort();
      expect(await events).toMatchObject([{ type: 'error', error: { code: 'CANCELLED' } }]);
      await expect.poll(() => runner.loaded()).toBe(false);
    }
  });

  it('has ended before the memory for the next model is measured', async () => {
    must(await createModels().models.add(file));
    let running = 0;
    const large = (): ModelProcess => {
      running += 1;
      let say = (_message: unknown): void => undefined;
      let end = (): void => undefined;
      return {
        send: (message) => {
          if (message.type === 'load') say({ type: 'loaded' });
          if (message.type === 'reply')
            say({
              type: 'end',
              id: message.id,
              inputTokens: 1,
              cachedTokens: 0,
              outputTokens: 1,
              reason: 'complete',
            });
        },
        onMessage: (listener) => (say = listener),
        onExit: (listener) => (end = listener),
        // A system needs a moment to take back the memory.
        kill: () =>
          void setImmediate(() => {
            running -= 1;
            end();
          }),
      };
    };
    const { models, started } = createModels({ start: large, measure: () => (running > 0 ? 0 : 8e9) });
    const second = join(home, 'second.gguf');
    writeFileSync(second, tinyGguf());
    const other = must(await models.add(second)).name;
    expect(await all(models.stream(request(), never))).toMatchObject([{ type: 'end' }]);
    const model = { providerId: localProviderId, model: other };
    expect(await all(models.stream(request({ model }), never))).toMatchObject([{ type: 'end' }]);
    expect(started).toHaveLength(2);
    must(models.remove(other));
  });

  it('that never loads is an error after five minutes, and ends', async () => {
    let killed = 0;
    const silent = (): ModelProcess => ({
      send: () => undefined,
      onMessage: () => undefined,
      onExit: () => undefined,
      kill: () => (killed += 1),
    });
    const { models, started, time } = createModels({ start: silent });
    const events = all(models.stream(request(), never));
    await expect.poll(() => started.length).toBe(1);
    time.advance(5 * 60_000 - 1);
    expect(killed).toBe(0);
    time.advance(1);
    expect(await events).toMatchObject([
      { type: 'error', error: { message: expect.stringMatching(/did not load in time/) as string } },
    ]);
    expect(killed).toBe(1);
  });

  it('that cannot be started is an error of that line only', async () => {
    const starts = [
      () => {
        throw new Error('spawn EAGAIN');
      },
      startChildProcess(bundle),
    ];
    const { models } = createModels({ start: () => (starts.shift() as () => ModelProcess)() });
    expect(await all(models.stream(request(), never))).toMatchObject([
      {
        type: 'error',
        unanswered: true,
        error: {
          code: 'UNAVAILABLE',
          message: expect.stringMatching(/could not be started.*EAGAIN/) as string,
        },
      },
    ]);
    expect(textOf(await all(models.stream(request(), never)))).not.toBe('');
  }, 240_000);

  it('that does not stop on request is killed', async () => {
    let killed = 0;
    let say = (_message: unknown): void => undefined;
    const deaf = (): ModelProcess => ({
      send: ({ type }) => (type === 'load' ? say({ type: 'loaded' }) : undefined),
      onMessage: (listener) => (say = listener),
      onExit: () => undefined,
      kill: () => (killed += 1),
    });
    const { models, time } = createModels({ start: deaf });
    const stop = new AbortController();
    const events = all(models.stream(request(), stop.signal));
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect(await events).toMatchObject([{ type: 'error', error: { code: 'CANCELLED' } }]);
    expect(killed).toBe(0);
    time.advance(3_000);
    expect(killed).toBe(1);
  });

  it('uses at most all cores but one, and one while others work', () => {
    const threads = (cores: number, load: number) =>
      threadsFor({ cores, load: () => load, freeMemory: () => 0 });
    expect([threads(8, 1), threads(8, 6), threads(2, 0), threads(1, 0)]).toEqual([7, 1, 1, 1]);
  });
});

describe('[LOCAL-messages] a conversation for a small model', () => {
  it('has one system message, then alternating user and assistant messages, with the user last', () => {
    expect(
      localMessages([
        { role: 'system', content: 'A.' },
        { role: 'system', content: 'B.' },
        { role: 'user', content: 'Find it.' },
        { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'read', argumentsJson: '{}' }] },
        { role: 'tool', toolCallId: '1', content: 'found' },
        { role: 'assistant', content: 'There.' },
      ]),
    ).toEqual([
      { role: 'system', content: 'A.\n\nB.' },
      { role: 'user', content: 'Find it.\n\nResult of a tool:\nfound' },
      { role: 'assistant', content: 'There.' },
      { role: 'user', content: 'Continue.' },
    ]);
  });
});

describe('[LOCAL-messages] a tool call as text', () => {
  const tools = [{ name: 'choose', description: '', parameters: {} }];
  const end: ModelEvent = { type: 'end', inputTokens: 1, outputTokens: 1 };
  const read = (pieces: readonly string[], last: ModelEvent = end) => {
    async function* events(): AsyncGenerator<ModelEvent> {
      for (const text of pieces) yield await Promise.resolve({ type: 'text' as const, text });
      yield last;
    }
    return all(withCalls(events(), tools));
  };

  it('becomes a call when it is the whole reply and names a function of the request', async () => {
    expect(await read([' ', '{"name": "choose",', ' "arguments": {"id": 1}}\n'])).toEqual([
      {
        type: 'tool-call',
        call: { id: expect.any(String) as string, name: 'choose', argumentsJson: '{"id":1}' },
      },
      end,
    ]);
  });

  it.each([
    ['words', ['I choose ', '{"name": "choose", "arguments": {}}']],
    ['a function that was not offered', ['{"name": "delete", "arguments": {}}']],
    ['JSON of another shape', ['{"name": "choose", "arguments": {}, "then": "look"}']],
    ['JSON that is cut', ['{"name": "choose"']],
  ])('stays text: %s', async (_, pieces) => {
    const events = await read(pieces);
    expect(textOf(events)).toBe(pieces.join(''));
    expect(events.at(-1)).toBe(end);
    expect(events.some(({ type }) => type === 'tool-call')).toBe(false);
  });

  it('of a failed reply stays text', async () => {
    const error: ModelEvent = {
      type: 'error',
      error: { kind: 'LLM', code: 'UNAVAILABLE', message: 'x', retryable: true },
    };
    expect(await read(['{"name": "choose", "arguments": {}}'], error)).toEqual([
      { type: 'text', text: '{"name": "choose", "arguments": {}}' },
      error,
    ]);
  });
});
