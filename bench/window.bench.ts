import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeSession } from '../e2e/fixtures/stored-sessions';
import { emptyLaunch, patinaLaunch, temporaryFolder } from './lib/launches';
import { openWindow, settledMemory, type OpenWindow } from './lib/open-window';
import { median, report } from './lib/report';
import { timeToUsable } from './lib/time-to-usable';

const short = process.env['PATINA_BENCH_SHORT'] === '1';
const rounds = short ? 2 : 7;
// Chromium keeps compiled scripts from the third start on, as it does for somebody who uses the app.
const warmUps = short ? 1 : 3;

/** Both apps alternately, so that a busy moment of the machine affects both. */
async function measureStarts(): Promise<void> {
  const empty = emptyLaunch(temporaryFolder());
  const patina = patinaLaunch(temporaryFolder());
  const times = { empty: [] as number[], patina: [] as number[] };
  for (let round = -warmUps; round < rounds; round += 1) {
    const pair = { empty: await timeToUsable(empty), patina: await timeToUsable(patina) };
    if (round < 0) continue;
    times.empty.push(pair.empty);
    times.patina.push(pair.patina);
  }
  report({
    name: 'start of the process to a window one types in',
    value: median(times.patina),
    floor: median(times.empty),
    goal: 1.6,
    unit: 'ms',
  });
}

async function idleMemory(opening: Promise<OpenWindow>): Promise<number> {
  const opened = await opening;
  const megabytes = await settledMemory(opened);
  await opened.app.close();
  return megabytes;
}

async function measureMemory(): Promise<void> {
  const floor = await idleMemory(openWindow(emptyLaunch(temporaryFolder())));
  const value = await idleMemory(openWindow(patinaLaunch(temporaryFolder())));
  report({ name: 'memory of all processes, idle', value, floor, goal: 1.3, unit: 'MB' });
}

/** Clicks a session in the page and returns the milliseconds until its last turn has been drawn. */
function openSession({ page }: OpenWindow, title: string, last: string): Promise<number> {
  return page.evaluate(
    ([name, words]) =>
      new Promise<number>((resolve) => {
        const rows = [...document.querySelectorAll<HTMLElement>('nav button')];
        const started = performance.now();
        rows.find((row) => row.textContent?.trim() === name)?.click();
        const look = (): void => {
          const shown = document.querySelector('[role="log"]')?.textContent?.includes(words) === true;
          if (!shown) requestAnimationFrame(look);
          else requestAnimationFrame(() => resolve(performance.now() - started));
        };
        look();
      }),
    [title, last] as const,
  );
}

async function measureLongSession(): Promise<void> {
  const home = temporaryFolder();
  storeSession(home, { id: 'ses_short', title: 'A short talk', turns: 1, pieces: 1 });
  storeSession(home, { id: 'ses_long', title: 'A long talk', turns: 2_500, pieces: 2 });
  writeFileSync(join(home, 'ui_settings.json'), '{"lastSessionId":"ses_short"}');
  const opened = await openWindow(patinaLaunch(home));
  await opened.page.getByText('Piece 1 of answer 1.').waitFor();
  const before = await settledMemory(opened);
  const time = await openSession(opened, 'A long talk', 'Piece 2 of answer 2500.');
  const added = (await settledMemory(opened)) - before;
  await opened.app.close();
  report({ name: 'open a session of 5,000 messages (window)', value: time, goal: 300, unit: 'ms' });
  report({ name: 'memory it adds', value: added, goal: 60, unit: 'MB' });
}

await measureStarts();
await measureMemory();
await measureLongSession();
