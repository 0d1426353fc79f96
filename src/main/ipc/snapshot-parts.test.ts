import { expect, it } from 'vitest';
import { err, ok, type Result } from '#shared/result';
import { appError } from '#shared/app-error';
import type { SessionState } from '#shared/session-state';
import { askFacts, sessionOf } from '../../testing/sample-session';
import { must } from '../../testing/stored-session';
import type { OpenedSession } from '../../core/session/session-writer';
import { createSnapshotParts } from './snapshot-parts';

const long = (turns: number): SessionState =>
  sessionOf(
    Array.from({ length: turns }, (_, turn) =>
      askFacts({ turn, reply: `${turn} ${'word '.repeat(200)}`, outcome: 'done' }),
    ).flat(),
  );

/** Main with one session that can change while it is read. */
function main(first: SessionState) {
  let state = first;
  const open = (): Result<OpenedSession> => ok({ state, readOnly: null, scanned: true });
  return { parts: createSnapshotParts({ open }), change: (next: SessionState) => (state = next) };
}

it('[SCALE-open-frames] a long session is sent in parts of limited size that give the same session', () => {
  const state = long(1_000);
  const { parts, change } = main(state);
  const first = must(parts.part('s', undefined));
  expect(first.next).not.toBeNull();
  const session = JSON.parse(first.text) as SessionState;
  const blocks = [...session.blocks];
  const lengths = [first.text.length];
  // Changes in the meantime arrive as events: the snapshot stays the same.
  change(long(2));
  for (let { next } = first; next;) {
    const part = must(parts.part(state.id, next));
    lengths.push(part.text.length);
    blocks.push(...(JSON.parse(part.text) as SessionState['blocks']));
    next = part.next;
  }
  expect({ ...session, blocks }).toEqual(state);
  expect(lengths.length).toBeGreaterThan(3);
  expect(Math.max(...lengths)).toBeLessThan(512 * 1_024);
});

it('[SCALE-open-frames] a short session is one part; a part of an expired state is HOST/STATE', () => {
  const state = long(3);
  const { parts } = main(state);
  const only = must(parts.part('s', undefined));
  expect(only.next).toBeNull();
  expect(JSON.parse(only.text)).toEqual(state);
  expect(parts.part('s', { seq: state.seq, block: 1 })).toMatchObject({ error: { code: 'STATE' } });
  const missing = err(appError('HOST', 'NOT_FOUND', 'There is no such session.'));
  expect(createSnapshotParts({ open: () => missing }).part('s', undefined)).toEqual(missing);
});
