import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, type Page } from '@playwright/test';
import { ask, newestSession, settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { composer, send } from '../fixtures/window';

const notices = (page: Page) => page.getByRole('region', { name: 'Notices' });

/** Makes every write of the app to its disk fail, and lets it work again. */
interface BadDisk {
  readonly fail: () => void;
  readonly repair: () => void;
}

/** On Linux the kernel refuses: no file of this process may grow. */
function limitFiles(pid: number): BadDisk {
  const limit = (soft: string) => execFileSync('prlimit', ['--pid', String(pid), `--fsize=${soft}:`]);
  return { fail: () => limit('0'), repair: () => limit('unlimited') };
}

/** Elsewhere another program keeps the file open. */
function holdDatabase(home: string): BadDisk {
  const db = new Database(join(home, 'sessions.db'));
  return { fail: () => db.exec('BEGIN IMMEDIATE'), repair: () => db.exec('ROLLBACK') };
}

const badDisk = (pid: number, home: string): BadDisk =>
  existsSync('/usr/bin/prlimit') ? limitFiles(pid) : holdDatabase(home);

test('[H56] a disk that refuses to write: the line is returned as a draft, the reply says so, nothing crashes', async ({
  startModel,
  launchOn,
  home,
}) => {
  const model = await startModel({
    replies: [
      { text: 'Saved before.' },
      { text: ['Words saved. ', 'Words not saved. ', 'Never sent.'], gated: true },
      { text: 'Saved after.' },
    ],
  });
  const { app, page, pid } = await launchOn(model);
  await send(page, 'Before');
  await settled(page, 1);
  const disk = badDisk(pid, home);

  disk.fail();
  await send(page, 'A line nobody can keep');
  const failure = page.getByRole('alert');
  await expect(failure).toContainText('This message was not sent');
  await expect(failure).toContainText('HOST/STORAGE');
  await expect(composer(page)).toHaveValue('A line nobody can keep');
  expect(model.chats()).toHaveLength(1);

  disk.repair();
  await composer(page).press('Enter');
  model.release(1);
  await expect(turn(page, 2)).toContainText('Words saved.');
  await expect(failure).toHaveCount(0);
  // Shown text is not yet saved: the disk fails only after the first words are stored.
  const sessionId = await newestSession(page);
  const kept = async () => (await ask(page, 'session-open', { sessionId })).blocks.flat()[1]?.reply?.text;
  await expect.poll(kept).toBe('Words saved. ');

  disk.fail();
  model.release(1);
  await expect(notices(page)).toContainText('This session cannot be saved right now');
  await expect(turn(page, 2)).toContainText('Words not saved.');
  expect(await (await model.chat(1)).over).toBe('aborted');
  disk.repair();
  const stopped = await settled(page, 2);
  await expect(stopped.getByRole('region', { name: 'The change could not be saved' })).toContainText(
    'The reply was stopped because it could not be saved.',
  );
  await expect(stopped).toContainText('Words saved. Words not saved.');

  await send(page, 'After');
  await expect(await settled(page, 3)).toContainText('Saved after.');
  await app.close();
  const again = await launchOn(model);
  await expect(await settled(again.page, 2)).toContainText('Words saved. Words not saved.');
  await expect(turn(again.page, 3)).toContainText('Saved after.');
});
