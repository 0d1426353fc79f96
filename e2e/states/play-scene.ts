import { expect } from '@playwright/test';
import { ask } from '../fixtures/conversation';
import { composer } from '../fixtures/window';
import type { Scene, Stage, StateRow } from './state-row';
import { resize, wide } from './window-size';

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
  await resize(stage, wide);
  for (const row of scene.rows) {
    if (row.asOpened !== true) await startAnew(stage);
    await row.reach(stage);
    // The pointer rests where it hovers over nothing.
    await stage.page.mouse.move(0, 0);
    await look(row);
    // In a narrow window panels cover the controls that a way out needs.
    await resize(stage, wide);
    await row.leave?.(stage);
  }
}
