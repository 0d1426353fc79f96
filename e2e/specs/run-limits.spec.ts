import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { test } from '../fixtures/patina';

test('[BUD-window] a limit set in the window is in the project’s file, and an empty field removes it', async ({
  launch,
  project,
}) => {
  const { page } = await launch();
  const file = join(project, '.patina/budgets.json');
  const own = (): unknown => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null);
  await page.keyboard.press('ControlOrMeta+,');
  await page.getByRole('tab', { name: 'Run limits' }).click();
  const limits = page.getByRole('tabpanel', { name: 'Run limits' });
  const minutes = limits.getByRole('group', { name: 'A whole run' }).getByLabel(/^Minutes/);
  await minutes.fill('2.5');
  await minutes.press('Enter');
  await expect.poll(own).toEqual({ run: { wall_ms: 150_000 } });
  const memory = limits.getByRole('group', { name: 'One step' }).getByLabel('Memory in MB');
  await memory.fill('1000');
  await memory.press('Enter');
  await expect(limits.getByText('A number from 1 to 256.')).toBeVisible();
  await memory.fill('128');
  await memory.press('Enter');
  await expect.poll(own).toEqual({ run: { wall_ms: 150_000 }, node: { mem_mb: 128 } });
  await minutes.fill('');
  await minutes.press('Enter');
  await expect.poll(own).toEqual({ run: {}, node: { mem_mb: 128 } });
});
