import { expect } from '@playwright/test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawnPdf } from '../../src/testing/drawn-pdf';
import { test } from '../fixtures/scripted';
import { composer, send } from '../fixtures/window';

test('[CTX-adopt] [CTX-adopt-change] the user reads and adopts a project’s AGENTS.md; it is sent, and a change waits', async ({
  startModel,
  launchOn,
  project,
}) => {
  writeFileSync(join(project, 'AGENTS.md'), 'USETABS\nWrite short functions.\n');
  writeFileSync(join(project, 'CLAUDE.md'), 'x'.repeat(70_000));
  const model = await startModel({ replies: [{ match: /./, text: 'ok' }] });
  const { page } = await launchOn(model);
  const notice = page.getByRole('region', { name: 'Notices' });
  await expect(notice).toContainText('AGENTS.md. No model reads them yet.');
  await send(page, 'What is a tab?');
  expect((await model.chat(0)).text).not.toContain('USETABS');
  await notice.getByRole('button', { name: 'Look at it' }).click();
  const files = page.getByRole('region', { name: /^Brought along by/ });
  await expect(files).toContainText('USETABS');
  await expect(files).toContainText('CLAUDE.md: It is larger than 64 KB.');
  await files.getByRole('button', { name: 'Adopt for this project' }).click();
  await expect(files.getByRole('status')).toHaveText(/Models read these files as you adopted them/);
  await page.keyboard.press('Escape');
  await expect(notice).toHaveCount(0);
  await send(page, 'And a space?');
  expect((await model.chat(1)).text).toContain('USETABS');

  writeFileSync(join(project, 'AGENTS.md'), 'USESPACES\nWrite short functions.\n');
  await expect(notice).toContainText('The adopted text stays in use.');
  await notice.getByRole('button', { name: 'Look at it' }).click();
  await expect(files).toContainText('USESPACES');
  await page.keyboard.press('Escape');
  await send(page, 'And a line?');
  const third = (await model.chat(2)).text;
  expect(third).toContain('USETABS');
  expect(third).not.toContain('USESPACES');
});

test('[ITEM-pdf] a PDF is read in the app and sent as its text; a damaged one is reported immediately', async ({
  startModel,
  launchOn,
  project,
}) => {
  writeFileSync(join(project, 'paper.pdf'), drawnPdf([['PDFMARK'], ['SECONDMARK']]));
  writeFileSync(join(project, 'broken.pdf'), '%PDF-1.7 nothing');
  const model = await startModel({ replies: [{ match: /./, text: 'ok' }] });
  const { page } = await launchOn(model);
  const input = page.locator('input[data-attach]');
  await input.setInputFiles([join(project, 'paper.pdf'), join(project, 'broken.pdf')]);
  await expect(page.getByText(/broken\.pdf: This PDF is damaged/).first()).toBeVisible();
  await expect(page.getByRole('list', { name: 'Attached to your message' })).toContainText('paper.pdf');
  await composer(page).fill('What is in it?');
  await page.keyboard.press('Enter');
  const { text } = await model.chat(0);
  for (const mark of ['[Page 1]', 'PDFMARK', '[Page 2]', 'SECONDMARK']) expect(text).toContain(mark);
});
