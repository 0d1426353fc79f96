import { expect, type Page } from '@playwright/test';
import { axeFindings } from '../fixtures/axe';
import { planOf, scriptNode } from '../fixtures/command-line';
import { ask, settled, turn } from '../fixtures/conversation';
import { planReply, runOver } from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { shots } from '../fixtures/shots';
import { composer, send, switchMode } from '../fixtures/window';

/** From now on, records what the window announces, in order. */
function recordAnnouncements(page: Page): Promise<void> {
  return page.evaluate(() => {
    const region = document.querySelector('[role=status][aria-live]');
    const said: string[] = [];
    Object.assign(window, { said });
    new MutationObserver(() => said.push(region?.textContent?.trim() ?? '')).observe(region ?? document, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
}
const announced = (page: Page) =>
  page.evaluate(() => (window as unknown as { said: string[] }).said.filter(Boolean));

const write = scriptNode(
  'write',
  "await tools.filesystem.write_file({ path: 'docs/one.txt', content: 'one' }); return { summary: 'put' };",
  ['mcp://filesystem.write_file'],
);

test('[A11Y-tree] [A11Y-approval-names] Ask, a run and an approval in the accessibility tree', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    replies: [
      { match: /^What/, text: ['An ', '**answer**.'], gated: true },
      planReply('Write it', planOf([write], 'Written.')),
    ],
  });
  const { page } = await launchOn(model);
  await recordAnnouncements(page);
  await send(page, 'What is it?');
  model.release(1);
  await expect(turn(page, 1)).toContainText('An');
  model.release(1);
  await settled(page, 1);
  await expect(page.getByRole('log', { name: 'Conversation' })).toMatchAriaSnapshot(`
    - log "Conversation":
      - article "Turn 1":
        - heading "Turn 1" [level=2]
        - text: /What is it\\?/
        - button "Edit"
        - button "Copy message"
        - paragraph:
          - text: An
          - strong: answer
        - button "Copy reply"
        - button "Retry"
        - button "Open in the inspector"
  `);
  expect(await announced(page)).toEqual(expect.arrayContaining(['Reply started', 'Reply finished']));

  await switchMode(page, 'Agent Mode');
  await send(page, 'Write it');
  const card = turn(page, 2).getByRole('group', { name: 'Approval needed: Step write' });
  await expect(card).toMatchAriaSnapshot(`
    - 'group "Approval needed: Step write"':
      - button "Show exact arguments"
      - combobox "Remember this answer"
      - 'button "No, instead …: filesystem.write_file docs/one.txt"'
      - 'button "Deny: filesystem.write_file docs/one.txt"'
      - 'button "Approve: filesystem.write_file docs/one.txt"'
  `);
  await expect
    .poll(() => announced(page))
    .toEqual(expect.arrayContaining([expect.stringContaining('Approval needed')]));
  await card.getByRole('button', { name: 'Approve: filesystem.write_file docs/one.txt' }).press('Enter');
  const over = await runOver(page, 2);
  await expect(over).toContainText('1 write made');
  await expect
    .poll(() => announced(page))
    .toEqual(expect.arrayContaining([expect.stringContaining('Run finished')]));
  await expect(page.getByRole('main')).toMatchAriaSnapshot(`
    - main:
      - log "Conversation":
        - article "Turn 1"
        - article "Turn 2"
      - form "Message":
        - textbox "Message"
        - radiogroup "Mode":
          - radio "Ask"
          - radio "Agent Mode" [checked]
  `);
});

for (const theme of ['light', 'dark'] as const) {
  test(`[A11Y-compact] axe finds no small target in compact density, ${theme}`, async ({
    startModel,
    launchOn,
  }) => {
    const model = await startModel({ replies: [{ text: 'Words.\n\n```ts\nconst one = 1;\n```\n' }] });
    const { app, page } = await launchOn(model);
    await ask(page, 'settings-set', { theme, density: 'compact', inspectorOpen: true });
    await send(page, 'Code');
    await (await settled(page, 1)).hover();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await axeFindings(page)).toEqual([]);
    await shots({ app, page }, 'compact');
    await page.keyboard.press('Control+,');
    expect(await axeFindings(page)).toEqual([]);
  });
}

