import { expect, type Locator, type Page } from '@playwright/test';
import { settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { startSink } from '../fixtures/sink';
import { composer, send } from '../fixtures/window';

/** Payloads of every family, pointed at a server that would notice. */
const hostile = (origin: string): string =>
  [
    `<script>window.planted = 'script'</script><script src="${origin}/script.js"></script>`,
    `<img src="${origin}/img.png" onerror="window.planted = 'img'"> <img src=x onerror=window.planted=1>`,
    `<svg onload="window.planted='svg'"><image href="${origin}/svg.png"/></svg>`,
    `<iframe src="${origin}/frame"></iframe><object data="${origin}/object"></object><embed src="${origin}/embed">`,
    `<style>@import url(${origin}/style.css); body { background: url(${origin}/background.png) }</style>`,
    `<link rel=prefetch href="${origin}/prefetch"><meta http-equiv=refresh content="0;url=${origin}/refresh">`,
    `<form action="${origin}/form"><button autofocus onfocus="window.planted='form'">x</button></form>`,
    `<div style="position:fixed;inset:0;background:url(${origin}/fixed.png)">covered</div>`,
    `![remote](${origin}/remote.png) ![protocol](//127.0.0.1:${new URL(origin).port}/protocol.png)`,
    `![data](data:image/svg+xml,<svg onload=alert(1)>) ![file](file:///etc/hostname) ![smb](smb://127.0.0.1/x)`,
    `[run](javascript:window.planted='link') [data](data:text/html,<script>alert(1)</script>) [vb](vbscript:x)`,
    `[file](file:///etc/passwd) [smb](smb://host/share) [//](//127.0.0.1/x) [t](java&#x0A;script:window.planted=1)`,
    `[![nested](${origin}/nested.png)](javascript:window.planted='nested')`,
    '```html\n<script>window.planted = "code"</script>\n```',
    `$\\href{javascript:window.planted='math'}{x}$ $\\includegraphics{${origin}/math.png}$`,
    '| <img src=x onerror="window.planted=1"> | b |\n|---|---|\n| [x](javascript:alert(1)) | c |',
    'THE END',
  ].join('\n\n');

/** Elements and attributes that a reply must never contain; main's policy is the second protection, not the first. */
async function expectHarmless(reply: Locator): Promise<void> {
  const found = await reply.evaluate((root) => {
    const elements = [
      ...root.querySelectorAll(
        'script, img:not([src^="data:image/png;base64,"]), iframe, object, embed, style, link, meta, form, input',
      ),
    ].map(({ tagName }) => tagName);
    const attributes = [...root.querySelectorAll('*')].flatMap(({ attributes: list }) =>
      [...list].filter(({ name, value }) => {
        if (name === 'href') return !/^https?:/.test(value);
        if (name === 'src') return !value.startsWith('data:image/png;base64,');
        return name.startsWith('on') || (name === 'style' && /url|fixed/.test(value));
      }),
    );
    return [...elements, ...attributes.map(({ name, value }) => `${name}=${value}`)];
  });
  expect(found).toEqual([]);
}

const planted = (page: Page) => page.evaluate(() => 'planted' in window);
const markup = (reply: Locator) => reply.locator('.markdown').innerHTML();

test('[H62] [H64] hostile Markdown, one character at a time and from history: nothing runs, loads or navigates', async ({
  startModel,
  launchOn,
}) => {
  const sink = await startSink();
  const text = hostile(sink.origin);
  const model = await startModel({ replies: [{ text: [...text] }] });
  const first = await launchOn(model);
  await send(first.page, 'Hurt me');
  const streamed = await settled(first.page, 1);
  await expect(streamed).toContainText('THE END');
  await expect(streamed).toContainText("window.planted = 'script'");
  await expect(streamed.locator('[data-math=waiting]')).toHaveCount(0);
  await expectHarmless(streamed);
  const drawn = await markup(streamed);
  for (const link of await streamed.getByText(/^(run|data|file|smb|nested)$/).all()) {
    await link.click();
  }
  expect(await planted(first.page)).toBe(false);
  expect(first.page.url()).toBe('app://patina/index.html?lang=en');
  await first.app.close();

  const { app, page } = await launchOn(model);
  const fromHistory = await settled(page, 1);
  await expect(fromHistory).toContainText('THE END');
  await expect(fromHistory.locator('[data-math=waiting]')).toHaveCount(0);
  await expectHarmless(fromHistory);
  expect(await planted(page)).toBe(false);
  expect(await markup(fromHistory)).toBe(drawn);
  expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  expect(sink.hits).toEqual(['/control']);
  sink.close();
});

/** Records the longest time between two frames from now on; reading it ends the recording. */
async function watchFrames(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const record = window as unknown as { longestFrame: number; watching: boolean };
    record.longestFrame = 0;
    record.watching = true;
    let last = performance.now();
    const look = (): void => {
      const now = performance.now();
      record.longestFrame = Math.max(record.longestFrame, now - last);
      last = now;
      if (record.watching) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  return () =>
    page.evaluate(() => {
      const record = window as unknown as { longestFrame: number; watching: boolean };
      record.watching = false;
      return Math.round(record.longestFrame);
    });
}

const double = (name: string, times: string) => `\\def\\${name}{${`\\${times}`.repeat(8)}}`;
const bombs = [
  '```mermaid\ngraph TD; A["<img src=x onerror=window.planted=1>"]-->B; click A "javascript:window.planted=1"\n```',
  `$$\n\\def\\a{xx}${double('b', 'a')}${double('c', 'b')}${double('d', 'c')}${double('e', 'd')}\\e\\e\n$$`,
  '$\\href{javascript:window.planted=1}{x}$ $\\includegraphics{x.png}$ $\\htmlStyle{position:fixed}{y}$',
].join('\n\n');
const megabytes5 = Array.from({ length: 500 }, (_, n) => `Part ${n} ${'<b>word</b> '.repeat(833)}\n`);

test('[H67] markup bombs and a message of 5 MB are shown as text, and the window stays usable', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    replies: [{ text: [bombs] }, { text: ['>'.repeat(100_000), '\n\nBELOW'] }, { text: megabytes5 }],
  });
  const { page } = await launchOn(model);
  const longestFrame = await watchFrames(page);
  await send(page, 'bombs');
  const static1 = await settled(page, 1);
  // The diagram is either a picture or its source, and neither contains anything active.
  await expect(static1.getByRole('figure', { name: 'Diagram' })).toBeVisible();
  await static1.getByRole('button', { name: 'Show the source' }).click();
  await expect(static1).toContainText('graph TD; A["<img src=x onerror=window.planted=1>"]-->B');
  await expect(static1.locator('[data-math=waiting]')).toHaveCount(0);
  await expectHarmless(static1);
  await expect(static1.locator('svg[id*=mermaid], a[href*=javascript]')).toHaveCount(0);

  await send(page, 'quotes');
  await expect(await settled(page, 2)).toContainText('BELOW');

  await send(page, 'five megabytes');
  await composer(page).fill('typed while it comes');
  await expect(turn(page, 3).getByRole('region', { name: 'Very long message' })).toBeVisible();
  const huge = await settled(page, 3);
  await expect(huge).toContainText(/shown as plain text · 5\.\d million characters/);
  expect((await huge.locator('.markdown').textContent())?.length).toBeLessThan(100_000);
  await expect(composer(page)).toHaveValue('typed while it comes');
  expect(await planted(page)).toBe(false);
  const longest = await longestFrame();
  test.info().annotations.push({ type: 'longest frame', description: `${longest} ms` });
  expect(longest).toBeLessThan(1_000);
});

test('a table with extremely long words stays readable', async ({ startModel, launchOn }) => {
  const words = 'word '.repeat(60);
  const address = `https://example.com/${'p'.repeat(300)}`;
  const text = `| a | long |\n|---|---|\n| x | ${words} |\n| \`${'y'.repeat(200)}\` | ${address} |\n\nBELOW`;
  const { page } = await launchOn(await startModel({ replies: [{ text: [text] }] }));
  await send(page, 'a table');
  const reply = await settled(page, 1);
  await expect(reply).toContainText('BELOW');
  const frame = reply.getByRole('region', { name: 'Table' });
  const [whole, code] = await Promise.all([
    frame.boundingBox(),
    frame.locator('td', { has: page.locator('code') }).boundingBox(),
  ]);
  expect(code?.width).toBeGreaterThan(150);
  expect(whole?.height).toBeLessThan(500);
  expect(await frame.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
});
