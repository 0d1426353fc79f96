import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { axeFindings } from '../fixtures/axe';
import { ask } from '../fixtures/conversation';
import { test } from '../fixtures/patina';
import { shots } from '../fixtures/shots';

const peer = resolve('src/testing/mcp-peers/stateless-server.mjs');
const server = (page: Page, name: string) =>
  page
    .getByRole('list', { name: 'Servers' })
    .getByRole('listitem')
    .filter({ has: page.getByText(name, { exact: true }) });

async function add(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  await page.getByRole('button', { name: 'Add a server' }).click();
  const form = page.getByRole('form', { name: 'Add a server' });
  for (const [label, text] of Object.entries(fields)) await form.getByLabel(label).fill(text);
  await form.getByRole('button', { name: 'Add and allow' }).click();
  await expect(form).toBeHidden();
}

test('[MCP-settings] servers are added, tested, switched and removed in the settings', async ({
  launch,
  home,
  project,
}) => {
  const { page } = await launch();
  const manifest = () =>
    JSON.parse(readFileSync(join(project, '.patina/capabilities.json'), 'utf8')) as {
      allow: string[];
      deny: string[];
    };
  await page.keyboard.press('Control+,');
  await page.getByRole('tab', { name: 'Servers' }).click();
  await expect(server(page, 'project')).toContainText('Starts when needed');

  await add(page, { Name: 'peer', 'Command or address': process.execPath, 'Arguments, one per line': peer });
  expect(manifest().allow).toContain('mcp://peer.*');
  await page.getByRole('button', { name: 'Test peer' }).click();
  await expect(server(page, 'peer')).toContainText('7 tools');
  await page.getByRole('button', { name: 'Show the tools of peer' }).click();
  await page.getByRole('switch', { name: 'Allow add' }).click();
  await expect(page.getByRole('switch', { name: 'Allow add' })).not.toBeChecked();
  expect(manifest().deny).toEqual(['mcp://peer.add']);

  await add(page, {
    Name: 'broken',
    'Command or address': process.execPath,
    'Arguments, one per line': '-e\nconsole.error("no licence found"); process.exit(3)',
  });
  await page.getByRole('button', { name: 'Test broken' }).click();
  await expect(server(page, 'broken')).toContainText('exited with code 3');
  await expect(server(page, 'broken')).toContainText('no licence found');

  for (const theme of ['light', 'dark'] as const) {
    await ask(page, 'settings-set', { theme });
    expect(await axeFindings(page), theme).toEqual([]);
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/servers-${theme}.png` });
  }

  await page.getByRole('button', { name: 'Remove broken' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(server(page, 'broken')).toHaveCount(0);
  const registry = readFileSync(join(home, 'mcp/registry.json'), 'utf8');
  expect(Object.keys((JSON.parse(registry) as { mcpServers: object }).mcpServers)).toEqual([
    'project',
    'filesystem',
    'peer',
  ]);
  expect(existsSync(join(project, '.patina/capabilities.json'))).toBe(true);
  expect(manifest().allow).not.toContain('mcp://broken.*');
});

test('[MCP-import] servers of VS Code are previewed, chosen and imported; nothing starts, nothing is trusted', async ({
  launch,
  home,
  project,
}) => {
  const file = join(project, 'mcp.json');
  const touch = (name: string) => `require('fs').writeFileSync(${JSON.stringify(join(home, name))}, '')`;
  writeFileSync(
    file,
    `{ // as VS Code writes it
      "inputs": [{ "type": "promptString", "id": "key", "description": "Key of the weather", "password": true }],
      "servers": {
        "Weather": { "command": "node", "args": ["-e", ${JSON.stringify(touch('weather-ran'))}], "trusted": true,
          "env": { "KEY": "\${input:key}" } },
        "other": { "command": "node", "args": ["-e", ${JSON.stringify(touch('other-ran'))}] },
        "project": { "command": "node" },
        "broken": { "args": 7 },
      },
    }`,
  );
  const { app, page } = await launch();
  await page.keyboard.press('Control+,');
  await page.getByRole('tab', { name: 'Servers' }).click();
  await expect(server(page, 'project')).toBeVisible();
  // Under load the driver loses more answers than it requests again; setting it twice is harmless.
  await expect(() =>
    app.evaluate(({ dialog }, chosen) => {
      dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] });
    }, file),
  ).toPass();
  await page.getByRole('button', { name: /^Import/ }).click();
  const found = page.getByRole('region', { name: 'Servers in the file' });
  await expect(found.getByRole('checkbox', { name: /^project already exists/ })).toBeDisabled();
  await expect(found.getByRole('list', { name: 'Skipped' })).toContainText('servers.broken');
  await found.getByRole('checkbox', { name: /^other/ }).uncheck();
  await expect(found.getByLabel('Key of the weather')).toHaveAttribute('type', 'password');
  expect(await axeFindings(page)).toEqual([]);
  await shots({ app, page }, 'server-import');
  await found.getByRole('button', { name: 'Add 1 server' }).press('Enter');
  await expect(found).toBeHidden();
  await expect(server(page, 'weather')).toContainText('Starts when needed');

  const text = readFileSync(join(home, 'mcp/registry.json'), 'utf8');
  const { mcpServers } = JSON.parse(text) as { mcpServers: Record<string, { trusted: boolean }> };
  expect(Object.keys(mcpServers)).toEqual(['project', 'filesystem', 'weather']);
  expect(mcpServers['weather']).toMatchObject({ trusted: false, env: { KEY: '${input:mcp-weather-key}' } });
  expect(existsSync(join(home, 'weather-ran'))).toBe(false);
  expect(existsSync(join(home, 'other-ran'))).toBe(false);
});

test('[MCP-not-allowed] a server added by a file is shown as not allowed, with its limits, and a click allows it', async ({
  launch,
  home,
  project,
}) => {
  mkdirSync(join(home, 'mcp'), { recursive: true });
  const byHand = { command: process.execPath, args: [peer], timeoutMs: 60_000 };
  writeFileSync(join(home, 'mcp/registry.json'), JSON.stringify({ mcpServers: { byhand: byHand } }));
  const { app, page } = await launch();
  await page.keyboard.press('Control+,');
  await page.getByRole('tab', { name: 'Servers' }).click();
  const row = server(page, 'byhand');
  await expect(row).toContainText('Not allowed in this project yet');
  await page.getByRole('button', { name: 'Test byhand' }).click();
  await expect(row).toContainText('7 tools, 0 allowed here');
  await expect(row).toContainText('A call may take 1 min, or 6 min while it reports progress.');
  expect(await axeFindings(page)).toEqual([]);
  await shots({ app, page }, 'server-not-allowed');
  await page.getByRole('button', { name: 'Allow in this project: byhand' }).press('Enter');
  await expect(row).not.toContainText('Not allowed');
  const manifest = JSON.parse(readFileSync(join(project, '.patina/capabilities.json'), 'utf8')) as object;
  expect(manifest).toMatchObject({ allow: ['mcp://project.*', 'mcp://filesystem.*', 'mcp://byhand.*'] });
});
