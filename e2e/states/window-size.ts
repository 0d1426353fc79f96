import { expect, type Page } from '@playwright/test';
import type { Stage } from './state-row';

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
