import { join } from 'node:path';
import { narrow, resize, twoFrames, wide } from './play-scene';
import type { Stage } from './state-row';

const themes = ['light', 'dark'] as const;

/** Takes a state in both themes and two widths: `<name>-<theme>-<width>.png`. */
export async function takePictures(stage: Stage, name: string, folder: string): Promise<void> {
  const { page } = stage;
  for (const size of [wide, narrow]) {
    await resize(stage, size);
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await twoFrames(page);
      await page.screenshot({
        path: join(folder, `${name}-${theme}-${size.width}.png`),
        animations: 'disabled',
      });
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}
