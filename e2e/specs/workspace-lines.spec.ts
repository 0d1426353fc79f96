import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { drawnPng } from '../../src/testing/drawn-png';
import { axeFindings } from '../fixtures/axe';
import { test } from '../fixtures/command-line';
import { turn } from '../fixtures/conversation';
import { composer, send } from '../fixtures/window';
import { apply, openPanel, ownWorkspace, sync } from '../fixtures/workspace';
import { bodies, say, state } from '../fixtures/workspace-wire';

test('[P3-Z-slash] /pack, /catalog, /sync, /apply and /snapshot are executed in the window, with pickers filtered by the typed text', async ({
  startModel,
  launchOn,
  project,
}) => {
  const { say: write } = ownWorkspace(project);
  const model = await startModel({ replies: [{ text: 'One.' }, { text: 'Two.' }] });
  const { page } = await launchOn(model);
  await say(page, 1, 'how wide is the sea');
  const picker = page.getByRole('dialog').filter({ has: page.getByRole('combobox') });
  /** Sends a line as it was typed: Escape leaves the list of completions, from which Enter would choose. */
  const command = async (line: string) => {
    await composer(page).fill(line);
    await composer(page).press('Escape');
    await composer(page).press('Enter');
  };
  /** Sends a command with the beginning of a name, and chooses the remaining item of the picker. */
  const pick = async (line: string, typed: string, found: RegExp) => {
    await command(`${line} ${typed}`);
    await expect(picker.getByRole('combobox')).toHaveValue(typed);
    await expect(picker.getByRole('option', { selected: true })).toContainText(found);
    await expect(picker.getByRole('option')).toHaveCount(1);
    await page.keyboard.press('Enter');
    await expect(picker).toHaveCount(0);
  };
  await pick('/pack', 'conc', /concise/);
  await expect.poll(async () => (await state(page)).promptPack).toBe('concise');
  // By completion: Enter takes the name into the line, and sends it with the next.
  await composer(page).fill('/catalog read');
  await expect(page.getByRole('option', { name: /reading/ })).toBeVisible();
  await composer(page).press('Enter');
  await expect(composer(page)).toHaveValue('/catalog reading');
  await composer(page).press('Enter');
  await expect.poll(async () => (await state(page)).toolCatalog).toBe('reading');
  await command('/catalog default');
  await expect.poll(async () => (await state(page)).toolCatalog).toBe('default');
  await pick('/catalog', 'read', /reading/);
  await expect.poll(async () => (await state(page)).toolCatalog).toBe('reading');
  write('By command.');
  await pick('/sync', 'defa', /default/);
  await expect.poll(async () => (await state(page)).pending).not.toBeNull();
  await pick('/apply', 'once', /At once/);
  await expect.poll(async () => (await state(page)).pending).toBeNull();
  const { history } = await state(page);
  expect(history).toHaveLength(2);
  write('By command, again.');
  await command('/sync default');
  await expect.poll(async () => (await state(page)).pending).not.toBeNull();
  await command('/apply now');
  await expect.poll(async () => (await state(page)).history.length).toBe(3);

  const first = history[1]?.hash ?? '';
  await command('/snapshot');
  await picker.getByRole('combobox').fill(first.slice(0, 8));
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await state(page)).waiting?.hash).toBe(first);

  // The palette finds the same commands.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('apply the agent workspace');
  await expect(page.getByRole('option', { name: /Apply the agent workspace/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await composer(page).focus();
});

test('[P3-Z-image-shown] [P3-Z-image-wire] an image of the pack is sent from the window, and the inspector shows the same bytes', async ({
  startModel,
  launchOn,
  project,
}) => {
  const { root, write } = ownWorkspace(project);
  const picture = drawnPng(320, 200);
  mkdirSync(join(root, 'context/images'), { recursive: true });
  writeFileSync(join(root, 'context/images/map.png'), picture);
  const pack = { id: 'default', templates: ['prompts/templates/system.base.md'] };
  write('prompts/packs/default.json', JSON.stringify({ ...pack, context: ['context/images/map.png'] }));
  const refusal = {
    type: 'status',
    status: 400,
    message: 'image_url is not supported by this model',
  } as const;
  const model = await startModel({ replies: [{ text: 'A map.' }, { fault: refusal }] });
  const { page } = await launchOn(model);
  const opened = await openPanel(page);
  await sync(opened);
  await apply(opened);
  await page.keyboard.press('Escape');
  await say(page, 1, 'what is on the picture');
  const url = `data:image/png;base64,${picture.toString('base64')}`;
  expect(JSON.stringify(bodies(model)[0]?.messages[1])).toContain(url);

  await turn(page, 1).hover();
  await turn(page, 1).getByRole('button', { name: 'What the model was sent' }).click();
  const shown = page.getByRole('group', { name: 'Images sent before the first message' });
  await shown.getByText('map.png').first().click();
  const image = shown.getByRole('img', { name: 'Image context/images/map.png of the workspace' });
  await expect(image).toHaveAttribute('src', url);
  expect(await image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(320);
  await expect(shown).toContainText('320 × 200 pixels');
  expect(await axeFindings(page)).toEqual([]);

  await send(page, 'and now');
  await expect(turn(page, 2)).toContainText('rejected the image of the instructions');
  await expect(turn(page, 2)).toContainText('Choose a model that accepts images');
});
