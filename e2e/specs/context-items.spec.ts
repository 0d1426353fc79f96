import { expect } from '@playwright/test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { composer, send } from '../fixtures/window';

test('[ITEM-window] files and pictures are dropped, pasted and chosen, shown as chips, removed by keyboard and sent', async ({
  startModel,
  launchOn,
  project,
}) => {
  writeFileSync(join(project, 'chosen.md'), 'CHOSENMARK');
  writeFileSync(join(project, 'bin.dat'), Uint8Array.of(0, 1, 2));
  writeFileSync(join(project, '.env'), 'PORT=SECRETMARK');
  const model = await startModel({ replies: [{ match: /./, text: 'ok' }] });
  const { page } = await launchOn(model);
  const chips = page.getByRole('list', { name: 'Attached to your message' }).getByRole('listitem');
  await page.evaluate(() => {
    const box = document.querySelector('textarea');
    const files = new DataTransfer();
    files.items.add(new File(['DROPPEDMARK'], `${'long '.repeat(40)}notes.txt`, { type: 'text/plain' }));
    box?.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: files }));
    const canvas = document.createElement('canvas');
    canvas.width = 3_000;
    canvas.height = 1_500;
    const [, base64 = ''] = canvas.toDataURL('image/png').split(',');
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const picture = new DataTransfer();
    picture.items.add(new File([bytes], 'shot.png', { type: 'image/png' }));
    box?.dispatchEvent(
      new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: picture }),
    );
  });
  await expect(chips.filter({ hasText: 'notes.txt' })).toContainText('11 B');
  await expect(chips.filter({ hasText: 'shot.png' })).toBeVisible();
  const input = page.locator('input[data-attach]');
  await input.setInputFiles([join(project, 'chosen.md'), join(project, '.env')]);
  await expect(chips.filter({ hasText: '.env looks like a secret' })).toBeVisible();
  await input.setInputFiles(join(project, 'bin.dat'));
  await expect(page.getByText(/bin\.dat is a binary file/).first()).toBeVisible();
  await expect(chips).toHaveCount(4);
  await page.getByRole('button', { name: 'Remove .env' }).press('Enter');
  await expect(chips).toHaveCount(3);

  await send(page, 'What is in them?');
  const sent = await model.chat(0);
  for (const mark of ['DROPPEDMARK', 'CHOSENMARK', 'name=\\"chosen.md\\"']) expect(sent.text).toContain(mark);
  expect(sent.text).not.toContain('SECRETMARK');
  expect(sent.text).not.toContain(JSON.stringify(project).slice(1, -1));
  expect(sent.text).toContain('data:image/png;base64,');
  await expect(chips).toHaveCount(0);
  // A long name is shortened at its end, within the turn.
  const sides = await turn(page, 1)
    .getByRole('button', { name: /^long .*notes\.txt/ })
    .evaluate((chip) => [chip, chip.closest('article')].map((box) => box?.getBoundingClientRect().left ?? 0));
  expect(sides[0]).toBeGreaterThanOrEqual(sides[1] ?? 0);
  await turn(page, 1)
    .getByRole('button', { name: /^chosen\.md/ })
    .click();
  await expect(turn(page, 1).getByText('CHOSENMARK')).toBeVisible();
  await turn(page, 1)
    .getByRole('button', { name: /^shot\.png/ })
    .click();
  const width = await turn(page, 1)
    .getByRole('img', { name: 'shot.png' })
    .evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth));
  expect(width).toBe(2_000);
});

test('[ITEM-focus] [ITEM-menu] a file in focus and the items of the @ menu become chips', async ({
  startModel,
  launchOn,
  project,
}) => {
  mkdirSync(join(project, 'docs'), { recursive: true });
  writeFileSync(join(project, 'docs', 'pick.ts'), 'export const UNIQUEMARK = 1;\n');
  writeFileSync(join(project, 'docs', 'other.md'), 'OTHERMARK');
  const model = await startModel({ replies: [{ match: /./, text: 'ok' }] });
  const { page } = await launchOn(model);
  await send(page, '/file docs/pick.ts');
  if ((await composer(page).inputValue()) !== '') await composer(page).press('Enter');
  const chips = page.getByRole('list', { name: 'Attached to your message' }).getByRole('listitem');
  await expect(chips.filter({ hasText: 'pick.ts' })).toBeVisible();
  await expect(turn(page, 1)).toContainText('Working on: docs/pick.ts');
  await composer(page).pressSequentially('Compare it with @other');
  const menu = page.getByRole('listbox', { name: 'Files and more' });
  await expect(menu.getByRole('option').first()).toContainText('docs/other.md');
  await composer(page).press('Enter');
  await expect(chips).toHaveCount(2);
  await expect(composer(page)).toHaveValue('Compare it with ');
  await composer(page).press('Enter');
  const sent = await model.chat(0);
  for (const mark of ['UNIQUEMARK', 'OTHERMARK', 'what the user attaches']) expect(sent.text).toContain(mark);
});
