import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import { err, ok } from '#shared/result';
import { createRunWrites, nodesBefore, type WriteKey } from './node-writes';
import { effectOf, targetsOf } from './write-targets';

const failed = err(appError('TOOL', 'FAILED', 'No.'));
const lost = err(appError('TOOL', 'TIMEOUT', 'Silence.', { outcome: 'unknown' }));

/** A write by its hash, to one target of its own or to a given one. */
const call = (hash: string, target = `own ${hash}`) => ({ hash, targets: [target] });

/** Nodes that wait for no other one. */
const alone = (...ids: readonly string[]) => nodesBefore(ids.map((id) => ({ id, deps: [] })));

describe('the writes of a run', () => {
  it('are not found by the attempt that made them, and once each by the next attempt', () => {
    const writes = createRunWrites();
    const first = writes.attempt('a');
    first.started(call('h'))(ok(1));
    first.started(call('h'))(ok(2));
    first.started(call('other'))(failed);
    expect(first.findCompleted(call('h'))).toBeNull();
    const second = writes.attempt('a');
    expect(second.findCompleted(call('h'))).toMatchObject({ hash: 'h', result: 1 });
    expect(second.findCompleted(call('h'))).toMatchObject({ hash: 'h', result: 2 });
    expect(second.findCompleted(call('h'))).toBeNull();
    expect(second.findCompleted(call('other'))).toBeNull();
    expect(writes.attempt('b').findCompleted(call('h'))).toBeNull();
  });

  it('of an earlier process are found, and their answers once', () => {
    const done = [{ hash: 'h', result: 'x', at: 0 }];
    const answers = [
      { hash: 'h', approved: true },
      { hash: 'n', approved: false },
    ];
    const writes = createRunWrites({ writes: new Map([['a', { done, answers }]]), inherited: [] });
    const attempt = writes.attempt('a');
    expect(attempt.findCompleted(call('h'))).toMatchObject({ hash: 'h', result: 'x' });
    expect([attempt.findAnswer('n'), attempt.findAnswer('h'), attempt.findAnswer('h')]).toEqual([
      answers[1],
      answers[0],
      null,
    ]);
    expect(writes.attempt('b').findAnswer('h')).toBeNull();
    expect([done.length, answers.length]).toEqual([1, 2]);
  });

  it('that were refused are found by their call too, whatever content the card showed', () => {
    const answers = [
      { hash: 'shown', call: 'call', approved: true },
      { hash: 'shown', call: 'call', approved: false },
      { hash: 'plain', approved: false },
    ];
    const writes = createRunWrites({ writes: new Map([['a', { done: [], answers }]]), inherited: [] });
    const { findRefusal } = writes.attempt('a');
    expect([findRefusal('call'), findRefusal('call'), findRefusal('plain'), findRefusal('no')]).toEqual([
      answers[1],
      null,
      answers[2],
      null,
    ]);
  });

  it('with an unknown outcome are known to the whole run', () => {
    const writes = createRunWrites();
    const attempt = writes.attempt('a');
    attempt.started(call('sure'))(failed);
    expect(writes.hasUnknownOutcome('a')).toBe(false);
    attempt.started(call('lost'))(lost);
    expect(writes.hasUnknownOutcome('a')).toBe(true);
    expect(writes.hasUnknownOutcome('b')).toBe(false);
    const other = writes.attempt('b');
    expect([other.isOutcomeUnknown('lost'), other.isOutcomeUnknown('sure')]).toEqual([true, false]);
  });

  it('still running count as unknown', () => {
    const writes = createRunWrites();
    const end = writes.attempt('a').started(call('h'));
    expect(writes.hasUnknownOutcome('a')).toBe(true);
    end(ok(null));
    expect(writes.hasUnknownOutcome('a')).toBe(false);
  });

  it('are counted per latest attempt, with the refused ones', () => {
    const writes = createRunWrites();
    expect(writes.requested('a')).toEqual({ all: 0, refused: 0 });
    const first = writes.attempt('a');
    first.started(call('h'))(ok(1));
    first.refused();
    expect(writes.requested('a')).toEqual({ all: 2, refused: 1 });
    const second = writes.attempt('a');
    expect(writes.requested('a')).toEqual({ all: 0, refused: 0 });
    second.findCompleted(call('none'));
    second.findCompleted(call('h'));
    second.refused();
    second.refused();
    expect(writes.requested('a')).toEqual({ all: 3, refused: 2 });
    expect(writes.requested('b')).toEqual({ all: 0, refused: 0 });
    expect([writes.count(['a']), writes.count(['b', 'a', 'a']), writes.count([])]).toEqual([1, 2, 0]);
  });

  it('pass to the nodes that replace theirs; the first that would repeat one takes it', () => {
    const writes = createRunWrites();
    const old = writes.attempt('old');
    old.started(call('h'))(ok(1));
    old.refused();
    writes.transfer(['old'], alone('new', 'next'));
    expect(writes.count(['old'])).toBe(0);
    expect(writes.requested('old')).toEqual({ all: 0, refused: 0 });
    expect(writes.attempt('stranger').findCompleted(call('h'))).toBeNull();
    const next = writes.attempt('next');
    expect(next.findCompleted(call('other'))).toBeNull();
    expect(next.findCompleted(call('h'))).toMatchObject({ hash: 'h', result: 1 });
    expect(writes.count(['next'])).toBe(1);
    expect(writes.attempt('new').findCompleted(call('h'))).toBeNull();
    // A retry of the node finds it as its own.
    expect(writes.attempt('next').findCompleted(call('h'))).toMatchObject({ hash: 'h', result: 1 });
  });

  it('of an earlier process leave no answers to the nodes that replace theirs', () => {
    const answers = [{ hash: 'h', approved: true }];
    const writes = createRunWrites({ writes: new Map([['a', { done: [], answers }]]), inherited: [] });
    writes.transfer(['a'], alone('a', 'b'));
    expect([writes.attempt('a').findAnswer('h'), writes.attempt('b').findAnswer('h')]).toEqual([null, null]);
  });

  it('that were passed on in an earlier process are taken before any other is made', () => {
    const inherited = [
      { done: [{ hash: 'h', result: 1, at: 0 }], to: alone('b'), since: 1 },
      { done: [{ hash: 'h', result: 2, at: 1 }], to: alone('a'), since: 2 },
    ];
    const writes = createRunWrites({ writes: new Map(), inherited });
    expect(writes.attempt('a').findCompleted(call('h'))).toMatchObject({ hash: 'h', result: 2 });
    expect(writes.attempt('a').findCompleted(call('h'))).toMatchObject({ hash: 'h', result: 2 });
    expect(writes.attempt('b').findCompleted(call('h'))).toMatchObject({ hash: 'h', result: 1 });
  });
});

