import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { startScriptedModel } from '../src/testing/scripted-model';
import { emptyLaunch, patinaLaunch, temporaryFolder } from './lib/launches';
import { openWindow } from './lib/open-window';
import { report } from './lib/report';
import { recordTasks } from './lib/task-times';
import { p95, typeUntil, type Typing } from './lib/typing';

const short = process.env['PATINA_BENCH_SHORT'] === '1';
const tokensPerSecond = 500;
const tokens = short ? 4_000 : 20_000;

/** Prose, lists, tables and code by turns: about `count` tokens of what models write. */
function replyText(count: number): string {
  const parts: string[] = [];
  for (let at = 0, written = 0; written < count; at += 1) {
    const section = [
      `## Part ${at + 1}`,
      'A paragraph with **strong** words, `code` and a [link](https://example.org/page), long enough to break over a few lines of the column it stands in. '.repeat(
        3,
      ),
      '1. first\n2. second, with `code`\n3. third',
      '| name | value |\n|---|---|\n| one | 1 |\n| two | 2 |',
      `\`\`\`ts\n${Array.from({ length: 12 }, (_, line) => `const value${line} = compute(${line}, 'text'); // ${at}`).join('\n')}\n\`\`\``,
    ].join('\n\n');
    parts.push(section);
    written += section.split(/\s+/).length;
  }
  return parts.join('\n\n');
}

/** Resolves when the page has no stop button any more. The driver would check every element of the reply, many times. */
function streamEnd(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const watch = setInterval(() => {
          if (document.querySelector('button[aria-label="Stop"]') !== null) return;
          clearInterval(watch);
          resolve();
        }, 250);
      }),
  );
}

/** In the page: writes something as often as a reply that streams is drawn, and nothing else. */
function move(): void {
  const line = document.body.appendChild(document.createElement('p'));
  let frames = 0;
  const draw = (): void => {
    frames += 1;
    if (frames % 2 === 0) line.textContent = `${frames}`;
    requestAnimationFrame(draw);
  };
  draw();
}

/** `moving`: a window that draws frame after frame shows a key with the next of them, however little it does. */
async function typeInEmptyWindow({ moving }: { readonly moving: boolean }): Promise<Typing> {
  const { app, page } = await openWindow(emptyLaunch(temporaryFolder()));
  if (moving) await page.evaluate(move);
  const typing = await typeUntil(page, page.waitForTimeout(short ? 4_000 : 10_000));
  await app.close();
  return typing;
}

interface Streaming extends Typing {
  readonly seconds: number;
  /** Milliseconds of processor time of each task of the window's main thread. */
  readonly tasks: readonly number[];
}

const chips = 20;

/** Attaches files to the next line, which is typed while the reply streams. */
async function attachFiles(page: Page, folder: string): Promise<void> {
  const files = Array.from({ length: chips }, (_, at) => join(folder, `attached-${at}.txt`));
  for (const file of files) writeFileSync(file, `${file}\n`.repeat(200));
  await page.locator('input[data-attach]').setInputFiles(files);
  await page
    .getByRole('button', { name: 'Remove attached-' })
    .nth(chips - 1)
    .waitFor();
}

async function typeWhileStreaming(): Promise<Streaming> {
  const model = await startScriptedModel({ replies: [{ text: replyText(tokens), tokensPerSecond }] });
  const env = { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'sk-bench', PATINA_MODEL: 'scripted' };
  const folder = temporaryFolder();
  const { app, page } = await openWindow(patinaLaunch(folder, env));
  await page.getByRole('button', { name: /^Model: scripted/ }).waitFor();
  await page.locator('textarea').fill('Tell me everything');
  await page.locator('textarea').press('Enter');
  await model.chat(0);
  const started = performance.now();
  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  await stop.waitFor();
  await attachFiles(page, folder);
  const endRecord = await recordTasks(app, folder);
  const typing = await typeUntil(page, streamEnd(page));
  const seconds = (performance.now() - started) / 1_000;
  const tasks = await endRecord();
  await app.close();
  await model.close();
  return { ...typing, seconds, tasks };
}

const longest = (tasks: readonly number[]): number => tasks.reduce((most, one) => Math.max(most, one), 0);

const still = await typeInEmptyWindow({ moving: false });
const moving = await typeInEmptyWindow({ moving: true });
const streaming = await typeWhileStreaming();
report({
  name: `a reply of ${tokens} tokens at ${tokensPerSecond}/s, to its end`,
  value: streaming.seconds,
  floor: tokens / tokensPerSecond,
  goal: 1.1,
  unit: 's',
});
report({
  name: 'longest task of the window meanwhile, its own time',
  value: longest(streaming.tasks),
  goal: 50,
  unit: 'ms',
});
report({
  name: 'longest task by the clock, others waited for (0: under 50)',
  value: longest(streaming.longTasks),
  goal: 50,
  unit: 'ms',
});
report({
  name: `key to handled with ${chips} chips, p95`,
  value: p95(streaming.handled),
  goal: 16,
  unit: 'ms',
});
report({ name: 'key to handled, p95, empty window', value: p95(still.handled), goal: 16, unit: 'ms' });
report({
  name: 'key to the frame that shows it, with the chips, p95; floor: an empty window that draws as often',
  value: p95(streaming.shown),
  floor: p95(moving.shown),
  goal: 1.5,
  unit: 'ms',
});
