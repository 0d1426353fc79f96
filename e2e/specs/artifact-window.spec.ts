import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { planOf, scriptNode } from '../fixtures/command-line';
import { runOver } from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { send, switchMode } from '../fixtures/window';

const keep = scriptNode(
  'keep',
  "const text = Array.from({ length: 450 }, (_, i) => 'line ' + (i + 1)).join('\\n'); await artifacts.write('lines.txt', text); return { summary: 'kept', state: {} };",
);

test('[ART-window] an artifact is opened, searched and saved', async ({ startModel, launchOn, project }) => {
  const plan = planOf([keep], 'Kept.');
  const model = await startModel({ replies: [{ toolCalls: [{ name: 'submit_plan', arguments: plan }] }] });
  const { app, page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Keep the lines');
  await runOver(page, 1);
  await page.keyboard.press('Control+i');
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await inspector.getByRole('tab', { name: 'Artifacts' }).click();
  await inspector.getByRole('button', { name: /lines\.txt/, expanded: false }).press('Enter');
  await expect(inspector.getByText('200 of 450 lines')).toBeVisible();
  await expect(inspector.getByText('line 200', { exact: false })).toBeVisible();
  await inspector.getByRole('button', { name: 'Show more lines' }).click();
  await expect(inspector.getByText('450 lines', { exact: true })).toBeVisible();
  await inspector.getByRole('searchbox', { name: 'Filter lines' }).fill('44');
  await expect(inspector.getByText('14 matching lines')).toBeVisible();

  const file = join(project, 'kept.txt');
  await app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
  }, file);
  await inspector.getByRole('button', { name: 'Save lines.txt as a file' }).click();
  await expect(inspector.getByRole('status')).toHaveText(`Saved as ${file}`);
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(450);
});
