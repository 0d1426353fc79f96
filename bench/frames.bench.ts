import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { storeSession } from '../e2e/fixtures/stored-sessions';
import { patinaLaunch, temporaryFolder } from './lib/launches';
import { openWindow } from './lib/open-window';
import { report } from './lib/report';

const turns = process.env['PATINA_BENCH_SHORT'] === '1' ? 10_000 : 40_000;

interface Frames {
  /** Milliseconds between two pictures, the longest first. */
  readonly stop: () => Promise<readonly number[]>;
}

async function watchFrames(page: Page): Promise<Frames> {
  const watched = await page.evaluateHandle(() => {
    const record = { gaps: [] as number[], on: true };
    let last = performance.now();
    const look = (): void => {
      const now = performance.now();
      record.gaps.push(now - last);
      last = now;
      if (record.on) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    return record;
  });
  return {
    stop: async () => {
      const gaps = await watched.evaluate((record) => {
        record.on = false;
        return record.gaps;
      });
      return gaps.sort((a, b) => b - a);
    },
  };
}

/** Times the longest frame of the idle window: three frames at 60 Hz are 50 ms; a loaded machine lengthens both. */
const goal = 3;

const worst = (frames: readonly number[]): number => frames[0] ?? 0;

const home = temporaryFolder();
const events = storeSession(home, { id: 'ses_long', title: 'A very long talk', turns, pieces: 2 });
storeSession(home, { id: 'ses_short', title: 'A short talk', turns: 1, pieces: 1 });
writeFileSync(join(home, 'ui_settings.json'), '{"lastSessionId":"ses_short"}');
const { app, page } = await openWindow(patinaLaunch(home));
await page.getByText('Piece 1 of answer 1.').waitFor();
await page.waitForTimeout(2_000);

const idle = await watchFrames(page);
await page.waitForTimeout(2_000);
const floor = worst(await idle.stop());

const opening = await watchFrames(page);
await page.getByRole('button', { name: 'A very long talk', exact: true }).click();
await page.getByText(`Piece 2 of answer ${turns}.`).waitFor();
await page.waitForTimeout(500);
const opened = worst(await opening.stop());
report({ name: `worst frame, opening ${events} events`, value: opened, floor, goal, unit: 'ms' });

await page.keyboard.press('ControlOrMeta+f');
await page.getByPlaceholder('Find in this session').waitFor();
const finding = await watchFrames(page);
for (const letter of 'piece of') {
  await page.keyboard.type(letter);
  await page.waitForTimeout(200);
}
await page.waitForTimeout(1_000);
report({
  name: 'worst frame, finding in them letter by letter',
  value: worst(await finding.stop()),
  floor,
  goal,
  unit: 'ms',
});
await app.close();
