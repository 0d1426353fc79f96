import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { settled, turn } from '../fixtures/conversation';
import { runOver } from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { shots } from '../fixtures/shots';
import { send } from '../fixtures/window';

const code = 'export const two = 2;';
const reply = `Here it is:\n\n\`\`\`ts docs/main.ts\n${code}\n\`\`\`\n`;

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Write this code to a file' });
const open = async (page: Page): Promise<void> => {
  // A later turn may have taken the first one out of the view.
  await page.getByRole('log').press('Home');
  await turn(page, 1).getByRole('button', { name: 'Write to a file…' }).click();
  await dialog(page).waitFor();
};

test('[RICH-write] code of a reply is written to a file after its diff was approved, and the write is undone', async ({
  startModel,
  launchOn,
  project,
}) => {
  const { app, page } = await launchOn(await startModel({ replies: [{ text: [reply] }] }));
  await send(page, 'Rewrite main.ts');
  await settled(page, 1);
  const file = join(project, 'docs', 'main.ts');
  const before = readFileSync(file, 'utf8');

  await open(page);
  const field = dialog(page).getByRole('textbox', { name: 'File' });
  await expect(field).toHaveValue('docs/main.ts');
  await expect(field).toBeFocused();
  await shots({ app, page }, 'write-code');
  await page.keyboard.press('Enter');
  await turn(page, 2).getByRole('button', { name: /^Deny/ }).click();
  await expect(turn(page, 2)).toContainText('This was refused');
  expect(readFileSync(file, 'utf8')).toBe(before);

  await open(page);
  await page.keyboard.press('Enter');
  const card = turn(page, 3);
  await expect(card).toContainText('export const one = 1;');
  await expect(card).toContainText(code);
  await card.getByRole('button', { name: /^Approve/ }).click();
  await runOver(page, 3);
  expect(readFileSync(file, 'utf8')).toBe(`${code}\n`);
  await card.getByRole('button', { name: /^Undo/ }).first().click();
  await expect.poll(() => readFileSync(file, 'utf8')).toBe(before);
});

test('[RICH-write] a new folder is approved before its file, and no path leads out of the project', async ({
  startModel,
  launchOn,
  project,
}) => {
  const { page } = await launchOn(await startModel({ replies: [{ text: [reply] }] }));
  await send(page, 'Rewrite main.ts');
  await settled(page, 1);
  const field = dialog(page).getByRole('textbox', { name: 'File' });
  await open(page);
  for (const path of ['../outside.ts', '/tmp/outside.ts', 'docs/../../outside.ts']) {
    await field.fill(path);
    await page.keyboard.press('Enter');
    await expect(dialog(page)).toContainText(`${path} is outside the project folder.`);
  }
  await field.fill('fresh/two.ts');
  await page.keyboard.press('Enter');
  for (let step = 0; step < 2; step += 1)
    await turn(page, 2)
      .getByRole('button', { name: /^Approve/ })
      .click();
  await runOver(page, 2);
  expect(readFileSync(join(project, 'fresh', 'two.ts'), 'utf8')).toBe(`${code}\n`);
  expect(existsSync(join(project, '..', 'outside.ts'))).toBe(false);
});
