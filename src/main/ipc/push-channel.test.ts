import type { Push, PushBatch } from '#shared/ipc';
import type { SessionEvent } from '#shared/session-event';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../testing/manual-clock';
import { createPushChannel } from './push-channel';

function openChannel({ listening = true } = {}) {
  const { clock, advance } = createManualClock();
  const sent: PushBatch[] = [];
  const channel = createPushChannel((batch) => sent.push(batch), clock);
  if (listening) channel.acknowledge(0);
  return { channel, advance, sent };
}

const delta = (offset: number, text: string, turn = 0): Push => ({
  type: 'reply-delta',
  sessionId: 'a',
  turn,
  offset,
  text,
});

const events = (from: number, count: number, sessionId = 'a'): Push => ({
  type: 'events',
  sessionId,
  events: Array.from({ length: count }, (_, index): SessionEvent => ({
    v: 1,
    sessionId,
    seq: from + index,
    at: 0,
    type: 'session-renamed',
    title: String(from + index),
  })),
});

describe('the push channel', () => {
  it('[IPC-push] sends at most one batch a frame, and none before the last one is acknowledged', () => {
    const { channel, advance, sent } = openChannel();
    for (let offset = 0; offset < 10_000; offset += 1) channel.push(delta(offset, 'x'));
    expect(sent).toHaveLength(0);
    advance(16);
    expect(sent).toEqual([{ batch: 1, pushes: [delta(0, 'x'.repeat(10_000))] }]);
    for (let frame = 0; frame < 100; frame += 1) {
      channel.push(delta(10_000 + frame, 'y'));
      advance(16);
    }
    expect(sent).toHaveLength(1);
    channel.acknowledge(1);
    expect(sent).toHaveLength(1);
    advance(16);
    expect(sent[1]).toEqual({ batch: 2, pushes: [delta(10_000, 'y'.repeat(100))] });
  });

  it('[IPC-push-first] sends the first push after a pause without waiting for a frame, together with others of the same moment', () => {
    const { channel, advance, sent } = openChannel();
    advance(500);
    channel.push(events(1, 1));
    channel.push(delta(0, 'a'));
    advance(0);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.pushes).toHaveLength(2);
    channel.acknowledge(1);
    channel.push(delta(1, 'b'));
    advance(15);
    expect(sent).toHaveLength(1);
    advance(1);
    expect(sent).toHaveLength(2);
  });

  it('waits for a window that listens, and starts over for a new one', () => {
    const { channel, advance, sent } = openChannel({ listening: false });
    channel.push(delta(0, 'early'));
    advance(1_000);
    expect(sent).toHaveLength(0);
    channel.acknowledge(0);
    advance(16);
    expect(sent).toHaveLength(1);
    channel.push(delta(5, ' and late'));
    advance(16);
    expect(sent).toHaveLength(1);
    channel.acknowledge(0);
    advance(16);
    expect(sent.at(-1)).toEqual({ batch: 1, pushes: [delta(5, ' and late')] });
  });

  it('ignores an acknowledgement of another batch', () => {
    const { channel, advance, sent } = openChannel();
    channel.push(delta(0, 'a'));
    advance(16);
    channel.push(delta(1, 'b'));
    channel.acknowledge(7);
    advance(16);
    expect(sent).toHaveLength(1);
  });

  it('keeps the order of pushes of different kinds, and joins only consecutive deltas', () => {
    const { channel, advance, sent } = openChannel();
    const pushes = [delta(0, 'a'), delta(2, 'gap'), delta(5, 'other', 1), events(1, 1), events(2, 1, 'b')];
    for (const push of pushes) channel.push(push);
    channel.push(events(3, 2, 'b'));
    advance(16);
    expect(sent[0]?.pushes).toEqual([...pushes.slice(0, 4), { ...events(2, 3, 'b') }]);
  });

  it('has no backlog for a slow window: the newest event tells it to request the state again', () => {
    const { channel, advance, sent } = openChannel();
    channel.push(delta(0, 'text'));
    for (let seq = 1; seq <= 5_001; seq += 1) channel.push(events(seq, 1));
    advance(16);
    expect(sent[0]?.pushes).toEqual([events(5_001, 1)]);
  });
});
