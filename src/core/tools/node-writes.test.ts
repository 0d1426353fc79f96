import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { createRunWrites } from './node-writes';

const failed = err(appError('TOOL', 'FAILED', 'No.'));
const lost = err(appError('TOOL', 'TIMEOUT', 'Silence.', { outcome: 'unknown' }));

describe('the writes of a run', () => {
  it('are not found by the attempt that made them, and once each by the next attempt', () => {
    const writes = createRunWrites();
    const first = writes.attempt('a');
    first.started('h')(ok(1));
    first.started('h')(ok(2));
    first.started('other')(failed);
    expect(first.findCompleted('h')).toBeNull();
    const second = writes.attempt('a');
    expect(second.findCompleted('h')).toEqual({ hash: 'h', result: 1 });
    expect(second.findCompleted('h')).toEqual({ hash: 'h', result: 2 });
    expect(second.findCompleted('h')).toBeNull();
    expect(second.findCompleted('other')).toBeNull();
    expect(writes.attempt('b').findCompleted('h')).toBeNull();
  });

  it('of an earlier process are found, and their answers once', () => {
    const done = [{ hash: 'h', result: 'x' }];
    const answers = [
      { hash: 'h', approved: true },
      { hash: 'n', approved: false },
    ];
    const writes = createRunWrites({ writes: new Map([['a', { done, answers }]]), inherited: [] });
    const attempt = writes.attempt('a');
    expect(attempt.findCompleted('h')).toEqual({ hash: 'h', result: 'x' });
    expect([attempt.findAnswer('n'), attempt.findAnswer('h'), attempt.findAnswer('h')]).toEqual([
      answers[1],
      answers[0],
      null,
    ]);
    expect(writes.attempt('b').findAnswer('h')).toBeNull();
    expect([done.length, answers.length]).toEqual([1, 2]);
  });

  it('with an unknown outcome are known to the whole run', () => {
    const writes = createRunWrites();
    const attempt = writes.attempt('a');
    attempt.started('sure')(failed);
    expect(writes.hasUnknownOutcome('a')).toBe(false);
    attempt.started('lost')(lost);
    expect(writes.hasUnknownOutcome('a')).toBe(true);
    expect(writes.hasUnknownOutcome('b')).toBe(false);
    const other = writes.attempt('b');
    expect([other.isOutcomeUnknown('lost'), other.isOutcomeUnknown('sure')]).toEqual([true, false]);
  });

  it('still running count as unknown', () => {
    const writes = createRunWrites();
    const end = writes.attempt('a').started('h');
    expect(writes.hasUnknownOutcome('a')).toBe(true);
    end(ok(null));
    expect(writes.hasUnknownOutcome('a')).toBe(false);
  });

  it('are counted per latest attempt, with the refused ones', () => {
    const writes = createRunWrites();
    expect(writes.requested('a')).toEqual({ all: 0, refused: 0 });
    const first = writes.attempt('a');
    first.started('h')(ok(1));
    first.refused();
    expect(writes.requested('a')).toEqual({ all: 2, refused: 1 });
    const second = writes.attempt('a');
    expect(writes.requested('a')).toEqual({ all: 0, refused: 0 });
    second.findCompleted('none');
    second.findCompleted('h');
    second.refused();
    second.refused();
    expect(writes.requested('a')).toEqual({ all: 3, refused: 2 });
    expect(writes.requested('b')).toEqual({ all: 0, refused: 0 });
    expect([writes.count(['a']), writes.count(['b', 'a', 'a']), writes.count([])]).toEqual([1, 2, 0]);
  });

  it('pass to the nodes that replace theirs; the first that would repeat one takes it', () => {
    const writes = createRunWrites();
    const old = writes.attempt('old');
    old.started('h')(ok(1));
    old.refused();
    writes.transfer(['old'], ['new', 'next']);
    expect(writes.count(['old'])).toBe(0);
    expect(writes.requested('old')).toEqual({ all: 0, refused: 0 });
    expect(writes.attempt('stranger').findCompleted('h')).toBeNull();
    const next = writes.attempt('next');
    expect(next.findCompleted('other')).toBeNull();
    expect(next.findCompleted('h')).toEqual({ hash: 'h', result: 1 });
    expect(writes.count(['next'])).toBe(1);
    expect(writes.attempt('new').findCompleted('h')).toBeNull();
    // A retry of the node finds it as its own.
    expect(writes.attempt('next').findCompleted('h')).toEqual({ hash: 'h', result: 1 });
  });

  it('of an earlier process leave no answers to the nodes that replace theirs', () => {
    const answers = [{ hash: 'h', approved: true }];
    const writes = createRunWrites({ writes: new Map([['a', { done: [], answers }]]), inherited: [] });
    writes.transfer(['a'], ['a', 'b']);
    expect([writes.attempt('a').findAnswer('h'), writes.attempt('b').findAnswer('h')]).toEqual([null, null]);
  });

  it('that were passed on in an earlier process are taken before any other is made', () => {
    const inherited = [
      { done: [{ hash: 'h', result: 1 }], to: ['b'] },
      { done: [{ hash: 'h', result: 2 }], to: ['a'] },
    ];
    const writes = createRunWrites({ writes: new Map(), inherited });
    expect(writes.attempt('a').findCompleted('h')).toEqual({ hash: 'h', result: 2 });
    expect(writes.attempt('a').findCompleted('h')).toEqual({ hash: 'h', result: 2 });
    expect(writes.attempt('b').findCompleted('h')).toEqual({ hash: 'h', result: 1 });
  });
});
