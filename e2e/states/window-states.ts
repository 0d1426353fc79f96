import { closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { settled, turn } from '../fixtures/conversation';
import type { Push } from '../../src/shared/ipc';
import type { Notice } from '../../src/shared/notice';
import {
  checkingNotice,
  damageFoundNotice,
  readOnlyNotice,
  readOnlyNoticeId,
} from '../../src/main/notices/storage-notices';
import { noteDoubt } from '../../src/main/adapters/storage/database-users';
import { storeSession } from '../fixtures/stored-sessions';
import { send } from '../fixtures/window';
import { narrow, resize } from './window-size';
import type { Scene, Stage, StateRow } from './state-row';

const escape = ({ page }: Stage) => page.keyboard.press('Escape');

/** Opens a dialog with its shortcut. */
const dialog = (name: string, keys: string, label: string): StateRow => ({
  name,
  reach: async ({ page }) => {
    await page.keyboard.press(keys);
    await expect(page.getByRole('dialog', { name: label })).toBeVisible();
  },
  leave: escape,
});

const settings = (name: string, section: string): StateRow => ({
  name,
  reach: async ({ page }) => {
    await page.keyboard.press('Control+,');
    await page.getByRole('tab', { name: section }).click();
    await expect(page.getByRole('tabpanel', { name: section })).toBeVisible();
  },
  leave: escape,
});

async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+Shift+F');
  await page.getByRole('dialog', { name: 'Search all sessions' }).getByRole('combobox').fill(text);
}

/** Tells the window something as main does. */
async function tell({ app }: Stage, push: Push): Promise<void> {
  // As text: the type of a push is too deep for the driver's own.
  await app.evaluate(
    ({ BrowserWindow }, text) => {
      const pushes: unknown = JSON.parse(text);
      BrowserWindow.getAllWindows()[0]?.webContents.send('patina:push', { batch: -1, pushes });
    },
    JSON.stringify([push]),
  );
}

/** Tells the window what main tells it when a server on this computer answers; nothing listens on Ollama's own port here. */
async function findOllama(stage: Stage): Promise<void> {
  const models = [
    {
      providerId: 'ollama',
      name: 'Ollama',
      source: 'discovered',
      hasKey: false,
      models: ['qwen3:8b', 'llama3.2:3b'],
    },
    {
      providerId: 'offline',
      name: 'Offline (no model)',
      source: 'offline',
      hasKey: false,
      models: ['offline'],
    },
  ] as const;
  await tell(stage, {
    type: 'models-changed',
    models: models.map((row) => ({ ...row, models: [...row.models] })),
  });
}

const firstRunRows: readonly StateRow[] = [
  {
    name: 'first-run',
    asOpened: true,
    reach: ({ page }) => expect(page.getByRole('region', { name: 'Connect a model' })).toBeVisible(),
  },
  {
    name: 'sessions-overlaid',
    reach: async (stage) => {
      await resize(stage, narrow);
      await stage.page.getByRole('button', { name: 'Show sessions' }).click();
    },
    leave: escape,
  },
  {
    name: 'offline-answer',
    reach: async ({ page }) => {
      await send(page, 'What is the capital of France?');
      await settled(page, 1);
    },
  },
  dialog('palette', 'Control+k', 'Command palette'),
  {
    name: 'search-with-hits',
    reach: async ({ page }) => {
      await send(page, 'Which folder holds the capital letters?');
      await settled(page, 1);
      await search(page, 'capital');
      await expect(page.getByRole('option').first()).toContainText('capital');
    },
    leave: escape,
  },
  {
    name: 'search-without-hits',
    reach: async ({ page }) => {
      await search(page, 'rhinoceros');
      await expect(page.getByText('Nothing found for “rhinoceros”.')).toBeVisible();
    },
    leave: escape,
  },
  {
    name: 'shortcuts',
    reach: async ({ page }) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox').fill('All shortcuts');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('dialog', { name: 'Shortcuts' })).toBeVisible();
    },
    leave: escape,
  },
  {
    name: 'user-guide',
    reach: async ({ page }) => {
      await page.keyboard.press('F1');
      const guide = page.getByRole('dialog', { name: 'User guide' });
      await guide.getByRole('button', { name: 'Policy files' }).click();
      await expect(guide.getByRole('article', { name: 'Policy files' })).toBeVisible();
    },
    leave: escape,
  },
  settings('settings-appearance', 'Appearance'),
  settings('settings-models', 'Models'),
  settings('settings-data', 'Your data'),
  settings('settings-shortcuts', 'Shortcuts'),
  {
    name: 'settings-shortcut-conflict',
    reach: async ({ page }) => {
      await page.keyboard.press('Control+,');
      await page.getByRole('tab', { name: 'Shortcuts' }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^New session Ctrl/ })
        .click();
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('alert')).toContainText('Command palette');
    },
    // The first ends the recording, the second closes the settings.
    leave: async (stage) => {
      await escape(stage);
      await expect(stage.page.getByRole('alert')).toHaveCount(0);
      await escape(stage);
    },
  },
  settings('settings-limits', 'Run limits'),
  settings('settings-security', 'Security'),
  {
    name: 'settings-add-provider',
    reach: async ({ page }) => {
      await page.keyboard.press('Control+,');
      await page.getByRole('tab', { name: 'Models' }).click();
      await page.getByRole('button', { name: 'Add a provider' }).click();
      await expect(page.getByRole('form', { name: 'Add a provider' })).toBeVisible();
    },
    leave: escape,
  },
  {
    name: 'model-picker',
    reach: async ({ page }) => {
      await page.keyboard.press('Control+Shift+M');
      await expect(page.getByRole('option').first()).toBeVisible();
    },
    leave: escape,
  },
  {
    // The last one: the window believes in a server from here on.
    name: 'first-run-with-ollama',
    reach: async (stage) => {
      await findOllama(stage);
      await expect(stage.page.getByRole('button', { name: 'Use qwen3:8b' })).toBeVisible();
    },
  },
];