describe('a write that another one to the same target followed', () => {
  const [v1, v2] = [call('v1', 'file'), call('v2', 'file')];

  it('is made again by a step that repeats it, in a later stage or in a retry', () => {
    const writes = createRunWrites();
    writes.attempt('a').started(v1)(ok(1));
    writes.attempt('b').started(v2)(ok(2));
    expect(writes.attempt('a').findCompleted(v1)).toBeNull();
    writes.transfer(['a'], alone('a2'));
    expect(writes.attempt('a2').findCompleted(v1)).toBeNull();
  });

  it('stands when the other one failed, left the same, or went elsewhere', () => {
    const writes = createRunWrites();
    writes.attempt('a').started(v1)(ok(1));
    const b = writes.attempt('b');
    b.started(v2)(failed);
    b.started(call('v3', 'another file'))(ok(3));
    expect(writes.attempt('a').findCompleted(v1)).toMatchObject({ result: 1 });
    b.started(v2)(ok(2));
    b.started(v1)(ok(4));
    expect(writes.attempt('a').findCompleted(v1)).toMatchObject({ result: 1 });
    b.started(v2)(lost);
    expect(writes.attempt('a').findCompleted(v1)).toBeNull();
  });

  it('stands when no other write can take its place', () => {
    const writes = createRunWrites();
    writes.attempt('a').started(v1)(ok(1));
    writes.attempt('b').started(v2)(ok(2));
    expect(writes.attempt('a').findCompleted({ ...v1, targets: [] })).toMatchObject({ result: 1 });
  });

  it('stands with the whole of its step, whose calls are repeated in their order', () => {
    const writes = createRunWrites();
    const first = writes.attempt('a');
    for (const [at, write] of [v1, v2, v1].entries()) first.started(write)(ok(at));
    writes.transfer(['a'], alone('a'));
    const again = writes.attempt('a');
    expect([v1, v2, v1].map((write) => again.findCompleted(write)?.result)).toEqual([0, 1, 2]);
    expect(again.findCompleted(v1)).toBeNull();
  });

  it('is made again once the same attempt has made the other one', () => {
    const writes = createRunWrites();
    writes.attempt('a').started(v1)(ok(1));
    const again = writes.attempt('a');
    again.started(v2)(ok(2));
    expect(again.findCompleted(v1)).toBeNull();
  });

  it('is made again after a step of the new stage that ends before, and stands beside one that may not', () => {
    const stage = [
      { id: 'first', deps: [] },
      { id: 'middle', deps: ['first'] },
      { id: 'after', deps: ['middle'] },
      { id: 'beside', deps: [] },
    ];
    const until = (repeats: string) => {
      const writes = createRunWrites();
      writes.attempt('a').started(v1)(ok(1));
      writes.transfer(['a'], nodesBefore(stage));
      writes.attempt('first').started(v2)(ok(2));
      return writes.attempt(repeats).findCompleted(v1);
    };
    expect(until('after')).toBeNull();
    expect(until('beside')).toMatchObject({ result: 1 });
  });

  it('counts as made for the step that an ended process had begun, and not for one that repeats it', () => {
    const made = [
      { ...v1, nodeId: 'a' },
      { ...v2, nodeId: 'b' },
    ];
    const done = [{ hash: 'v1', result: 1, at: 0 }];
    const own = createRunWrites({ writes: new Map([['a', { done, answers: [] }]]), inherited: [], made });
    expect(own.attempt('a').findCompleted(v1)).toMatchObject({ result: 1 });
    const inherited = [{ done, to: alone('a2'), since: 2 }];
    const handed = createRunWrites({ writes: new Map(), inherited, made });
    expect(handed.attempt('a2').findCompleted(v1)).toBeNull();
  });

  it('stands for the stage after the next one, once, when the next one did not repeat it', () => {
    const writes = createRunWrites();
    writes.attempt('a').started(v1)(ok(1));
    writes.transfer(['a'], alone('b'));
    writes.attempt('b');
    writes.transfer(['b'], alone('c', 'd'));
    expect(writes.attempt('c').findCompleted(v1)).toMatchObject({ result: 1 });
    expect(writes.attempt('d').findCompleted(v1)).toBeNull();
  });

  it('is made again where a later stage used the id of its step for another write', () => {
    const writes = createRunWrites();
    writes.attempt('a').started(v1)(ok(1));
    writes.transfer(['a'], alone('a'));
    writes.attempt('a').started(v2)(ok(2));
    writes.transfer(['a'], alone('a'));
    expect(writes.attempt('a').findCompleted(v1)).toBeNull();
  });

  const effect = { kind: 'set' } as const;

  /** What a later step that makes these calls takes as made of v1 and v2 of an earlier one, and takes in its next attempt. */
  const repeating = (...calls: readonly WriteKey[]) => {
    const writes = createRunWrites();
    const first = writes.attempt('a');
    for (const [at, write] of [v1, v2].entries()) first.started({ ...write, effect })(ok(at));
    writes.transfer(['a'], alone('b'));
    const found = () => calls.map((write) => attempt.findCompleted({ ...write, effect })?.result);
    let attempt = writes.attempt('b');
    const taken = found();
    const outdated = writes.discardOutdated('b');
    attempt = writes.attempt('b');
    return { taken, outdated, again: found() };
  };

  it('is made again by a step that repeats it without the other one of the same step', () => {
    expect(repeating(v1, v2)).toEqual({ taken: [0, 1], outdated: false, again: [0, 1] });
    expect(repeating(v2)).toEqual({ taken: [1], outdated: false, again: [1] });
    expect(repeating(v1)).toEqual({ taken: [0], outdated: true, again: [undefined] });
    const elsewhere = call('v3', 'another file');
    expect(repeating(v1, elsewhere)).toMatchObject({ outdated: true, again: [undefined, undefined] });
  });

  /** Whether an edit and a move are outdated for a later step that repeats only the `taken` of these calls. */
  const outdated = (calls: readonly WriteKey[], ...taken: readonly number[]) => {
    const writes = createRunWrites();
    const first = writes.attempt('a');
    for (const [at, write] of calls.entries()) first.started(write)(ok(at));
    writes.transfer(['a'], alone('b'));
    const attempt = writes.attempt('b');
    for (const at of taken) expect(calls[at] && attempt.findCompleted(calls[at])?.result).toBe(at);
    return writes.discardOutdated('b');
  };
  const fileCall = (tool: string, args: JsonObject): WriteKey => ({
    hash: JSON.stringify(args),
    targets: targetsOf(`mcp://filesystem.${tool}`, args, null),
    effect: effectOf(`mcp://filesystem.${tool}`, args),
  });
  const edit = (oldText: string, newText: string) =>
    fileCall('edit_file', { path: 'a.md', edits: [{ oldText, newText }] });

  it('does not stand for an edit whose text a later edit of its step changed', () => {
    const replaced = [edit('one', 'two'), edit('two', 'three')];
    expect(outdated(replaced, 0)).toBe(true);
    expect(outdated(replaced, 0, 1)).toBe(false);
    expect(outdated([...replaced, edit('other', 'else')], 0, 2)).toBe(true);
    expect(outdated([edit('one', 'two'), edit('two', 'one')], 0)).toBe(true);
    expect(outdated([edit('one', 'two'), edit('other', 'else')], 0)).toBe(false);
    expect(outdated([...replaced, replaced[0]!], 0)).toBe(false);
    expect(outdated([edit('one', 'two'), fileCall('write_file', { path: 'a.md', content: '' })], 0)).toBe(
      true,
    );
    const move = (source: string, destination: string) => fileCall('move_file', { source, destination });
    expect(outdated([move('a.md', 'b.md'), move('b.md', 'c.md')], 0)).toBe(true);
    expect(outdated([move('b.md', 'a.md'), edit('one', 'two')], 0)).toBe(false);
    expect(outdated([edit('one', 'two'), move('a.md', 'b.md')], 0)).toBe(false);
  });

  it('stands where nothing takes its place, or where this attempt wrote to its target too', () => {
    const writes = createRunWrites();
    const first = writes.attempt('a');
    for (const [at, write] of [v1, v2].entries()) first.started(write)(ok(at));
    writes.transfer(['a'], alone('b', 'c'));
    writes.attempt('b').findCompleted(v1);
    expect(writes.discardOutdated('b')).toBe(false);
    expect(writes.discardOutdated('never begun')).toBe(false);
    const second = createRunWrites();
    const before = second.attempt('a');
    for (const [at, write] of [v1, v2].entries()) before.started({ ...write, effect })(ok(at));
    second.transfer(['a'], alone('b'));
    const attempt = second.attempt('b');
    attempt.findCompleted({ ...v1, effect });
    attempt.started({ ...call('v3', 'file'), effect })(ok(3));
    expect(second.discardOutdated('b')).toBe(false);
  });

  it('is made again once its folder was moved, in the same step or by another one', () => {
    const file = (tool: string, args: Json) => targetsOf(`mcp://filesystem.${tool}`, args, null);
    const inFolder = { hash: 'w', targets: file('write_file', { path: 'docs/a.md' }), effect };
    const move = {
      hash: 'm',
      targets: file('move_file', { source: 'docs', destination: 'old' }),
      effect: { kind: 'move' } as const,
    };
    const writes = createRunWrites();
    writes.attempt('a').started(inFolder)(ok(1));
    writes.attempt('b').started(move)(ok(2));
    expect(writes.attempt('a').findCompleted(inFolder)).toBeNull();
    expect(writes.attempt('b').findCompleted(move)).toMatchObject({ result: 2 });
    const one = createRunWrites();
    const step = one.attempt('a');
    step.started(inFolder)(ok(1));
    step.started(move)(ok(2));
    one.transfer(['a'], alone('c'));
    expect(one.attempt('c').findCompleted(inFolder)).toMatchObject({ result: 1 });
    expect(one.discardOutdated('c')).toBe(true);
  });
});
