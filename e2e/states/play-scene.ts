import { expect, type Page } from '@playwright/test';
import { ask } from '../fixtures/conversation';
import { composer } from '../fixtures/window';
import type { Scene, Stage, StateRow } from './state-row';

/** A size of the window's content, in pixels of the screen. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export const wide: Size = { width: 1280, height: 820 };
export const narrow: Size = { width: 600, height: 820 };

/** Gives the window a size, and waits until the page has it. */
export async function resize({ app, page }: Stage, size: Size): Promise<void> {
  const zoom = await app.evaluate(({ BrowserWindow }, { width, height }) => {
    const [window] = BrowserWindow.getAllWindows();
    window?.setContentSize(width, height);
    return window?.webContents.getZoomFactor() ?? 1;
  }, size);
  await expect.poll(() => page.evaluate(() => innerWidth)).toBe(Math.round(size.width / zoom));
  await twoFrames(page);
}

/** What follows a change of size or theme has been drawn. */
export function twoFrames(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
      }),
  );
}

async function startAnew(stage: Stage): Promise<void> {
  await ask(stage.page, 'settings-set', { mode: 'ask', inspectorOpen: false });
  await stage.page.keyboard.press('Control+n');
  await expect(composer(stage.page)).toBeFocused();
  await expect(stage.page.getByRole('list', { name: 'Things to try' })).toBeVisible();
}

/** Brings the stage from one state of a scene to the next and has each looked at, in the order of the rows. */
export async function playScene(
  scene: Scene,
  stage: Stage,
  look: (row: StateRow) => Promise<void>,
): Promise<void> {
  for (const row of scene.rows) {
    await resize(stage, wide);
    if (row.asOpened !== true) await startAnew(stage);
    await row.reach(stage);
    await look(row);
    await row.leave?.(stage);
  }
}
