import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type ElectronApplication, type Page } from '@playwright/test';
import { fillProvider } from '../fixtures/add-provider';
import { settled } from '../fixtures/conversation';
import { scriptedKey, test } from '../fixtures/scripted';
import { send } from '../fixtures/window';

/** Whether this system encrypts keys, according to Electron. */
function hasKeychain(app: ElectronApplication): Promise<boolean> {
  return app.evaluate(({ safeStorage }) => {
    if (!safeStorage.isEncryptionAvailable()) return false;
    return process.platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text';
  });
}

const filesWithKey = (home: string) =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(scriptedKey));

async function openSection(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+,');
  await page.getByRole('tab', { name }).click();
}

/** The key stays with the provider: the line after this one is answered. */
async function renameProvider(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit Office server' }).click();
  const form = page.getByRole('form', { name: 'Edit Office server' });
  await form.getByLabel('Name').fill('Lab server');
  await form.getByText('More settings').click();
  await form.getByLabel('Protocol').selectOption('chat');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('list', { name: 'Providers' })).toContainText('Lab server');
}

test('[LLM-keys] [MDL-provider-edit] says where a key is stored, stores it there, and asks again for one it did not store', async ({
  startModel,
  launch,
  home,
}) => {
  const model = await startModel({ replies: [{ text: 'Let in.', times: 2 }], key: scriptedKey });
  const { app, page } = await launch();
  const sealed = await hasKeychain(app);
  await openSection(page, 'Security');
  const place = sealed ? 'encrypted with a key from this system’s keychain' : 'until Patina closes';
  await expect(page.getByRole('tabpanel')).toContainText(place);
  await page.keyboard.press('Escape');

  const form = await fillProvider(page, 'Office server', model.baseUrl);
  await expect(form).toContainText(sealed ? 'The key is encrypted' : 'The key is kept until Patina closes');
  await form.getByRole('button', { name: 'Test' }).click();
  await expect(form.getByRole('status')).toContainText('1 model');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('list', { name: 'Providers' })).toContainText('Office server');
  await renameProvider(page);
  await page.keyboard.press('Escape');
  await send(page, 'May I come in?');
  await expect(await settled(page, 1)).toContainText('Let in.');
  expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain(scriptedKey);
  await app.close();
  expect(filesWithKey(home)).toEqual([]);

  const again = await launch();
  await openSection(again.page, 'Models');
  const providers = again.page.getByRole('list', { name: 'Providers' });
  if (sealed) await expect(providers).toContainText('key saved');
  else await expect(providers).toContainText('Enter the key in Settings → Models');
});
