import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type ElectronApplication } from '@playwright/test';
import { planOf, scriptNode } from '../fixtures/command-line';
import { turn } from '../fixtures/conversation';
import { planReply } from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { send, switchMode, turns } from '../fixtures/window';

interface Shown {
  readonly title: string;
  readonly body: string;
}

/** Catches notifications where the system would show them, and says whether the window has the focus. */
const watch = (app: ElectronApplication, focused: boolean): Promise<void> =>
  app.evaluate(({ BrowserWindow, Notification }, hasFocus) => {
    const shown: object[] = [];
    Object.assign(globalThis, { shown });
    Notification.isSupported = () => true;
    // A proxy learns which notification is shown.
    Notification.prototype.show = new Proxy(() => undefined, {
      apply: (_show, notification: object) => void shown.push(notification),
    });
    const [window] = BrowserWindow.getAllWindows();
    if (window) window.isFocused = () => hasFocus;
  }, focused);

const shown = (app: ElectronApplication): Promise<readonly Shown[]> =>
  app.evaluate(() =>
    (globalThis as unknown as { shown: Shown[] }).shown.map(({ title, body }) => ({ title, body })),
  );

/** Presses a button of the first notification: 0 is the first one. */
const press = (app: ElectronApplication, button: number): Promise<void> =>
  app.evaluate((_electron, index) => {
    const [first] = (globalThis as unknown as { shown: { emit: (...event: unknown[]) => void }[] }).shown;
    first?.emit('action', {}, index);
  }, button);

const click = (app: ElectronApplication): Promise<void> =>
  app.evaluate(() => {
    const [first] = (globalThis as unknown as { shown: { emit: (name: string) => void }[] }).shown;
    first?.emit('click');
  });

const writing = planOf(
  [
    scriptNode(
      'put',
      "await tools.filesystem.write_file({ path: 'x.md', content: 'x' }); return { summary: 'put' };",
      ['mcp://filesystem.write_file'],
    ),
  ],
  'Put.',
);

test('[ATT-notify] a session that needs the user notifies them once, and a click opens it', async ({
  startModel,
  launchOn,
}) => {
  const { app, page } = await launchOn(await startModel({ replies: [planReply('make x', writing)] }));
  await watch(app, false);
  await switchMode(page, 'Agent Mode');
  await send(page, 'make x');
  await page.getByRole('group', { name: /^Approval needed/ }).waitFor();
  await expect.poll(() => shown(app)).toEqual([{ title: 'make x', body: 'Needs you.' }]);

  await page.keyboard.press('Control+n');
  await expect(turns(page)).toHaveCount(0);
  const rail = page.getByRole('navigation', { name: 'Sessions' });
  const row = rail.getByRole('button', { name: /^make x/ }).first();
  await expect(row).toContainText('needs you');
  await expect(row).not.toContainText('working');
  await click(app);
  await expect(turn(page, 1)).toContainText('make x');
  expect(await shown(app)).toHaveLength(1);
});

test('[ATT-notify] no notification is shown to a user who looks, or when notifications are off', async ({
  startModel,
  launchOn,
}) => {
  const { app, page } = await launchOn(
    await startModel({ replies: [planReply('make x', writing), planReply('make y', writing)] }),
  );
  await watch(app, true);
  await switchMode(page, 'Agent Mode');
  await send(page, 'make x');
  await turn(page, 1).getByRole('button', { name: 'Deny' }).click();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('switch', { name: 'System notifications' }).click();
  await page.keyboard.press('Escape');
  await watch(app, false);
  await page.keyboard.press('Control+n');
  await send(page, 'make y');
  await turn(page, 1).getByRole('button', { name: 'Deny' }).waitFor();
  expect(await shown(app)).toEqual([]);
});

test('[ATT-sound] notifications are silent until the user switches their sound on', async ({
  startModel,
  launchOn,
}) => {
  const replies = [planReply('make x', writing), planReply('make y', writing)];
  const { app, page } = await launchOn(await startModel({ replies }));
  const silent = () =>
    app.evaluate(() =>
      (globalThis as unknown as { shown: { silent: boolean }[] }).shown.map((each) => each.silent),
    );
  await watch(app, false);
  await switchMode(page, 'Agent Mode');
  await send(page, 'make x');
  await expect.poll(silent).toEqual([true]);
  await turn(page, 1).getByRole('button', { name: 'Deny' }).click();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('switch', { name: 'Sound of notifications' }).click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+n');
  await send(page, 'make y');
  await expect.poll(silent).toEqual([true, false]);
});

test('[ATT-answer] a small write is answered on a notification that shows all of it', async ({
  startModel,
  launchOn,
  project,
}) => {
  const { app, page } = await launchOn(await startModel({ replies: [planReply('make x', writing)] }));
  await watch(app, false);
  await app.evaluate(({ Menu }) => {
    // Linux has no buttons on notifications, and cannot draw the menu bar of a system that has them.
    Menu.setApplicationMenu = () => undefined;
    Object.defineProperty(process, 'platform', { value: 'darwin' });
  });
  await switchMode(page, 'Agent Mode');
  await send(page, 'make x');
  const body = 'Needs you.\nmcp://filesystem.write_file {"path":"x.md","content":"x"}';
  await expect.poll(() => shown(app)).toEqual([{ title: 'make x', body }]);
  expect(existsSync(join(project, 'x.md'))).toBe(false);
  await press(app, 0);
  await expect(turn(page, 1)).toContainText('Put.');
  expect(readFileSync(join(project, 'x.md'), 'utf8')).toBe('x');
});
