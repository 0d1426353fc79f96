import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { createManualClock } from '../../testing/manual-clock';
import { createRunLifecycle, createStageCancel, delay, raceAbort } from './run-lifecycle';

function running() {
  const time = createManualClock();
  const external = new AbortController();
  return { ...time, external, life: createRunLifecycle(time.clock, external.signal) };
}
const cancelled = { kind: 'HOST', code: 'CANCELLED', message: 'The run was cancelled.' };

describe('the end of a run', () => {
  it('comes with the user, also one who stopped before it began', () => {
    const { life, external } = running();
    expect([life.signal.aborted, life.reason()]).toEqual([false, null]);
    external.abort();
    expect(life.signal.aborted).toBe(true);
    expect(life.reason()).toMatchObject(cancelled);
    const late = createRunLifecycle(createManualClock().clock, external.signal);
    expect(late.reason()).toMatchObject(cancelled);
  });

  it('has the first reason, and none once it is over', () => {
    const first = appError('HOST', 'STORAGE', 'Full.');
    const { life, external } = running();
    life.stop(first);
    external.abort();
    expect(life.reason()).toBe(first);
    const other = running();
    other.life.setDeadline(10);
    other.life.end();
    other.external.abort();
    other.advance(20);
    expect(other.life.reason()).toBeNull();
    expect(other.timers()).toBe(0);
  });

  it.each([
    [999, '999 ms'],
    [1_000, '1 s'],
    [89_600, '90 s'],
  ])('comes after %d ms, and says so as %s and how to raise the limit', (ms, text) => {
    const { life, advance } = running();
    expect(life.wallLeft()).toBe(Infinity);
    life.setDeadline(ms);
    advance(ms - 1);
    expect([life.reason(), life.wallLeft()]).toEqual([null, 1]);
    advance(1);
    expect(life.reason()).toMatchObject({
      kind: 'BUDGET',
      code: 'WALL_CLOCK',
      message: `The run exceeded its time limit of ${text}.`,
      hint: expect.stringContaining(`The run may use wall_ms: ${ms}.`) as string,
    });
  });

  it('does not come closer during waits, which may overlap', () => {
    const { life, advance, timers } = running();
    life.setDeadline(100);
    advance(30);
    const ends = [life.wait(), life.wait()];
    advance(500);
    expect([life.wallLeft(), timers()]).toEqual([70, 0]);
    ends[0]?.();
    ends[0]?.();
    advance(500);
    expect([life.wallLeft(), timers()]).toEqual([70, 0]);
    ends[1]?.();
    advance(69);
    expect([life.wallLeft(), life.reason()]).toEqual([1, null]);
    advance(1);
    expect(life.reason()).not.toBeNull();
  });

  it('counts from the end of a wait that began before its limit was known', () => {
    const { life, advance, timers } = running();
    const end = life.wait();
    life.setDeadline(100);
    advance(200);
    expect(timers()).toBe(0);
    end();
    expect([life.wallLeft(), timers()]).toEqual([100, 1]);
    const unlimited = running();
    unlimited.life.wait()();
    expect(unlimited.timers()).toBe(0);
  });

  it('waits while the user pauses the run', async () => {
    const { life, advance } = running();
    life.setDeadline(100);
    expect(life.whenResumed()).toBeNull();
    expect(life.setPaused(false)).toBe(false);
    expect(life.setPaused(true)).toBe(true);
    expect(life.setPaused(true)).toBe(false);
    const resumed = life.whenResumed();
    advance(500);
    expect(life.wallLeft()).toBe(100);
    expect(life.setPaused(false)).toBe(true);
    await resumed;
    expect(life.whenResumed()).toBeNull();
    expect(life.setPaused(false)).toBe(false);
    advance(40);
    expect(life.wallLeft()).toBe(60);
    expect(life.setPaused(true)).toBe(true);
  });
});

describe('[STG-cancelled] the cancel of a stage', () => {
  it('ends the stage and not its run', () => {
    const { life } = running();
    const stage = createStageCancel(() => false);
    expect(stage.cancel(true)).toBe(false);
    const own = stage.begin(life);
    expect([own.signal.aborted, own.reason()]).toEqual([false, null]);
    expect(stage.cancel(true)).toBe(true);
    expect(own.signal.aborted).toBe(true);
    expect(own.reason()).toMatchObject({
      kind: 'HOST',
      code: 'CANCELLED',
      message: 'The user cancelled this stage.',
    });
    expect([life.signal.aborted, life.reason()]).toEqual([false, null]);
    expect(stage.end()).toBe(true);
    expect([stage.end(), stage.cancel(true)]).toEqual([false, false]);
  });

  it('waits for a write that is under way', () => {
    const { life } = running();
    let writing = true;
    const stage = createStageCancel(() => writing);
    const own = stage.begin(life);
    stage.noteRecorded();
    stage.cancel(true);
    stage.noteRecorded();
    expect(own.signal.aborted).toBe(false);
    writing = false;
    stage.noteRecorded();
    expect(own.signal.aborted).toBe(true);
    const next = stage.begin(life);
    stage.noteRecorded();
    expect([next.signal.aborted, next.reason(), stage.end()]).toEqual([false, null, false]);
  });

  it('does not hide the end of the run, which ends its stages too', () => {
    const { life, external } = running();
    const stage = createStageCancel(() => false);
    const own = stage.begin(life);
    const before = createStageCancel(() => false);
    const over = before.begin(life);
    before.end();
    external.abort();
    expect(own.signal.aborted).toBe(true);
    expect(own.reason()).toMatchObject(cancelled);
    expect(over.signal.aborted).toBe(false);
    expect(stage.begin(life).signal.aborted).toBe(true);
  });
});

describe('a wait that ends with the run', () => {
  it('takes its time, unless the run ends or there is nothing to wait for', async () => {
    const { clock, advance, timers } = createManualClock();
    const stop = new AbortController();
    const order: string[] = [];
    const waits = [
      delay(clock, 10, stop.signal).then(() => order.push('10')),
      delay(clock, 50, stop.signal).then(() => order.push('50')),
      delay(clock, 0, stop.signal).then(() => order.push('0')),
    ];
    await waits[2];
    expect(order).toEqual(['0']);
    advance(10);
    await waits[0];
    expect(order).toEqual(['0', '10']);
    stop.abort();
    await waits[1];
    expect(timers()).toBe(0);
    await delay(clock, 10, stop.signal);
    expect(timers()).toBe(0);
  });

  it('gives the value of the work, its failure, or null', async () => {
    const stop = new AbortController();
    expect(await raceAbort(Promise.resolve(1), stop.signal)).toBe(1);
    await expect(raceAbort(Promise.reject(new Error('no')), stop.signal)).rejects.toThrow('no');
    const hanging = raceAbort(new Promise(() => undefined), stop.signal);
    stop.abort();
    expect(await hanging).toBeNull();
    expect(await raceAbort(new Promise(() => undefined), stop.signal)).toBeNull();
  });
});