/** The first start, without configuration and model. */
export const firstRunScene: Scene = { name: 'first-run', open: ({ launch }) => launch(), rows: firstRunRows };

function spoilMiddle(file: string): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(8_192, 0xa5), 0, 8_192, Math.floor(statSync(file).size / 2));
  closeSync(handle);
}

const notices = (page: Page) => page.getByRole('region', { name: 'Notices' });

/** A start after both files were damaged. */
export const damagedScene: Scene = {
  name: 'damaged',
  async open({ home, launch }) {
    storeSession(home, { id: 'ses_good', title: 'A talk worth keeping', turns: 40, pieces: 10 });
    storeSession(home, { id: 'ses_hurt', title: 'A talk in the way', turns: 40, pieces: 10 });
    spoilMiddle(join(home, 'sessions.db'));
    noteDoubt(join(home, 'sessions.db'), 'damage');
    writeFileSync(join(home, 'ui_settings.json'), '{"mode":"agent","the');
    return launch();
  },
  rows: [
    {
      name: 'settings-corrupt',
      asOpened: true,
      reach: ({ page }) => expect(notices(page)).toContainText('The settings were reset to their defaults'),
    },
    {
      name: 'database-salvaged',
      asOpened: true,
      reach: async ({ page }) => {
        const settingsRow = notices(page).getByRole('listitem').filter({ hasText: 'ui_settings.json' });
        await settingsRow.getByRole('button', { name: 'Dismiss this notice' }).click();
        await expect(notices(page)).toContainText('The session database was damaged');
      },
    },
  ],
};

const raised = (notice: Notice) => (stage: Stage) => tell(stage, { type: 'notice-raised', notice });
const withdrawn = (id: string) => (stage: Stage) => tell(stage, { type: 'notice-withdrawn', id });

/** The window's report about the sessions file. */
export const storageScene: Scene = {
  name: 'storage',
  open({ home, launch }) {
    storeSession(home, { id: 'ses_good', title: 'A talk worth keeping', turns: 3, pieces: 4 });
    writeFileSync(join(home, 'ui_settings.json'), '{"mode":"ask","lastSessionId":"ses_good"}');
    return launch();
  },
  rows: [
    {
      name: 'sessions-checked',
      asOpened: true,
      reach: raised(checkingNotice),
      leave: withdrawn(checkingNotice.id),
    },
    {
      name: 'sessions-damaged',
      asOpened: true,
      reach: raised(damageFoundNotice('Tree 5 page 8 cell 2: Rowid 4294967298 out of order')),
      leave: withdrawn('database-damaged'),
    },
    {
      name: 'sessions-read-only',
      asOpened: true,
      reach: raised(
        readOnlyNotice('/media/backup/.patina', {
          reason: 'The disk that holds the sessions file is read-only.',
          hint: "Make the disk writable, or copy Patina's folder to another disk and set PATINA_HOME to the copy. Then restart Patina.",
        }),
      ),
      leave: withdrawn(readOnlyNoticeId),
    },
  ],
};

/** A session of 5,000 messages, opened at its end. */
export const longScene: Scene = {
  name: 'long',
  open({ home, launch }) {
    storeSession(home, { id: 'ses_long', title: 'A very long talk', turns: 2_500, pieces: 6 });
    return launch();
  },
  rows: [
    {
      name: 'messages-5000',
      asOpened: true,
      reach: async ({ page }) => {
        await page.getByRole('button', { name: 'A very long talk', exact: true }).click();
        await expect(turn(page, 2_500)).toContainText('Piece 6 of answer 2500.');
      },
    },
  ],
};
