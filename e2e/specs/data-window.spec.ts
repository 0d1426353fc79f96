import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type ElectronApplication, type Page } from '@playwright/test';
import { settled } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { send } from '../fixtures/window';

/** Answers the system's file dialogs with this path. */
const answerDialogs = (app: ElectronApplication, path: string) =>
  app.evaluate(({ dialog }, file) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [file] });
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: file });
  }, path);

async function openData(page: Page) {
  await page.keyboard.press('Control+,');
  await page.getByRole('tab', { name: 'Your data' }).click();
  return page.getByRole('tabpanel', { name: 'Your data' });
}

const chats = [
  {
    title: 'Locks',
    create_time: 1_700_000_000,
    conversation_id: 'c1',
    mapping: {
      u: {
        id: 'u',
        parent: null,
        message: { author: { role: 'user' }, content: { content_type: 'text', parts: ['What is a mutex?'] } },
      },
      t: {
        id: 't',
        parent: 'u',
        message: { author: { role: 'assistant' }, content: { content_type: 'thoughts' } },
      },
      a: {
        id: 'a',
        parent: 't',
        message: { author: { role: 'assistant' }, content: { content_type: 'text', parts: ['A lock.'] } },
      },
    },
  },
];

test('[IMPORT-window] [EXPORT-window] conversations are previewed, imported, and exported again', async ({
  launch,
  project,
}) => {
  const { page, app } = await launch();
  const file = join(project, 'conversations.json');
  writeFileSync(file, JSON.stringify(chats));
  await answerDialogs(app, file);
  const data = await openData(page);
  await data.getByRole('button', { name: 'Choose a file…' }).click();
  await expect(data.getByRole('group', { name: 'Conversations in the file' })).toBeFocused();
  await expect(data).toContainText('ChatGPT: 1 session with 1 turn to import.');
  await data.getByText('1 part cannot be imported').click();
  await expect(data).toContainText('Thinking: 1');
  const rail = page.getByRole('navigation', { name: 'Sessions' });
  await expect(rail.getByRole('button', { name: 'Locks', exact: true })).toHaveCount(0);
  await data.getByRole('button', { name: 'Import 1 session' }).click();
  await expect(data).toContainText('Imported 1 session with 1 turn.');
  await data.getByRole('button', { name: 'Choose a file…' }).click();
  await expect(data).toContainText('1 session is here already');
  await expect(data.getByRole('button', { name: /^Import/ })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await rail.getByRole('button', { name: 'Locks', exact: true }).click();
  await expect(page.getByRole('article', { name: 'Turn 1' })).toContainText('A lock.');

  const html = join(project, 'locks.html');
  await answerDialogs(app, html);
  const again = await openData(page);
  await again.getByRole('button', { name: 'Web page (HTML)…' }).click();
  await expect(again).toContainText(`Saved to ${html}.`);
  expect(readFileSync(html, 'utf8')).toContain('<p dir="auto">A lock.</p>');
});

test('[BACKUP-all] [BACKUP-safe] a backup is saved while Patina runs, and restored at its next start', async ({
  launch,
  project,
  home,
}) => {
  const first = await launch();
  await send(first.page, 'Before the backup');
  await settled(first.page, 1);
  const file = join(project, 'backup.zip');
  await answerDialogs(first.app, file);
  const data = await openData(first.page);
  await data.getByRole('button', { name: 'Save a backup…' }).click();
  await expect(data).toContainText(`Saved to ${file}.`);
  await first.page.keyboard.press('Escape');
  await first.page.keyboard.press('Control+n');
  await send(first.page, 'After the backup');
  await settled(first.page, 1);
  const later = await openData(first.page);
  await later.getByRole('button', { name: 'Restore a backup…' }).click();
  await expect(later.getByRole('button', { name: 'Restart now' })).toBeVisible();
  await first.app.close();

  const second = await launch();
  const rail = second.page.getByRole('navigation', { name: 'Sessions' });
  await expect(rail.getByRole('button', { name: 'Before the backup', exact: true })).toBeVisible();
  await expect(rail.getByRole('button', { name: 'After the backup', exact: true })).toHaveCount(0);
  const aside = readdirSync(home).find((name) => name.startsWith('before-restore-')) ?? '';
  expect(readdirSync(join(home, aside))).toContain('sessions.db');
});
