import type { ElectronApplication, Page } from '@playwright/test';
import { driveArguments } from '../../scripts/lib/drive-electron.mjs';
import type { Launch } from './launches';

export interface OpenWindow {
  readonly app: ElectronApplication;
  readonly page: Page;
}

/** Starts an app under a driver, for what is measured after the start. */
export async function openWindow({ args, env }: Launch): Promise<OpenWindow> {
  const app = await driveArguments({ args, env });
  const page = await app.firstWindow();
  await page.locator('textarea').waitFor();
  return { app, page };
}

const sampleMs = 500;
const samplesAtMost = 24;

async function memoryNow(app: ElectronApplication): Promise<number> {
  const kilobytes = await app.evaluate(({ app: self }) =>
    self.getAppMetrics().reduce((sum, { memory }) => sum + memory.workingSetSize, 0),
  );
  return kilobytes / 1_024;
}

/** Megabytes of all processes of an app, once they are stable: three samples in a row within one percent. */
export async function settledMemory({ app, page }: OpenWindow): Promise<number> {
  const samples: number[] = [];
  while (samples.length < samplesAtMost) {
    await page.waitForTimeout(sampleMs);
    samples.push(await memoryNow(app));
    const last = samples.slice(-3);
    if (last.length === 3 && Math.max(...last) - Math.min(...last) < 0.01 * Math.max(...last)) break;
  }
  return samples.at(-1) ?? 0;
}
