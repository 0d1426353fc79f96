import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type ElectronApplication } from '@playwright/test';
import { planOf, scriptNode } from '../fixtures/command-line';
import { fillProvider } from '../fixtures/add-provider';
import { settled, stopButton, turn } from '../fixtures/conversation';
import { planReply, runOver } from '../fixtures/run';
import { modelButton, test } from '../fixtures/scripted';
import { shots } from '../fixtures/shots';
import { composer, send, switchMode, turns } from '../fixtures/window';

/** The user is away; what the system would show is recorded. */
const lookAway = (app: ElectronApplication): Promise<void> =>
  app.evaluate(({ BrowserWindow, Notification }) => {
    const shown: object[] = [];
    Object.assign(globalThis, { shown });
    Notification.isSupported = () => true;
    Notification.prototype.show = new Proxy(() => undefined, {
      apply: (_show, notification: object) => void shown.push(notification),
    });
    const [window] = BrowserWindow.getAllWindows();
    if (window) window.isFocused = () => false;
  });
const notified = (app: ElectronApplication): Promise<number> =>
  app.evaluate(() => (globalThis as unknown as { shown: object[] }).shown.length);

const write = scriptNode(
  'write',
  "await tools.filesystem.write_file({ path: 'notes.md', content: 'ok' }); return { summary: 'put' };",
  ['mcp://filesystem.write_file'],
);

test('[UI-one-chat] [CHAT-ten-minutes] [SET-default-model] the first ten minutes of a new user', async ({
  startModel,
  launch,
  project,
}) => {
  const model = await startModel({
    replies: [
      { match: /^Slowly/, text: ['begins ', 'goes on ', 'ends.'], gated: true },
      planReply('Write a note', planOf([write], 'Written.')),
      { match: /What is in/, text: 'The first answer.' },
      { match: /Why is it/, text: 'The answer to the edited line.' },
      { match: /./, text: 'Another answer.' },
    ],
  });
  const { app, page } = await launch();
  // The window has its first size again after each pair of pictures.
  const picture = async (name: string) => {
    await shots({ app, page }, `ten-${name}`);
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(1280, 820));
  };
  await expect(page.getByRole('heading', { name: 'What should we look at?' })).toBeVisible();
  await picture('01-open');

  const form = await fillProvider(page, 'My server', model.baseUrl);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('list', { name: 'Providers' })).toContainText('My server');
  const settings = page.getByRole('tabpanel', { name: 'Models' });
  await expect(settings).toContainText('scripted');
  await picture('02-connect');
  await settings.getByRole('button', { name: 'Choose a model…' }).click();
  await expect(page.getByRole('dialog', { name: 'Choose a model' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(modelButton(page, 'scripted')).toBeVisible();

  await page.evaluate(() => {
    const files = new DataTransfer();
    files.items.add(new File(['DROPPED'], 'dropped.txt', { type: 'text/plain' }));
    document
      .querySelector('textarea')
      ?.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: files }));
  });
  await expect(page.getByRole('list', { name: 'Attached to your message' })).toContainText('dropped.txt');
  await picture('03-drop');
  await send(page, 'What is in this file?');
  await expect(await settled(page, 1)).toContainText('The first answer.');
  expect((await model.chat(0)).text).toContain('DROPPED');
  await picture('04-answer');

  await turn(page, 1).getByRole('button', { name: 'Edit', exact: true }).press('Enter');
  const field = page.getByRole('textbox', { name: 'Edit the message' });
  await field.fill('Why is it here?');
  await field.press('Enter');
  await expect(turn(page, 1)).toContainText('The answer to the edited line.');
  await settled(page, 1);
  await picture('05-edit');
  await turn(page, 1).getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(turn(page, 1).getByText('2/2')).toHaveCount(2);
  await settled(page, 1);
  await picture('06-regenerate');

  await turn(page, 1).getByRole('button', { name: 'Fork into a new session' }).click();
  await expect(page.getByRole('heading', { name: /\(fork\)/ })).toBeVisible();
  await picture('07-fork');

  await send(page, 'Slowly, please');
  model.release(1);
  await expect(turn(page, 2)).toContainText('begins');
  await send(page, 'In other words');
  const waiting = page.getByRole('region', { name: /1 message waits/ });
  await expect(waiting).toContainText('In other words');
  await picture('08-waiting');
  await stopButton(page).click();
  await expect(turn(page, 2)).toContainText('Stopped here');
  await waiting.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(await settled(page, 3)).toContainText('Another answer.');
  await picture('09-steered');

  await lookAway(app);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Write a note');
  const card = turn(page, 4).getByRole('group', { name: /^Approval needed/ });
  await expect(card).toBeVisible();
  await expect.poll(() => notified(app)).toBe(1);
  await picture('10-notified');
  await card.getByRole('button', { name: /^Approve/ }).click();
  await expect(await runOver(page, 4)).toContainText('1 write made');
  expect(readFileSync(join(project, 'notes.md'), 'utf8')).toBe('ok');
  await picture('11-run');

  const file = join(project, 'talk.md');
  await app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
  }, file);
  await page.keyboard.press('Control+,');
  await page.getByRole('tab', { name: 'Your data' }).click();
  await page.getByRole('button', { name: 'Markdown…' }).click();
  await expect(page.getByText(`Saved to ${file}.`)).toBeVisible();
  expect(readFileSync(file, 'utf8')).toContain('In other words');
  await picture('12-export');
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+n');
  await expect(turns(page)).toHaveCount(0);
  await page.keyboard.press('Control+Shift+F');
  await page.getByPlaceholder('Search all sessions').fill('other words');
  await picture('13-search');
  await page.getByRole('option', { name: /fork/ }).first().click();
  await expect(turn(page, 3)).toBeInViewport();
  await expect(composer(page)).toBeVisible();
  await picture('14-found');
});
