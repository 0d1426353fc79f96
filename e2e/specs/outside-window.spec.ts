import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, type ElectronApplication } from '@playwright/test';
import { launchElectron } from '../../scripts/lib/launch-electron.mjs';
import { ask, settled } from '../fixtures/conversation';
import { test } from '../fixtures/patina';
import { shots } from '../fixtures/shots';
import { composer, send } from '../fixtures/window';

const sizes = (app: ElectronApplication) =>
  app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map((window) => [
      window.getSize()[0],
      window.isAlwaysOnTop(),
      window.isMenuBarVisible(),
    ]),
  );

test('[WIN-ask] the chosen shortcut works in every app and opens a small window for a question', async ({
  launch,
}) => {
  const { app, page } = await launch();
  const registered = (keys: string) =>
    app.evaluate(({ globalShortcut }, each) => globalShortcut.isRegistered(each), keys);
  await ask(page, 'settings-set', { askShortcut: 'modShiftSpace' });
  await expect.poll(() => registered('CommandOrControl+Shift+Space')).toBe(true);
  await ask(page, 'settings-set', { askShortcut: 'off' });
  await expect.poll(() => registered('CommandOrControl+Shift+Space')).toBe(false);

  // The system's own key press cannot be simulated here: record what it would call.
  await app.evaluate(({ globalShortcut }) => {
    globalShortcut.register = (_keys, pressed) => {
      Object.assign(globalThis, { pressed });
      return true;
    };
  });
  const press = () => app.evaluate(() => (globalThis as unknown as { pressed: () => void }).pressed());
  await ask(page, 'settings-set', { askShortcut: 'altSpace' });
  const opening = app.waitForEvent('window');
  await press();
  const small = await opening;
  await expect(composer(small)).toBeFocused();
  expect(await sizes(app)).toContainEqual([560, true, false]);
  await shots({ app, page: small }, 'ask-window');

  // Until something was asked, the shortcut shows the same window.
  await press();
  expect(await sizes(app)).toHaveLength(2);
  await send(small, 'What can you do?');
  await settled(small, 1);
  const another = app.waitForEvent('window');
  await press();
  await expect(composer(await another)).toBeFocused();
  expect(await ask(page, 'session-list', { archived: false })).toHaveLength(2);
});

test('[WIN-ask] a shortcut that another app uses is reported, and the notice disappears with it', async ({
  launch,
}) => {
  const { app, page } = await launch();
  await app.evaluate(({ globalShortcut }) => {
    globalShortcut.register = () => false;
  });
  await ask(page, 'settings-set', { askShortcut: 'altSpace' });
  const notices = page.getByRole('region', { name: 'Notices' });
  await expect(notices).toContainText('The keys for “Ask from anywhere” do not work');
  await ask(page, 'settings-set', { askShortcut: 'off' });
  await expect(notices).toHaveCount(0);
});

test('[WIN-tray] the menu of the tray speaks the language of the window', async ({ launch }) => {
  const { app, page } = await launch();
  await ask(page, 'settings-set', { tray: true });
  await app.evaluate(({ Menu }) => {
    const built = globalThis as unknown as { labels: string[] };
    const build = Menu.buildFromTemplate.bind(Menu);
    built.labels = [];
    Menu.buildFromTemplate = (template) => {
      built.labels.push(...template.flatMap(({ label }) => label ?? []));
      return build(template);
    };
  });
  await ask(page, 'settings-set', { language: 'de' });
  const labels = () => app.evaluate(() => (globalThis as unknown as { labels: string[] }).labels);
  await expect.poll(labels).toContain('Patina öffnen');
});

test('[WIN-tray] the icon is sharp on dense displays; a click opens Patina, on macOS the menu', async ({
  launch,
}) => {
  const { app, page } = await launch();
  await app.evaluate(({ nativeImage, Tray }) => {
    const seen = { icons: [] as Electron.NativeImage[], heard: [] as unknown[] };
    Object.assign(globalThis, { seen });
    const create = nativeImage.createEmpty.bind(nativeImage);
    nativeImage.createEmpty = () => {
      const icon = create();
      seen.icons.push(icon);
      return icon;
    };
    Tray.prototype.on = new Proxy(Tray.prototype.on, {
      apply: (on, tray, args: unknown[]) => {
        seen.heard.push(args[0]);
        return Reflect.apply(on, tray, args) as unknown;
      },
    });
  });
  await page.keyboard.press('Control+Comma');
  const row = page.getByRole('dialog', { name: 'Settings' }).getByLabel('Icon in the system tray');
  const heard = () => app.evaluate(() => (globalThis as unknown as { seen: { heard: string[] } }).seen.heard);
  await row.click();
  await expect.poll(heard).toEqual(['click']);
  await row.click();
  await expect(row).not.toBeChecked();
  await app.evaluate(() => Object.defineProperty(process, 'platform', { value: 'darwin' }));
  await row.click();
  const icons = () =>
    app.evaluate(() => {
      const { icons: made } = (globalThis as unknown as { seen: { icons: Electron.NativeImage[] } }).seen;
      return made.map((icon) =>
        icon.getScaleFactors().map((scale) => [scale, icon.getSize(scale), icon.toBitmap().some(Boolean)]),
      );
    });
  const size = { width: 22, height: 22 };
  const sharp = [1, 2, 3].map((scale) => [scale, size, true]);
  await expect.poll(icons).toEqual([sharp, sharp]);
  expect(await heard()).toEqual(['click']);
});

/** A PATH whose `dbus-send` answers as a desktop with a tray does. */
function withTrayHost(home: string): string {
  const folder = path.join(home, 'desktop');
  mkdirSync(folder);
  const answer = "#!/bin/sh\necho '   variant       boolean true'\n";
  writeFileSync(path.join(folder, 'dbus-send'), answer, { mode: 0o755 });
  return `${folder}:${process.env['PATH']}`;
}

test('[WIN-tray-host] without a tray to show the icon in, Patina says so and ends with its last window', async ({
  launch,
}) => {
  const { app, page } = await launch();
  await ask(page, 'settings-set', { tray: true });
  await expect(page.getByRole('region', { name: 'Notices' })).toContainText(
    'shows no icons in a system tray',
  );
  const ended = app.waitForEvent('close');
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
  await ended;
});

test('[WIN-tray] with an icon in the system tray, Patina keeps running without a window and shows one again', async ({
  launch,
  home,
  project,
}) => {
  const { app, page } = await launch({ env: { PATH: withTrayHost(home) } });
  await ask(page, 'settings-set', { tray: true });
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
  await expect.poll(() => sizes(app)).toEqual([]);
  const { executablePath, args, env } = launchElectron({
    args: ['--project', project],
    env: { ...process.env, PATINA_HOME: home },
  });
  const opening = app.waitForEvent('window');
  await once(spawn(executablePath, args, { env, stdio: 'ignore' }), 'exit');
  const again = await opening;
  await send(again, 'Are you there?');
  await settled(again, 1);
  await ask(again, 'settings-set', { tray: false });
  const ended = app.waitForEvent('close');
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
  await ended;
});
