import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { withSetupLock } from './setup-lock.mjs';

/** @type {string} */
let folder;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'patina-lock-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

describe('the lock', () => {
  const lock = () => path.join(folder, 'setup.lock');

  it.each(['999999999', '', 'garbage'])('of a dead set-up is taken over without a wait: %j', async (held) => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => said.mockRestore());
    fs.writeFileSync(lock(), held);
    expect(await withSetupLock(async () => 'done', lock())).toBe('done');
    expect(fs.existsSync(lock())).toBe(false);
    expect(said).not.toHaveBeenCalled();
  });

  it('admits one process at a time', async () => {
    /** @type {string[]} */
    const log = [];
    const work = () =>
      withSetupLock(async () => {
        log.push('in');
        await new Promise((resolve) => setImmediate(resolve));
        log.push('out');
      }, lock());
    await Promise.all([work(), work()]);
    expect(log).toEqual(['in', 'out', 'in', 'out']);
  });
});
