import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { settled, turn } from '../fixtures/conversation';
import { modelButton, test } from '../fixtures/scripted';
import { shots } from '../fixtures/shots';
import { composer, send } from '../fixtures/window';

test('[CAP-picker] with 1,000 models: abilities and prices, favourites and recents, by keyboard and by mouse', async ({
  startModel,
  launchOn,
}) => {
  const many = Array.from({ length: 996 }, (_, at) => `lab-model-${String(at).padStart(3, '0')}`);
  const model = await startModel({
    replies: [{ text: 'Yes.' }],
    models: ['scripted', 'gpt-4o', 'gpt-4o-mini', 'o3-mini', ...many],
  });
  const stage = await launchOn(model);
  const { page } = stage;
  await modelButton(page, 'scripted').click();
  const search = page.getByRole('combobox', { name: 'Models' });
  const options = page.getByRole('option');
  await expect(page.getByText(/of 1,000 models|1,000/)).toBeVisible();
  expect(await options.count()).toBeLessThanOrEqual(110);

  await search.fill('gpt-4o');
  const row = options.filter({ hasText: /^gpt-4o(?!-mini)/ });
  await expect(row).toHaveCount(1);
  await expect(row).toContainText('reads images');
  await expect(row).toContainText('128K');
  await page.keyboard.press('ControlOrMeta+d');
  await expect(row).toContainText('favourite');
  await search.fill('');
  const favourites = page.getByRole('group', { name: 'Favourites' });
  await expect(favourites.getByRole('option', { name: /gpt-4o/ })).toBeVisible();

  await search.fill('o3-mini');
  await page.keyboard.press('ControlOrMeta+e');
  const facts = page.getByRole('dialog', { name: 'What is known of o3-mini' });
  await facts.getByRole('textbox', { name: 'Input', exact: true }).fill('1');
  await facts.getByRole('textbox', { name: 'Output', exact: true }).fill('4');
  await page.keyboard.press('Enter');
  await facts.getByRole('combobox', { name: 'Tools' }).selectOption('no');
  await shots(stage, 'model-facts');
  await facts.getByRole('button', { name: 'Close' }).click();

  await page.keyboard.press('ControlOrMeta+Shift+m').catch(() => undefined);
  if (!(await search.isVisible())) await modelButton(page, 'scripted').click();
  await search.fill('o3-mini');
  const priced = options.filter({ hasText: 'o3-mini' });
  await expect(priced).toContainText('$1.00 / $4.00');
  await expect(priced).not.toContainText('calls tools');
  await page.keyboard.press('Enter');
  await modelButton(page, 'o3-mini').click();
  await expect(
    page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: /o3-mini/ }),
  ).toBeVisible();
  await shots(stage, 'model-picker');
  await page.keyboard.press('Escape');
  await expect(composer(page)).toBeVisible();
});

test('[CAP-used] an image for a model that reads none causes a warning, and is refused at sending', async ({
  startModel,
  launchOn,
  home,
  project,
}) => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  writeFileSync(join(project, 'shot.png'), Buffer.from(png, 'base64'));
  writeFileSync(
    join(home, 'ui_settings.json'),
    JSON.stringify({ modelOptions: { 'environment/scripted': { images: false } } }),
  );
  const model = await startModel({ replies: [{ text: 'Yes.' }] });
  const stage = await launchOn(model);
  const { page } = stage;
  await page.locator('input[data-attach]').setInputFiles(join(project, 'shot.png'));
  await expect(page.getByRole('alert').filter({ hasText: 'scripted reads no images' })).toBeVisible();
  await shots(stage, 'no-images');
  await send(page, 'What is this?');
  await expect(await settled(page, 1)).toContainText('The model scripted reads no images.');
  expect(model.chats()).toHaveLength(0);
  await send(page, 'And without it?');
  await settled(page, 2);
  await expect(turn(page, 2)).toContainText('Yes.');
  expect(JSON.stringify(model.chats()[0]?.json)).not.toContain('image_url');
});
