import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDelta, catchUp, type LiveReply } from './live-replies';

const none: LiveReply = { text: '', waiting: [] };

describe('live replies', () => {
  it('append new text, ignore known text, and merge overlaps', () => {
    const one = addDelta(undefined, { offset: 0, text: 'Hello' });
    expect(addDelta(one, { offset: 5, text: ' you' }).text).toBe('Hello you');
    expect(addDelta(one, { offset: 1, text: 'ell' }).text).toBe('Hello');
    expect(addDelta(one, { offset: 3, text: 'lo you' }).text).toBe('Hello you');
  });

  it('hold a delta that begins beyond the known text until saved text fills the gap', () => {
    const early = addDelta(none, { offset: 6, text: 'world' });
    expect(early.text).toBe('');
    const filled = catchUp(early, 'Hello ');
    expect(filled).toEqual({ text: 'Hello world', waiting: [] });
  });

  it('never shrink when saved text is behind the live text', () => {
    const ahead = addDelta(none, { offset: 0, text: 'Hello world' });
    expect(catchUp(ahead, 'Hello').text).toBe('Hello world');
  });

  it('contain the whole text in any split, order and repetition', () => {
    const cuts = fc.array(fc.nat(60), { maxLength: 12 });
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 60 }),
        cuts,
        fc.infiniteStream(fc.nat()),
        (text, at, picks) => {
          const edges = [...new Set([0, text.length, ...at.filter((cut) => cut < text.length)])].sort(
            (a, b) => a - b,
          );
          const pieces = edges.slice(0, -1).map((from, index) => {
            const to = edges[index + 1] ?? text.length;
            return { offset: from, text: text.slice(Math.max(0, from - 1), to), shift: from > 0 ? 1 : 0 };
          });
          const deltas = pieces.map(({ offset, text: piece, shift }) => ({
            offset: offset - shift,
            text: piece,
          }));
          const keyed = [...deltas, ...deltas].map((delta) => ({ delta, key: Number(picks.next().value) }));
          const shuffled = keyed.sort((a, b) => a.key - b.key).map(({ delta }) => delta);
          const reply = shuffled.reduce<LiveReply>(addDelta, none);
          expect(reply).toEqual({ text, waiting: [] });
        },
      ),
    );
  });
});
