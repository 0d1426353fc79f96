import { performance } from 'node:perf_hooks';
import { applyEvent } from '../src/shared/apply-event';
import type { SessionEvent, SessionFact } from '../src/shared/session-event';
import { emptySession, type SessionState } from '../src/shared/session-state';
import { activePath, newestAfter, siblingsIn } from '../src/shared/turn-tree';
import { median, report } from './lib/report';

const model = { providerId: 'offline', model: 'offline' };
const turns = 5_000;

const lineOf = (turn: number, parent?: number): readonly SessionFact[] => [
  {
    type: 'message-sent',
    turn,
    text: `Question ${turn}`,
    runMode: 'ask',
    model,
    ...(parent !== undefined && { parent }),
  },
  { type: 'reply-started', turn, model, providerName: 'Offline' },
  { type: 'reply-ended', turn, outcome: 'done' },
];

/** Two branches that split at the first turn: the even turns after it and the odd ones. */
const tree: readonly SessionFact[] = Array.from({ length: turns }, (_, turn) =>
  lineOf(turn, turn === 0 ? undefined : Math.max(0, turn - 2)),
).flat();

const session = tree.reduce((state: SessionState, fact, index) => {
  const event: SessionEvent = { ...fact, sessionId: 's', seq: index + 1, at: index, v: 1 };
  return applyEvent(state, event);
}, emptySession('s'));

/** What the window does for a press on ‹ or ›: finds the end of the branch, moves the head, reads path and siblings. */
function switchTo(turn: number): number {
  const fact: SessionFact = { type: 'branch-chosen', turn: newestAfter(session, turn) };
  const event: SessionEvent = { ...fact, sessionId: 's', seq: session.seq + 1, at: 0, v: 1 };
  const moved = applyEvent(session, event);
  return activePath(moved).length + siblingsIn(moved).size;
}

/** The median of 21 times, in milliseconds. */
const timeOf = (work: () => unknown): number =>
  median(
    Array.from({ length: 21 }, () => {
      const began = performance.now();
      work();
      return performance.now() - began;
    }),
  );

const value = timeOf(() => switchTo(1));
const onePass = timeOf(() => session.blocks.flat().map(({ turn }) => turn));
report({ name: 'switch branches of 5,000 turns', value, goal: 50, unit: 'ms' });
report({ name: 'the same to one pass over all turns', value, floor: onePass, goal: 30, unit: 'ms' });
