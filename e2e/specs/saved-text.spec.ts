import { expect } from '@playwright/test';
import { ask, newestSession, settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { send } from '../fixtures/window';

test('[START-saved-shown] text of a growing reply that is drawn as saved is restored after kill -9', async ({
  startModel,
  launchOn,
}) => {
  const pieces = Array.from({ length: 400 }, (_, at) => `word${at} `);
  const model = await startModel({ replies: [{ text: pieces, gated: true }] });
  const { app, page, pid } = await launchOn(model);
  await send(page, 'Write');
  model.release(1);
  await expect(turn(page, 1)).toContainText('word0');
  const sessionId = await newestSession(page);
  const saved = async () =>
    (await ask(page, 'session-open', { sessionId })).blocks.flat()[0]?.reply?.text ?? '';
  await expect.poll(saved).toContain('word0');
  model.release(79);
  await expect(turn(page, 1)).toContainText('word79');
  /** The shown text, and how much of its end the window draws as unsaved. */
  const shown = await page.evaluate(() => {
    const text = document.querySelector('[data-turn="0"] .markdown')?.textContent ?? '';
    const [range] = (CSS.highlights.get('unsaved') ?? []) as Iterable<Range>;
    return { text, unsaved: range ? range.cloneContents().textContent : '' };
  });
  process.kill(pid, 'SIGKILL');
  await app.close().catch(() => undefined);
  expect(shown.text.endsWith(shown.unsaved)).toBe(true);
  const drawnAsSaved = shown.text.slice(0, shown.text.length - shown.unsaved.length).trim();
  expect(drawnAsSaved).toContain('word0');
  const again = await launchOn(model);
  const over = await settled(again.page, 1);
  await expect(over).toContainText(drawnAsSaved);
  await expect(over).toContainText('Interrupted');
  expect(await again.page.evaluate(() => CSS.highlights.has('unsaved'))).toBe(false);
});

test('[START-saved-shown] new words are drawn as unsaved before they are on disk, and as saved afterwards', async ({
  startModel,
  launchOn,
}) => {
  const pieces = Array.from({ length: 6 }, (_, index) => `Piece ${index} comes. `);
  const model = await startModel({ replies: [{ text: [...pieces, 'End.'], gated: true }] });
  const { page } = await launchOn(model);
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    const look = () => {
      const [range] = (CSS.highlights.get('unsaved') ?? []) as Iterable<Range>;
      const text = range ? range.cloneContents().textContent : '';
      if (seen.at(-1) !== text) seen.push(text);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await send(page, 'Write');
  const seen = () => page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  for (const [index] of pieces.entries()) {
    model.release(1);
    await expect(turn(page, 1)).toContainText(`Piece ${index} comes.`);
    await expect.poll(async () => (await seen()).at(-1)).toBe('');
  }
  // A busy window may draw a part only after it was saved; it cannot do so with all of them.
  expect((await seen()).join('|')).toMatch(/Piece \d comes\./);
  model.release(1);
  await settled(page, 1);
});
