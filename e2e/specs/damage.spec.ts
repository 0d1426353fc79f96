import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/patina';
import { storeSession } from '../fixtures/stored-sessions';
import { registerProcess } from '../../src/main/adapters/storage/database-users';
import { makeCopy } from '../../src/main/adapters/storage/session-copies';
import { createSessionLog } from '../../src/core/session/session-log';
import { openStore } from '../../src/testing/stored-session';
import { openSqlite } from '../../src/main/adapters/storage/sqlite';
import { send } from '../fixtures/window';

const notices = (page: Page) => page.getByRole('region', { name: 'Notices' });
const setAside = (home: string, name: string) =>
  readdirSync(home).filter((file) => file.startsWith(`${name}.corrupt-`));

interface BadSettings {
  readonly kind: string;
  readonly write: (file: string) => void;
  readonly says: string;
  readonly mode: 'Ask' | 'Agent Mode';
}

/** One of each family; settings-store.test.ts covers all without the window. */
const badSettings: readonly BadSettings[] = [
  {
    kind: 'cut in half, with a copy of the last good one',
    write: (file) => {
      writeFileSync(file, '{"mode":"agent","theme":"da');
      writeFileSync(`${file}.bak`, '{"mode":"agent","theme":"dark"}');
    },
    says: 'The settings were restored from their copy',
    mode: 'Agent Mode',
  },
  {
    kind: 'a list of NUL bytes',
    write: (file) => writeFileSync(file, Buffer.alloc(4_096)),
    says: 'The settings were reset to their defaults',
    mode: 'Ask',
  },
  {
    kind: 'a folder',
    write: (file) => mkdirSync(file),
    says: 'The settings were reset to their defaults',
    mode: 'Ask',
  },
];

for (const { kind, write, says, mode } of badSettings) {
  test(`[H52] a settings file that is ${kind} is kept aside, and the window says so`, async ({
    launch,
    home,
  }) => {
    const file = join(home, 'ui_settings.json');
    write(file);
    const before = statSync(file).isFile() ? readFileSync(file) : null;
    const { page } = await launch();
    await expect(notices(page)).toContainText(says);
    await expect(page.getByRole('radio', { name: mode })).toBeChecked();
    const [kept = ''] = setAside(home, 'ui_settings.json');
    await expect(notices(page)).toContainText(kept);
    if (before) expect(readFileSync(join(home, kept)).equals(before)).toBe(true);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ mode: mode === 'Ask' ? 'ask' : 'agent' });
    await notices(page).getByRole('button', { name: 'Dismiss this notice' }).click();
    await expect(notices(page)).toHaveCount(0);
  });
}

/** No process has this id. */
const diedUncleanly = 999_999_999;

/** Writes rubbish over a stretch of a file. */
function spoil(file: string, from: number, bytes: number): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(bytes, 0xa5), 0, bytes, from);
  closeSync(handle);
}

test('[H55] [START-damage-later] a damaged database is detected during work, and the next start sets it aside, saves what is readable and counts the loss', async ({
  launch,
  home,
}) => {
  const database = join(home, 'sessions.db');
  storeSession(home, { id: 'ses_good', title: 'A talk worth keeping', turns: 40, pieces: 10 });
  const goodSize = statSync(database).size;
  storeSession(home, { id: 'ses_hurt', title: 'A talk in the way', turns: 40, pieces: 10 });
  const size = statSync(database).size;
  spoil(database, Math.floor((goodSize + size) / 2), 8_192);
  // A start does not read that part; the full check that follows an unclean end does.
  registerProcess(database, diedUncleanly);
  const first = await launch();
  await expect(notices(first.page)).toContainText('The session database is damaged');
  await expect(notices(first.page).getByRole('button', { name: 'Restart Patina' })).toBeVisible();
  await first.app.close();
  const { page } = await launch();
  await expect(notices(page)).toContainText('The session database was damaged');
  await expect(notices(page)).toContainText(/\d+ events were recovered into a new database/);
  const [kept = ''] = readdirSync(home).filter((name) => /^sessions\.db\..*(corrupt|damaged)/.test(name));
  await expect(notices(page)).toContainText(kept);
  expect(statSync(join(home, kept)).size).toBe(size);

  await page.getByRole('button', { name: 'A talk worth keeping', exact: true }).click();
  await expect(turn(page, 40)).toContainText('Piece 10 of answer 40.');
  await send(page, 'Still there?');
  await expect(await settled(page, 41)).toContainText('No model is connected');
  expect(existsSync(database)).toBe(true);
});

test('[STO-window] [STO-repair] a gap in the conversation is marked, and “Repair from a copy” restores the line', async ({
  launch,
  home,
}) => {
  const database = join(home, 'sessions.db');
  storeSession(home, { id: 'ses_hurt', title: 'A talk with a gap', turns: 6, pieces: 3 });
  expect(makeCopy(database, Date.now())).toBeNull();
  const db = openSqlite(database);
  // Event 10 is the first piece of the second answer.
  db.exec(`UPDATE events SET sum = sum + 1 WHERE id % ${2 ** 32} = 10`);
  db.close();
  const { page } = await launch();
  await page
    .getByRole('button', { name: /A talk with a gap/ })
    .first()
    .click();
  const gap = page.getByRole('note', { name: 'Events that could not be read' });
  await expect(gap).toContainText('1 stored event could not be read here (10).');
  await expect(turn(page, 2)).not.toContainText('Piece 1 of answer 2.');
  await gap.getByRole('button', { name: 'Repair from a copy' }).click();
  await expect(gap).toHaveCount(0);
  await expect(turn(page, 2)).toContainText('Piece 1 of answer 2.');
});

test('[STO-window] damage in a session too long to read at once is named soon after it is opened', async ({
  launch,
  home,
}) => {
  const database = join(home, 'sessions.db');
  const events = storeSession(home, { id: 'ses_long', title: 'A long talk', turns: 100, pieces: 300 });
  const log = createSessionLog({ store: openStore(database), ids: { next: () => 'unused' } });
  expect(log.open('ses_long').ok).toBe(true);
  // Leaves a snapshot, so that opening the session does not read its events.
  log.close();
  expect(makeCopy(database, Date.now())).toBeNull();
  const db = openSqlite(database);
  db.exec(`UPDATE events SET sum = sum + 1 WHERE id % ${2 ** 32} = ${Math.floor(events / 2)}`);
  db.close();
  const { page } = await launch();
  const row = page.getByRole('button', { name: /A long talk/ }).first();
  await row.click();
  await expect(turn(page, 100)).toContainText('Piece 300 of answer 100.');
  await expect(notices(page)).toContainText('A part of “A long talk” cannot be read', {
    timeout: 60_000,
  });
  await expect(notices(page)).toContainText('Choose “Repair from a copy” at that place');
  await expect(row).toContainText('1 event cannot be read');
});
