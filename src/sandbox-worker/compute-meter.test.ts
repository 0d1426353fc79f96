import { expect, it } from 'vitest';
import { createComputeMeter } from './compute-meter';

/** A meter with 100 ms of compute, and its two clocks. */
function createMeter(maxOps = 1_000) {
  const time = { wall: 5_000, cpu: 700 };
  const clock = { wallMs: () => time.wall, cpuMs: () => time.cpu };
  const pass = (wall: number, cpu: number): void => {
    time.wall += wall;
    time.cpu += cpu;
  };
  return { meter: createComputeMeter(clock, { cpuMs: 100, maxOps }), pass };
}

it.each([
  ['wall time on a busy machine', [5_000, 10]],
  ['the time of compiler threads', [10, 5_000]],
] as const)('[SBX-cpu-time] compute does not include %s', (_what, [wall, cpu]) => {
  const { meter, pass } = createMeter();
  meter.begin();
  pass(wall, cpu);
  expect(meter.tick()).toBe(false);
  expect(meter.used()).toEqual({ cpuMs: 10, ticks: 1 });
  pass(90, 90);
  expect(meter.tick()).toBe(true);
  expect(meter.stopped()).toBe('CPU_LIMIT');
});

it('[SBX-cpu-time] slices add up, and waiting between them costs nothing', () => {
  const { meter, pass } = createMeter();
  for (const part of [40, 50]) {
    meter.begin();
    pass(part, part);
    meter.end();
    pass(60_000, 60_000);
  }
  expect(meter.used().cpuMs).toBe(90);
  meter.begin();
  pass(10, 10);
  expect(meter.tick()).toBe(true);
});

it('[SBX-cpu-time] ticks have their own limit, and the first reason to stop stays', () => {
  const { meter, pass } = createMeter(1);
  meter.begin();
  expect(meter.tick()).toBe(false);
  expect(meter.tick()).toBe(true);
  pass(200, 200);
  meter.tick();
  meter.stop('TOOL_CALLS');
  expect(meter.stopped()).toBe('OPS_LIMIT');
});
