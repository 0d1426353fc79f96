import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stage } from './state-row';
import { narrow, resize, twoFrames, wide } from './window-size';

/** The screen itself, as soon as it is stable. */
async function screenOf({ app, page }: Stage): Promise<Buffer> {
  const look = () =>
    app.evaluate(async ({ BrowserWindow }) => {
      const picture = await BrowserWindow.getAllWindows()[0]?.webContents.capturePage();
      return picture?.toPNG().toString('base64') ?? '';
    });
  for (let before = await look(), left = 20; ; before = await look(), left -= 1) {
    await twoFrames(page);
    if (left === 0 || (await look()) === before) return Buffer.from(before, 'base64');
  }
}

/** The driver's picture of a zoomed page shows a corner of it, and the screen may be a frame late: each where it is right. */
async function capture(stage: Stage): Promise<Buffer> {
  const zoom = await stage.app.evaluate(
    ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getZoomFactor() ?? 1,
  );
  return zoom === 1 ? stage.page.screenshot({ animations: 'disabled' }) : screenOf(stage);
}

const themes = ['light', 'dark'] as const;

/** Takes a state in both themes and two widths: `<name>-<theme>-<width>.png`. */
export async function takePictures(stage: Stage, name: string, folder: string): Promise<void> {
  const { page } = stage;
  await mkdir(folder, { recursive: true });
  for (const size of [wide, narrow]) {
    await resize(stage, size);
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await twoFrames(page);
      await writeFile(join(folder, `${name}-${theme}-${size.width}.png`), await capture(stage));
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}
