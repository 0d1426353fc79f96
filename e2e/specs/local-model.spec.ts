import type { Locator } from '@playwright/test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelHub } from '../../src/testing/model-hub';
import { offeredTiny, tinyGguf, tinyWord } from '../../src/testing/tiny-gguf';
import { turn } from '../fixtures/conversation';
import { expect, test } from '../fixtures/patina';
import { patinaProcesses } from '../fixtures/run';
import { shots } from '../fixtures/shots';
import { send } from '../fixtures/window';

test('[LOCAL-ask] [LOCAL-process] a model on this computer streams in the window; killed, it answers the next line', async ({
  launch,
  home,
}) => {
  mkdirSync(join(home, 'models'), { recursive: true });
  writeFileSync(join(home, 'models', 'tiny.gguf'), tinyGguf());
  const stage = await launch();
  const { app, page } = stage;
  await send(page, 'Tell me a long story about copper.');
  const reply = turn(page, 1);
  await expect(reply).toContainText(tinyWord);
  const pid = (await patinaProcesses(app)).get('Patina local model');
  if (pid === undefined) throw new Error('No process of a local model runs.');
  const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
  expect(environment).toContain('TZ=UTC');
  expect(environment).not.toContain(home);
  process.kill(pid, 'SIGKILL');
  await expect(reply).toContainText('ended while it worked');
  await send(page, 'And another?');
  await expect(turn(page, 2)).toContainText(tinyWord);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await shots(stage, 'local-model-reply');
});

test('[LOCAL-import] [LOCAL-no-plan] settings import, list and delete a model, and say that it does not plan', async ({
  launch,
  home,
}) => {
  const file = join(home, 'tiny.gguf');
  writeFileSync(file, tinyGguf());
  const stage = await launch();
  const { app, page } = stage;
  await app.evaluate(({ dialog }, path) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [path] });
  }, file);
  await page.getByRole('button', { name: 'Connect a model…' }).click();
  const section = page.getByRole('region', { name: 'On this computer' });
  await section.scrollIntoViewIfNeeded();
  await shots(stage, 'local-model-none');
  await section.getByRole('button', { name: 'Import a GGUF file…' }).click();
  await expect(section.getByRole('status')).toContainText('tiny is ready.');
  await expect(section.getByRole('listitem')).toContainText('In use');
  await expect(section).toContainText('It does not plan');
  await section.getByRole('status').scrollIntoViewIfNeeded();
  await shots(stage, 'local-model-settings');
  await section.getByRole('button', { name: 'Delete tiny from this computer' }).click();
  await expect(section.getByRole('listitem')).toHaveCount(0);
});

test('[LOCAL-offer] without configuration, one click downloads the offered model, and it answers', async ({
  launch,
  home,
}) => {
  const hub = await startModelHub();
  try {
    writeFileSync(join(home, 'local-model.json'), JSON.stringify(offeredTiny(hub.address)));
    const stage = await launch();
    const { page } = stage;
    // The first run shows the card itself: nothing has to be opened, and nothing starts without the click.
    const card = page.getByRole('region', { name: 'Connect a model' }).getByRole('group', { name: 'Tiny' });
    await expect(card).toContainText('CC0-1.0 · from 127.0.0.1');
    await expect(card).toContainText(/free on disk · needs about .* of memory, .* free/);
    await card.scrollIntoViewIfNeeded();
    await shots(stage, 'local-model-offer');
    expect(hub.ranges).toEqual([]);

    hub.answer('paused');
    await card.getByRole('button', { name: 'Download Tiny' }).click();
    await expect(card.getByRole('progressbar')).toHaveAttribute('value', /[1-9]/);
    await shots(stage, 'local-model-downloading');
    await card.getByRole('button', { name: 'Stop' }).click();
    hub.answer('missing');
    await card.getByRole('button', { name: 'Continue downloading Tiny' }).click();
    await expect(card.getByRole('status')).toContainText('answered with status 404');
    await shots(stage, 'local-model-download-failed');
    // In the smallest window too, the reason is in view beside the button that was clicked.
    await stage.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.setContentSize(600, 600),
    );
    await card.getByRole('button', { name: 'Continue downloading Tiny' }).click();
    await expect(card.getByRole('status')).toContainText('answered with status 404');
    await expect(card.getByRole('status')).toBeInViewport({ ratio: 1 });
    const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? NaN;
    const below =
      (await topOf(card.getByRole('status'))) -
      (await topOf(card.getByRole('button', { name: /Tiny$/ }).last()));
    expect(below).toBeLessThan(100);
    hub.answer('whole');
    await card.getByRole('button', { name: 'Continue downloading Tiny' }).click();
    await expect(card).toHaveCount(0);
    expect(hub.ranges.at(-1)).toMatch(/^bytes=[1-9]/);
    await send(page, 'Tell me about copper.');
    await expect(turn(page, 1)).toContainText(tinyWord);
  } finally {
    await hub.close();
  }
});
