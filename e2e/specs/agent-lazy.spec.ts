import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { settled } from '../fixtures/conversation';
import { test } from '../fixtures/patina';
import { patinaProcesses, runOver } from '../fixtures/run';
import { send, switchMode } from '../fixtures/window';

test('[AGENT-lazy] no worker and no server before the first run; all end when idle, and restart when needed', async ({
  launch,
}) => {
  const { app, page } = await launch({ env: { PATINA_IDLE_MS: '2000' } });
  await send(page, 'What can you do?');
  await settled(page, 1);
  await switchMode(page, 'Agent Mode');
  expect([...(await patinaProcesses(app)).keys()]).toEqual([]);

  // Watched from the start: when a slow window shows the end of the run, the worker may be gone already.
  const running = expect
    .poll(async () => [...(await patinaProcesses(app)).keys()], { intervals: [100] })
    .toEqual(expect.arrayContaining(['Patina sandbox', 'Patina project server']));
  await send(page, 'find duplicate files in ./docs');
  await runOver(page, 2);
  await running;
  await expect.poll(async () => (await patinaProcesses(app)).size, { timeout: 20_000 }).toBe(0);

  await send(page, 'find duplicate files in ./docs');
  await expect(await runOver(page, 3)).toContainText('1 group of identical files');
});

test('[AGENT-off] when Agent Mode is off, the window says why, lines go to Ask, and the stored mode stays', async ({
  launch,
  home,
}) => {
  const file = join(home, 'ui_settings.json');
  writeFileSync(file, '{"mode":"agent"}');
  const { app, page } = await launch({ env: { PATINA_AGENT_MODE: 'off' } });
  const agent = page.getByRole('radio', { name: 'Agent Mode' });
  await expect(agent).toHaveAttribute('aria-disabled', 'true');
  await expect(agent).toHaveAttribute('aria-description', /switched off by PATINA_AGENT_MODE=off/);
  await expect(page.getByRole('radio', { name: 'Ask' })).toBeChecked();
  await agent.click({ force: true });
  await expect(agent).not.toBeChecked();
  await send(page, 'find duplicate files in ./docs');
  const reply = await settled(page, 1);
  await expect(reply).toContainText('No model is connected');
  await expect(reply.getByRole('region', { name: 'Run' })).toBeHidden();
  expect([...(await patinaProcesses(app)).keys()]).toEqual([]);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ mode: 'agent' });
});
