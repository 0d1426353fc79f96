import { dropPack } from '../e2e/fixtures/sample-pack';
import { patinaLaunch, temporaryFolder } from './lib/launches';
import { openWindow, type OpenWindow } from './lib/open-window';
import { median, report } from './lib/report';

const short = process.env['PATINA_BENCH_SHORT'] === '1';
const rounds = short ? 3 : 9;
const sizes = { few: 10, many: 100_000 };

/** Sends a slash line and returns the milliseconds from the click to the frame that shows the first item. */
async function timeToPicker({ page }: OpenWindow, slash: string): Promise<number> {
  await page.locator('textarea').fill(`/${slash}`);
  const shown = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const start = (): void => {
          const started = performance.now();
          const look = (): void => {
            const there = document.querySelector('dialog [role="option"]') !== null;
            if (there) requestAnimationFrame(() => resolve(performance.now() - started));
            else requestAnimationFrame(look);
          };
          look();
        };
        document.addEventListener('click', start, { capture: true, once: true });
      }),
  );
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const time = await shown;
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  return time;
}

async function timesOf(opened: OpenWindow, slash: string): Promise<number> {
  const times: number[] = [];
  // The first one reads and indexes the list; nobody waits for that twice.
  await timeToPicker(opened, slash);
  for (let round = 0; round < rounds; round += 1) times.push(await timeToPicker(opened, slash));
  return median(times);
}

const home = temporaryFolder();
dropPack(
  home,
  Object.entries(sizes).map(([id, count]) => ({ id, count })),
);
const opened = await openWindow(patinaLaunch(home));
const few = await timesOf(opened, 'few');
const many = await timesOf(opened, 'many');
await opened.app.close();
report({ name: 'Send to the first items, a picker of 10', value: few, goal: 100, unit: 'ms' });
report({ name: 'Send to the first items, a picker of 100,000', value: many, goal: 100, unit: 'ms' });
