import type { Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { axeFindings } from '../fixtures/axe';
import { test } from '../fixtures/command-line';
import { composer } from '../fixtures/window';
import { ownWorkspace, panel } from '../fixtures/workspace';
import { bodies, say, state, system } from '../fixtures/workspace-wire';

/** Both the palette and the pickers are dialogs with a field to type in. */
const picker = (page: Page): Locator => page.getByRole('dialog').filter({ has: page.getByRole('combobox') });

/** Finds a command in the palette by its words and executes it, by keyboard alone. */
async function fromPalette(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('combobox').fill(name.toLowerCase());
  const option = palette.getByRole('option').filter({ hasText: name }).first();
  await expect(option).toBeVisible();
  for (let left = 20; left > 0 && (await option.getAttribute('aria-selected')) !== 'true'; left -= 1) {
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await expect(palette).toHaveCount(0);
}

/** Types into the open picker and chooses the remaining item. */
async function take(page: Page, typed: string, found: RegExp): Promise<void> {
  await picker(page).getByRole('combobox').fill(typed);
  await expect(picker(page).getByRole('option', { selected: true })).toContainText(found);
  await page.keyboard.press('Enter');
  await expect(picker(page)).toHaveCount(0);
}

/** Sends a line as it was typed: Escape leaves the list of completions, from which Enter would choose. */
async function command(page: Page, line: string): Promise<void> {
  await composer(page).fill(line);
  await composer(page).press('Escape');
  await composer(page).press('Enter');
}

// An executed command is a turn of the conversation, too.
test('[P3-Z-palette] every workspace command of the palette is executed, and its effect is visible in the next line', async ({
  startModel,
  launchOn,
  project,
}) => {
  const { say: write } = ownWorkspace(project);
  const model = await startModel({ replies: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] });
  const { page } = await launchOn(model);
  await say(page, 1, 'how wide is the sea');

  write('Synced from the palette.');
  await fromPalette(page, 'Sync an agent workspace');
  await take(page, 'default', /default/);
  await expect.poll(async () => (await state(page)).pending).not.toBeNull();
  expect((await state(page)).waiting).toBeNull();

  await fromPalette(page, 'Apply the agent workspace');
  await take(page, 'once', /At once/);
  await expect.poll(async () => (await state(page)).pending).toBeNull();
  const applied = (await state(page)).active;

  await fromPalette(page, 'Use instructions');
  await take(page, 'conc', /concise/);
  await expect.poll(async () => (await state(page)).promptPack).toBe('concise');
  await fromPalette(page, 'Use a tool set');
  await take(page, 'read', /reading/);
  await expect.poll(async () => (await state(page)).toolCatalog).toBe('reading');
  await say(page, 6, 'and how deep is it');
  expect(system(bodies(model).at(-1))).toContain('Synced from the palette.');
  expect(system(bodies(model).at(-1))).toContain('At most three sentences');

  await fromPalette(page, 'Go back to an earlier version');
  await expect(picker(page).getByRole('option')).not.toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await state(page)).waiting).not.toBeNull();
  await say(page, 8, 'and how cold is it');
  expect((await state(page)).active).not.toBe(applied);
  expect(system(bodies(model).at(-1))).not.toContain('Synced from the palette.');

  await fromPalette(page, 'Workspace: sync, compare and apply');
  await expect(panel(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panel(page)).toHaveCount(0);
});

test('[P3-Z-palette] each list of the workspace opens from the palette and by its own slash name, and applies the choice', async ({
  startModel,
  launchOn,
  project,
}) => {
  const { say: write } = ownWorkspace(project);
  const model = await startModel({ replies: [{ text: 'One.' }] });
  const { page } = await launchOn(model);
  await say(page, 1, 'how wide is the sea');

  await fromPalette(page, 'Instructions');
  expect(await axeFindings(page)).toEqual([]);
  await take(page, 'conc', /concise/);
  await expect.poll(async () => (await state(page)).promptPack).toBe('concise');
  await command(page, '/packs');
  await take(page, 'default', /default/);
  await expect.poll(async () => (await state(page)).promptPack).toBe('default');

  await fromPalette(page, 'Tool sets');
  await take(page, 'read', /reading/);
  await expect.poll(async () => (await state(page)).toolCatalog).toBe('reading');
  await command(page, '/catalogs');
  await take(page, 'default', /default/);
  await expect.poll(async () => (await state(page)).toolCatalog).toBe('default');

  write('Synced from a list.');
  await fromPalette(page, 'Agent workspaces');
  await take(page, 'default', /default/);
  await expect.poll(async () => (await state(page)).pending).not.toBeNull();
  await command(page, '/apply-moments');
  await take(page, 'once', /At once/);
  await expect.poll(async () => (await state(page)).history.length).toBe(2);
  write('Synced by a slash name.');
  await command(page, '/workspaces');
  await take(page, 'default', /default/);
  await expect.poll(async () => (await state(page)).pending).not.toBeNull();
  await fromPalette(page, 'Moments to apply');
  await take(page, 'next step', /At the next step/);
  await expect.poll(async () => (await state(page)).waiting?.when).toBe('next_step_boundary');

  const { history } = await state(page);
  const first = history[0]?.hash ?? '';
  await command(page, '/snapshots');
  await take(page, first.slice(0, 8), new RegExp(first.slice(0, 12)));
  await expect.poll(async () => (await state(page)).waiting?.hash).toBe(first);
  await fromPalette(page, 'Workspace versions');
  await expect(picker(page).getByRole('option')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(picker(page)).toHaveCount(0);
});
