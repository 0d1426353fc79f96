import { expect, it } from 'vitest';
import type { AppError } from '#shared/app-error';
import { createManualClock } from '../../../testing/manual-clock';
import { startHeartbeat } from './heartbeat';
import { createMemoryPoll, MAX_WORKER_MB } from './memory-poll';
import type { ProcessFacts } from './process-facts';
import { createWatchdog } from './watchdog';

/** A watchdog over a worker whose CPU time the test controls. */
function watch(cpuMs: number, first: Partial<ProcessFacts> = {}) {
  const { clock, advance } = createManualClock();
  const ends: AppError[] = [];
  let facts: ProcessFacts = { cpuMs: 0, rssMb: 60, runnable: true, stopped: false, ...first };
  const watchdog = createWatchdog({
    clock,
    cpuMs,
    facts: () => facts,
    onTimeout: (cause) => ends.push(cause),
  });
  const computes = (ms: number): void => {
    facts = { ...facts, cpuMs: facts.cpuMs + ms };
  };
  return { watchdog, advance, ends, computes };
}

it('[SBX-cpu-time] a script with little CPU time on a busy machine continues until its compute is used up', () => {
  const { watchdog, advance, ends, computes } = watch(300);
  watchdog.arm(0);
  for (let second = 0; second < 34; second += 1) {
    computes(10);
    advance(1_000);
  }
  expect(ends).toEqual([]);
  computes(20);
  advance(1_000);
  expect(ends).toMatchObject([{ kind: 'BUDGET', code: 'CPU_LIMIT' }]);
});

it('[SBX-wall] wall-clock time has its own high limit and its own code, and reports the compute so far', () => {
  const { watchdog, advance, ends, computes } = watch(300);
  watchdog.arm(0);
  computes(120);
  advance(60_000);
  expect(ends).toEqual([]);
  advance(10_000);
  expect(ends[0]).toMatchObject({ kind: 'BUDGET', code: 'WALL_CLOCK', retryable: true });
  expect(ends[0]?.message).toContain('only 120 ms of compute');
});

it('[SBX-lies] a worker that reports less compute than the system measures is killed', () => {
  const { watchdog, ends, computes } = watch(300);
  for (let slice = 0; slice < 20 && ends.length === 0; slice += 1) {
    // The worker reports each time that it used nothing.
    watchdog.arm(0);
    computes(200);
    watchdog.disarm();
  }
  expect(ends).toMatchObject([{ kind: 'BUDGET', code: 'CPU_LIMIT' }]);
});

it('a worker that sleeps while a reply is due, or was stopped, has crashed', () => {
  const asleep = watch(300, { runnable: false });
  asleep.watchdog.arm(0);
  asleep.advance(19_000);
  expect(asleep.ends).toEqual([]);
  asleep.advance(2_000);
  expect(asleep.ends).toMatchObject([{ kind: 'SANDBOX', code: 'PROC_CRASH' }]);
  const stopped = watch(300, { stopped: true });
  stopped.watchdog.arm(0);
  stopped.advance(320);
  expect(stopped.ends).toMatchObject([{ kind: 'SANDBOX', code: 'PROC_CRASH' }]);
});

it('[SBX-cpu-unknown] without compute times of the system, wall-clock time counts as compute', () => {
  const { clock, advance } = createManualClock();
  const ends: AppError[] = [];
  const parts = {
    clock,
    cpuMs: 300,
    facts: () => undefined,
    onTimeout: (cause: AppError) => ends.push(cause),
  };
  createWatchdog(parts).arm(0);
  advance(349);
  expect(ends).toEqual([]);
  advance(1);
  expect(ends).toMatchObject([{ kind: 'BUDGET', code: 'CPU_LIMIT' }]);
});

it('[SBX-memory] a worker above its memory limit is killed at the next check', () => {
  const { clock, advance } = createManualClock();
  const ends: AppError[] = [];
  let rssMb = MAX_WORKER_MB;
  const facts = (): ProcessFacts => ({ cpuMs: 0, rssMb, runnable: true, stopped: false });
  const poll = createMemoryPoll(clock, facts, (cause) => ends.push(cause));
  poll.start();
  advance(1_000);
  rssMb += 1;
  expect(ends).toEqual([]);
  advance(20);
  expect(ends).toMatchObject([{ kind: 'BUDGET', code: 'MEMORY_LIMIT' }]);
});

/** A heartbeat over a worker that waits for a tool and does not answer. */
function beat(first: Partial<ProcessFacts>) {
  const { clock, advance } = createManualClock();
  const ends: AppError[] = [];
  let facts: ProcessFacts = { cpuMs: 0, rssMb: 60, runnable: true, stopped: false, ...first };
  const link = { owed: () => 0, send: () => undefined, end: (cause: AppError) => void ends.push(cause) };
  const heart = startHeartbeat(link, clock, () => facts, { everyMs: 5_000, answerMs: 2_000 });
  const computes = (ms: number): void => {
    facts = { ...facts, cpuMs: facts.cpuMs + ms };
  };
  return { heart, advance, ends, computes };
}

it('[SBX-cpu-time] a waiting worker that gets no processor may answer late, but not for ever', () => {
  const late = beat({});
  late.advance(5_000);
  late.computes(20);
  late.advance(12_000);
  expect(late.ends).toEqual([]);
  late.heart.answered();
  late.advance(7_000);
  late.advance(18_000);
  expect(late.ends).toEqual([]);
  late.advance(9_000);
  expect(late.ends).toMatchObject([{ kind: 'SANDBOX', code: 'PROC_CRASH' }]);
});

it('[SBX-cpu-time] a waiting worker that sleeps, is stopped, or computes for itself is killed in time', () => {
  for (const first of [{ runnable: false }, { runnable: false, stopped: true }]) {
    const { advance, ends } = beat(first);
    advance(7_000);
    expect(ends).toMatchObject([{ code: 'PROC_CRASH' }]);
  }
  const { advance, ends, computes } = beat({});
  advance(5_000);
  computes(1_900);
  advance(2_000);
  expect(ends).toMatchObject([{ code: 'PROC_CRASH' }]);
});
