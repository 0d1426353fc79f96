import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { storeSession, storeSessions } from '../e2e/fixtures/stored-sessions';
import { patinaLaunch, temporaryFolder } from './lib/launches';
import { openWindow } from './lib/open-window';
import { report } from './lib/report';

const short = process.env['PATINA_BENCH_SHORT'] === '1';
const turns = short ? 10_000 : 40_000;
const sessions = short ? 1_000 : 10_000;

interface Frames {
  /** Milliseconds between two frames, the longest first. */
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
/** The same for scrolling: two frames at 60 Hz are 33 ms. */
const scrollGoal = 2;

const worst = (frames: readonly number[]): number => frames[0] ?? 0;

/** The longest frame while something happens. */
async function worstFrame(page: Page, work: () => Promise<void>): Promise<number> {
  const frames = await watchFrames(page);
  await work();
  return worst(await frames.stop());
}

const idleFrame = (page: Page): Promise<number> => worstFrame(page, () => page.waitForTimeout(2_000));

/** Turns the wheel over an element, up and down again. */
async function scrollIn(page: Page, element: Locator): Promise<void> {
  await element.hover();
  for (const step of [-900, 900]) {
    for (let turn = 0; turn < 40; turn += 1) {
      await page.mouse.wheel(0, step);
      await page.waitForTimeout(25);
    }
  }
}

/** Milliseconds from the event of an action to the first frame in which the page shows a text. */
async function timeTo(page: Page, action: () => Promise<void>, text: string): Promise<number> {
  // The listeners are in place before the action, whose event would otherwise be missed.
  const watch = await page.evaluateHandle((wanted) => {
    const shown = new Promise<number>((resolve) => {
      let began = 0;
      const begin = (): void => void (began ||= performance.now());
      addEventListener('pointerdown', begin, { capture: true, once: true });
      addEventListener('input', begin, { capture: true, once: true });
      const look = (): void => {
        if (began > 0 && document.querySelector('main')?.textContent?.includes(wanted) === true)
          resolve(performance.now() - began);
        else requestAnimationFrame(look);
      };
      look();
    });
    return { shown };
  }, text);
  await action();
  return watch.evaluate(({ shown }) => shown);
}

async function measureLongSession(): Promise<void> {
  const home = temporaryFolder();
  const events = storeSession(home, { id: 'ses_long', title: 'A very long talk', turns, pieces: 2 });
  storeSession(home, { id: 'ses_short', title: 'A short talk', turns: 1, pieces: 1 });
  writeFileSync(join(home, 'ui_settings.json'), '{"lastSessionId":"ses_short"}');
  const { app, page } = await openWindow(patinaLaunch(home));
  await page.getByText('Piece 1 of answer 1.').waitFor();
  await page.waitForTimeout(2_000);
  const floor = await idleFrame(page);

  let time = 0;
  const opened = await worstFrame(page, async () => {
    const row = page.getByRole('button', { name: 'A very long talk', exact: true });
    time = await timeTo(page, () => row.click(), `Piece 2 of answer ${turns}.`);
    await page.waitForTimeout(500);
  });
  report({ name: `opening ${events} events`, value: time, goal: 600, unit: 'ms' });
  report({ name: 'worst frame meanwhile', value: opened, floor, goal, unit: 'ms' });

  const scrolled = await worstFrame(page, () => scrollIn(page, page.getByRole('log')));
  report({ name: 'worst frame, scrolling in them', value: scrolled, floor, goal: scrollGoal, unit: 'ms' });

  await page.keyboard.press('ControlOrMeta+f');
  await page.getByPlaceholder('Find in this session').waitFor();
  const found = await timeTo(page, () => page.keyboard.insertText(`answer ${turns - 1}`), 'of 2');
  report({ name: 'finding in them, from the key to the count', value: found, goal: 100, unit: 'ms' });
  await page.getByPlaceholder('Find in this session').fill('');
  const finding = await worstFrame(page, async () => {
    for (const letter of 'piece of') {
      await page.keyboard.type(letter);
      await page.waitForTimeout(200);
    }
    await page.waitForTimeout(1_000);
  });
  report({ name: 'worst frame, finding letter by letter', value: finding, floor, goal, unit: 'ms' });
  await app.close();
}

async function measureRail(): Promise<void> {
  const home = temporaryFolder();
  const talks = Array.from({ length: sessions }, (_, at) => at + 1);
  // By one store: a closed one keeps its file open until garbage collection.
  storeSessions(
    home,
    talks.map((at) => ({ id: `ses_${at}`, title: `Talk number ${at}`, turns: 0, pieces: 0 })),
  );
  const { app, page } = await openWindow(patinaLaunch(home));
  const rail = page.getByRole('navigation', { name: 'Sessions' });
  await rail.getByRole('listitem').first().waitFor();
  await page.waitForTimeout(2_000);
  const floor = await idleFrame(page);
  const scrolled = await worstFrame(page, () => scrollIn(page, rail.getByRole('listitem').first()));
  report({ name: `worst frame, rail of ${sessions}`, value: scrolled, floor, goal: scrollGoal, unit: 'ms' });
  await app.close();
}

await measureLongSession();
await measureRail();
