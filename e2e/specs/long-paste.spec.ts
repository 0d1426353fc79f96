import { expect } from '@playwright/test';
import { ask, newestSession, settled } from '../fixtures/conversation';
import { test } from '../fixtures/patina';
import { composer } from '../fixtures/window';

const pasted = Array.from({ length: 12_000 }, (_, line) => `line ${line} ${'word '.repeat(13)}`).join('\n');

test('a paste of 0.9 MB is fast, is undone as one edit, survives a reload and is sent in its place', async ({
  launch,
}) => {
  const { app, page } = await launch();
  await app.evaluate(({ clipboard }, text) => clipboard.writeText(text), pasted);
  const field = composer(page);
  const chip = page.getByRole('button', { name: /^Pasted text 1 · 12,000 lines · \d+ kB/ });
  await field.click();
  await page.keyboard.type('Look: ');
  const began = performance.now();
  await page.keyboard.press('Control+V');
  await expect(chip).toBeVisible();
  await page.keyboard.type(' What is it?');
  const took = Math.round(performance.now() - began);
  test.info().annotations.push({ type: 'pasted and typed on in', description: `${took} ms` });
  expect(took).toBeLessThan(3_000);
  const whole = 'Look: ⟦Pasted text 1⟧ What is it?';
  await expect(field).toHaveValue(whole);

  await page.getByRole('button', { name: 'Remove Pasted text 1' }).click();
  await expect(field).toHaveValue('Look:  What is it?');
  await expect(chip).toHaveCount(0);
  await page.keyboard.press('Control+Z');
  await expect(field).toHaveValue(whole);
  await expect(chip).toBeVisible();

  await page.reload();
  await expect(chip).toBeVisible();
  await expect(field).toHaveValue(whole);
  await field.press('End');
  await page.keyboard.press('Control+V');
  await expect(page.getByRole('alert')).toContainText('the limit is 1,000,000');
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeDisabled();
  await page.keyboard.press('Backspace');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.keyboard.press('Enter');
  await settled(page, 1);
  const { blocks } = await ask(page, 'session-open', { sessionId: await newestSession(page) });
  expect(blocks[0]?.[0]?.text === `Look: ${pasted} What is it?`).toBe(true);
});
