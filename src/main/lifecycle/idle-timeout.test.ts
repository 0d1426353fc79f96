import { expect, it, vi } from 'vitest';
import { createManualClock } from '../../testing/manual-clock';
import { createIdleTimeout } from './idle-timeout';

function open() {
  const { clock, advance } = createManualClock();
  const release = vi.fn();
  return { advance, release, idle: createIdleTimeout(clock, 1_000, release) };
}

it('releases once nothing has used it for the idle time', async () => {
  const { advance, release, idle } = open();
  expect(await idle.track(() => Promise.resolve('value'))).toBe('value');
  advance(999);
  expect(release).not.toHaveBeenCalled();
  advance(1);
  expect(release).toHaveBeenCalledOnce();
});

it('waits for the last of several users, and for those that start meanwhile', async () => {
  const { advance, release, idle } = open();
  let finish = (): void => undefined;
  const long = idle.track(() => new Promise<void>((resolve) => (finish = resolve)));
  await idle.track(() => Promise.resolve());
  advance(5_000);
  expect(release).not.toHaveBeenCalled();
  finish();
  await long;
  advance(500);
  await idle.track(() => Promise.resolve());
  advance(999);
  expect(release).not.toHaveBeenCalled();
  advance(1);
  expect(release).toHaveBeenCalledOnce();
});

it('counts failed work as finished', async () => {
  const { advance, release, idle } = open();
  await expect(idle.track(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  advance(1_000);
  expect(release).toHaveBeenCalledOnce();
});