const code =
  '```ts\n// why\nexport class One<T> { two = "three" + 4; five(six: number): T { return this.two; } }\n```\n';

/** The lowest contrast of the coloured words of code with their ground. */
const lowestContrast = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const luminance = (colour: string): number => {
      if (!canvas) return 0;
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [r = 0, g = 0, b = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const names = ['keyword', 'string', 'number', 'comment', 'function', 'type', 'variable'];
    const probe = document.body.appendChild(document.createElement('span'));
    const colourOf = (name: string): string => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const ground = luminance(colourOf('--color-code'));
    const contrasts = names.map((name) => {
      const ink = luminance(colourOf(`--color-syntax-${name}`));
      return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
    });
    probe.remove();
    return Math.min(...contrasts);
  });

test('[A11Y-code-contrast] every code theme is readable in light and dark', async ({
  startModel,
  launchOn,
}) => {
  const { app, page } = await launchOn(await startModel({ replies: [{ text: code }] }));
  await send(page, 'Code');
  await settled(page, 1);
  for (const codeTheme of ['patina', 'vivid', 'plain'] as const) {
    await ask(page, 'settings-set', { codeTheme });
    await expect(page.locator('html')).toHaveAttribute('data-code-theme', codeTheme);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await lowestContrast(page), `${codeTheme}, ${colorScheme}`).toBeGreaterThanOrEqual(4.5);
    }
    await shots({ app, page }, `code-${codeTheme}`);
  }
});

test('[A11Y-forced-states] in forced colours, states differ by a word or a symbol', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    replies: [
      { match: /Slowly/, text: ['begins ', 'ends.'], gated: true },
      planReply('Write it', planOf([write], 'Written.')),
    ],
  });
  const { app, page } = await launchOn(model);
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  const mark = (word: string) => page.getByRole('navigation', { name: 'Sessions' }).getByTitle(word);
  await send(page, 'Slowly');
  const working = await mark('working').screenshot({ animations: 'disabled' });
  model.release(2);
  await settled(page, 1);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Write it');
  const card = turn(page, 2).getByRole('group', { name: /^Approval needed/ });
  await expect(card).toBeVisible();
  const row = page.getByRole('navigation', { name: 'Sessions' }).getByRole('listitem').first();
  await expect(row).toContainText('needs you');
  // The word is for screen readers; what is drawn differs as well.
  expect(working.equals(await mark('needs you').screenshot({ animations: 'disabled' }))).toBe(false);
  const approve = card.getByRole('button', { name: /^Approve/ });
  for (const part of [card, approve])
    expect(await part.evaluate((element) => getComputedStyle(element).borderTopStyle)).toBe('solid');
  await shots({ app, page }, 'forced-approval');
  await approve.click();
  await expect(await runOver(page, 2)).toContainText('Done');
  await shots({ app, page }, 'forced-done');
});

test('[A11Y-zoom-motion] 200 % zoom cuts nothing off, and reduced motion stops every animation', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ text: ['begins ', 'ends.'], gated: true }] });
  const { app, page } = await launchOn(model);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await ask(page, 'settings-set', { zoom: 200 });
  await expect
    .poll(() =>
      app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getZoomFactor()),
    )
    .toBe(2);
  await send(page, 'Slowly');
  model.release(1);
  await expect(turn(page, 1)).toContainText('begins');
  const running = () =>
    page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length);
  await expect.poll(running).toBe(0);
  model.release(1);
  await settled(page, 1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  const box = await composer(page).boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(await page.evaluate(() => innerWidth));
  await shots({ app, page }, 'zoom-200');
});
