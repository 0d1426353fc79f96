import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { axeFindings } from '../fixtures/axe';
import { settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { send } from '../fixtures/window';

const peer = resolve('src/testing/mcp-peers/stateless-server.mjs');
const toolsSwitch = (page: Page) => page.getByRole('button', { name: 'Tools in Ask', exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

const call = (name: string, args: object = {}) => ({ toolCalls: [{ id: 'c1', name, arguments: args }] });

/** A server of the user's own that asks questions, allowed in the project. */
function addPeer(home: string, project: string): void {
  mkdirSync(join(home, 'mcp'), { recursive: true });
  const entry = { command: process.execPath, args: [peer], trusted: true };
  writeFileSync(join(home, 'mcp/registry.json'), JSON.stringify({ mcpServers: { peer: entry } }));
  mkdirSync(join(project, '.patina'), { recursive: true });
  const manifest = { allow: ['mcp://peer.*', 'mcp://filesystem.*'], deny: [], write: [] };
  writeFileSync(join(project, '.patina/capabilities.json'), JSON.stringify(manifest));
}

test('[ASK-tools-off] [ASK-tools-gate] tools in Ask are switched on at the composer, and a write waits for its approval', async ({
  startModel,
  launchOn,
  project,
}) => {
  const written = join(project, 'docs/new.txt');
  const write = call('filesystem__write_file', { path: written, content: 'From Ask.\n' });
  const model = await startModel({
    replies: [{ text: 'Without.' }, write, { text: 'Not written.' }, write, { text: 'Written.' }],
  });
  const { page } = await launchOn(model);
  await expect(toolsSwitch(page)).toHaveAttribute('aria-pressed', 'false');
  await send(page, 'hello');
  await settled(page, 1);
  expect(JSON.stringify(model.chats()[0]?.json)).not.toContain('filesystem__');

  await toolsSwitch(page).click();
  await expect(toolsSwitch(page)).toHaveAttribute('aria-pressed', 'true');
  await send(page, 'write it');
  await expect(turn(page, 2)).toContainText('The model wants to call mcp://filesystem.write_file');
  await expect(turn(page, 2)).toContainText(JSON.stringify(written));
  await button(page, 'Do not approve').click();
  await expect(await settled(page, 2)).toContainText('Not written.');
  expect(existsSync(written)).toBe(false);

  await send(page, 'write it now');
  await button(page, 'Approve').click();
  await expect(await settled(page, 3)).toContainText('Written.');
  expect(readFileSync(written, 'utf8')).toBe('From Ask.\n');
});

test('[MCP-elicit-form] [MCP-elicit-answer] a question from a server is a form in the window; Escape cancels, an answer reaches the server', async ({
  startModel,
  launchOn,
  home,
  project,
}) => {
  addPeer(home, project);
  const asks = call('peer__ask');
  const model = await startModel({
    replies: [asks, { text: 'Nobody said.' }, asks, { text: 'Somebody said.' }],
  });
  const { page } = await launchOn(model);
  await toolsSwitch(page).click();
  const form = page.getByRole('form', { name: /peer asks/ });

  await send(page, 'who is there?');
  await button(page, 'Approve').click();
  await expect(form).toContainText('Who is there?');
  expect(await axeFindings(page)).toEqual([]);
  await form.getByRole('textbox').press('Escape');
  await expect(form).toHaveCount(0);
  await expect(await settled(page, 1)).toContainText('Nobody said.');

  await send(page, 'who is there now?');
  await button(page, 'Approve').click();
  await form.getByRole('textbox').fill('Grace');
  await form.getByRole('textbox').press('Enter');
  await expect(form).toHaveCount(0);
  await expect(await settled(page, 2)).toContainText('Somebody said.');
  expect(JSON.stringify(model.chats().at(-1)?.json)).toContain('Hello Grace');
});
