import { expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { createMemoryArtifacts } from '../../testing/in-process-sandbox';
import type { NodeOutcome } from './node-run';
import { readResultText } from './observation';

const done = (state: JsonObject): readonly NodeOutcome[] => [
  { id: 'work', status: 'done', summary: '', state, origins: [], cached: false },
];

const read = async (state: JsonObject, args: object, count = async (text: string) => text.length / 4) => {
  const call = { id: 'r', name: 'read_result', argumentsJson: JSON.stringify({ id: 'work', ...args }) };
  const text = await readResultText(call, done(state), createMemoryArtifacts(), count);
  return { text, part: JSON.parse(text) as JsonObject };
};

const firstOf = ({ value }: JsonObject) => (value as readonly unknown[])[0];

it('[STG-observation] a part of a result takes at most 1,500 tokens, also of text with a token per letter', async () => {
  const rows = Array.from({ length: 900 }, (_, n) => `第${n}行：这一行说明了文件的内容`);
  const perLetter = async (text: string) => text.length;
  const { text, part } = await read({ rows }, { path: '/rows' }, perLetter);
  expect(text.length).toBeLessThanOrEqual(1_500);
  expect(part).toMatchObject({ from: 1, total: 900, more: true });
  const next = await read({ rows }, { path: '/rows', from: Number(part['to']) + 1 }, perLetter);
  expect(firstOf(next.part)).toBe(rows[Number(part['to'])]);
});

it('[STG-observation] lines that contain a text continue after the last one shown', async () => {
  const text = Array.from({ length: 2_000 }, (_, n) => `line ${n + 1} ${n % 2 ? 'odd' : 'even'}`).join('\n');
  const { part } = await read({ text }, { path: '/text', grep: 'even' });
  const shown = part['value'] as readonly { readonly line: number }[];
  expect(part).toMatchObject({ more: true, to: (shown.at(-1)?.line ?? 0) + 1 });
  const { part: next } = await read({ text }, { path: '/text', grep: 'even', from: Number(part['to']) + 1 });
  expect(firstOf(next)).toMatchObject({ line: (shown.at(-1)?.line ?? 0) + 2 });
});

it('[STG-observation] a shape that does not get shorter is made twice at most', async () => {
  const keys = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`key-${n}`, 'x'.repeat(20)]));
  let counts = 0;
  const { part } = await read({ keys }, { path: '/keys' }, async (text) => ((counts += 1), text.length * 2));
  expect(part).toMatchObject({ hint: 'Give a path.' });
  expect(counts).toBeLessThanOrEqual(2);
});

it('[STG-observation] an item that is too long is shown by its shape', async () => {
  const items = [{ name: 'a', text: 'x'.repeat(9_000) }, 'short'];
  const { part } = await read({ items }, { path: '/items' });
  expect(part).toMatchObject({ shape: { keys: { text: { type: 'string', bytes: 9_000 } } }, more: true });
  expect((await read({ items }, { path: '/items', from: 2 })).part).toMatchObject({
    value: ['short'],
    more: false,
  });
});

it('[STG-observation] a wrong id is answered with the ids there are, and arguments without one with what is needed', async () => {
  const wrong = await read({ rows: [] }, { id: 'wrok' });
  expect(wrong.part).toMatchObject({ error: { code: 'NOT_FOUND', hint: 'It has: work.' } });
  const none = await read({ rows: [] }, { id: undefined });
  expect(none.part).toMatchObject({ error: { code: 'INVALID_INPUT' } });
});

it('[STG-observation] behind the last line or item there is nothing more', async () => {
  const lines = await read({ text: 'a\nb' }, { path: '/text', from: 3 });
  expect(lines.part).toMatchObject({ text: '', total: 2, more: false });
  const items = await read({ items: ['a', 'b'] }, { path: '/items', from: 3 });
  expect(items.part).toMatchObject({ value: [], total: 2, more: false });
});

it('[STG-observation] a range that ends before it begins is one line or item', async () => {
  const backwards = { from: 2, to: 1 };
  const items = await read({ items: ['a', 'b', 'c'] }, { path: '/items', ...backwards });
  expect(items.part).toEqual({ value: ['b'], from: 2, to: 2, total: 3, more: true });
  const lines = await read({ text: 'a\nb\nc' }, { path: '/text', ...backwards });
  expect(lines.part).toEqual({ text: 'b', from: 2, to: 2, total: 3, more: true });
});
