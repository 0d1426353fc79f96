import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stage } from './state-row';
import { narrow, resize, twoFrames, wide } from './window-size';

/** What is on the screen, in its own pixels: a driver's picture of a zoomed page shows a corner of it. */
async function capture({ app }: Stage): Promise<Buffer> {
  const png = await app.evaluate(async ({ BrowserWindow }) => {
    const picture = await BrowserWindow.getAllWindows()[0]?.webContents.capturePage();
    return picture?.toPNG().toString('base64') ?? '';
  });
  return Buffer.from(png, 'base64');
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
