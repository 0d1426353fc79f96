import type { Page } from '@playwright/test';

/** Measurements of the main thread and of each key during typing; milliseconds. */
export interface Typing {
  /** From the key to the end of everything that handles it. */
  readonly handled: readonly number[];
  /** From the key to the end of the frame that shows it. */
  readonly shown: readonly number[];
  /** Tasks of the main thread of 50 ms and more. */
  readonly longTasks: readonly number[];
}

/** In the page: begins to watch. The listener is on the window, in the bubble phase: after the page's own. */
function watch(): void {
  const record = { handled: [] as number[], shown: [] as number[], longTasks: [] as number[] };
  (window as unknown as { typing: typeof record }).typing = record;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) record.longTasks.push(duration);
  }).observe({ type: 'longtask' });
  window.addEventListener('input', ({ timeStamp }) => {
    record.handled.push(performance.now() - timeStamp);
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => record.shown.push(performance.now() - timeStamp);
      port2.postMessage(null);
    });
  });
}

const words = 'the quick brown fox jumps over the lazy dog ';
/** About the speed of a fast typist. */
const keyMs = 60;

/** Types into the page's field until `until` settles, and returns the measurements. */
export async function typeUntil(page: Page, until: Promise<unknown>): Promise<Typing> {
  await page.evaluate(watch);
  let over = false;
  const ended = until.then(() => (over = true));
  await page.locator('textarea').focus();
  for (let at = 0; !over; at += 1) {
    // By the keyboard and not by the field: looking the field up again costs the page more than the key does.
    await page.keyboard.press(words[at % words.length] === ' ' ? 'Space' : (words[at % words.length] ?? 'x'));
    await page.waitForTimeout(keyMs);
  }
  await ended;
  return page.evaluate(() => (window as unknown as { typing: Typing }).typing);
}

/** The 95th percentile. */
export function p95(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? 0;
}
