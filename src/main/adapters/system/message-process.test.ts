import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { startChildProcess } from './message-process';

const folder = mkdtempSync(join(tmpdir(), 'patina-message-'));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

it('[LOCAL-process] a process for a model or the encoder gets no environment and no keys', async () => {
  const bundle = join(folder, 'says-environment.mjs');
  writeFileSync(bundle, 'process.send(process.env);');
  vi.stubEnv('PATINA_SENTINEL', 'sentinel-7d1');
  const child = startChildProcess(bundle)();
  const seen = await new Promise((resolve) => child.onMessage(resolve));
  await new Promise<void>((resolve) => {
    child.onExit(resolve);
    child.kill();
  });
  expect(
    Object.keys(seen as object)
      .filter((name) => name !== 'NODE_CHANNEL_SERIALIZATION_MODE')
      .sort(),
  ).toEqual(['LANG', 'TZ']);
});

it('[LOCAL-process] a process that cannot be started ends, and takes no message', async () => {
  const { execPath } = process;
  process.execPath = join(folder, 'no-such-program');
  try {
    const child = startChildProcess(join(folder, 'any.mjs'))();
    child.send({});
    await new Promise<void>((resolve) => child.onExit(resolve));
  } finally {
    process.execPath = execPath;
  }
});
