import { expect, type Page } from '@playwright/test';
import { axeFindings } from '../fixtures/axe';
import { test } from '../fixtures/scripted';
import { playScene } from '../states/play-scene';
import { sampleOf } from '../states/sample-of';
import { fillSampleProject } from '../states/sample-project';
import { scenes } from '../states/scenes';
import type { StateRow } from '../states/state-row';
import { narrow, resize, twoFrames, wide } from '../states/window-size';

/** Another seed checks other states: `PATINA_STATES_SEED=7`. */
const seed = Number(process.env['PATINA_STATES_SEED'] ?? '1');
const rowsPerScene = 3;

const overflow = (page: Page) =>
  page.evaluate(() => (document.scrollingElement?.scrollWidth ?? 0) - window.innerWidth);

async function problemsOf(page: Page): Promise<readonly string[]> {
  const said = await page.consoleMessages();
  const thrown = await page.pageErrors();
  return [
    ...said.filter((message) => message.type() === 'error').map((message) => message.text()),
    ...thrown.map(({ message }) => message),
  ];
}

for (const scene of scenes.filter(({ rows }) => rows.length > rowsPerScene)) {
  const rows: readonly StateRow[] = sampleOf(scene.rows, rowsPerScene, seed);
  const names = rows.map(({ name }) => name).join(', ');
  test(`[UI-states] ${scene.name}: ${names} fit their window, say no error and satisfy axe`, async ({
    home,
    project,
    launch,
    startModel,
    launchOn,
  }) => {
    await fillSampleProject(project);
    const stage = await scene.open({ home, project, launch, startModel, launchOn });
    const { page } = stage;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await playScene({ ...scene, rows }, stage, async ({ name }) => {
      for (const [size, colorScheme] of [
        [wide, 'light'],
        [narrow, 'dark'],
      ] as const) {
        const place = `${name}, ${colorScheme}, ${size.width}`;
        await resize(stage, size);
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await twoFrames(page);
        expect.soft(await overflow(page), `${place}: wider than the window`).toBeLessThanOrEqual(0);
        expect.soft(await axeFindings(page), place).toEqual([]);
      }
    });
    expect(await problemsOf(page)).toEqual([]);
  });
}
