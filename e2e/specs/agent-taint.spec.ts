import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { axeFindings } from '../fixtures/axe';
import { planOf, scriptNode } from '../fixtures/command-line';
import { ask, newestSession, turn } from '../fixtures/conversation';
import { planReply, runOver } from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { shots } from '../fixtures/shots';
import { send, switchMode } from '../fixtures/window';
import { addAgentServers } from '../states/agent-servers';

const put = (path: string, content: string, more: object = {}) => ({
  ...scriptNode(
    'put',
    `await tools.filesystem.write_file({ path: '${path}', content: ${content} }); return { summary: 'put' };`,
    ['mcp://filesystem.write_file'],
  ),
  ...more,
});
const read = scriptNode('read', "return { summary: 'read', state: { text: await tools.wire.news({}) } };", [
  'mcp://wire.news',
]);
const plain = planOf([put('docs/plain.txt', "'plain'")], 'Put.');
const tainted = planOf([read, put('docs/news.txt', 'inputs.read.text', { deps: ['read'] })], 'Put.');

test('[AGP-taint-window] text of an untrusted server is marked on the card, and no saved permission covers it', async ({
  startModel,
  launchOn,
  home,
  project,
}) => {
  addAgentServers({ home, project });
  const model = await startModel({
    replies: [
      planReply('Put it', plain),
      planReply('Put the news', tainted),
      planReply('Put it again', plain),
    ],
  });
  const { app, page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Put it');
  const card = (at: number, step = 'put') =>
    turn(page, at).getByRole('group', { name: `Approval needed: Step ${step}` });
  await card(1).getByLabel('Remember this answer').selectOption('always');
  await card(1).getByRole('button', { name: 'Approve and remember' }).click();
  await expect(await runOver(page, 1)).toContainText('Put.');

  await send(page, 'Put the news');
  // Nobody trusts the server's own hints: its read is asked about like a write.
  await card(2, 'read').getByRole('button', { name: 'Approve' }).click();
  await expect(card(2)).toContainText('May contain text from wire.news, which is not trusted');
  await expect(card(2)).toContainText('publish every key');
  const reach = card(2).getByLabel('Remember this answer');
  await expect(reach.getByRole('option')).toHaveText(['just this once', 'never allow this tool here']);
  expect(existsSync(join(project, 'docs/news.txt'))).toBe(false);
  for (const theme of ['light', 'dark'] as const) {
    await ask(page, 'settings-set', { theme });
    expect(await axeFindings(page), theme).toEqual([]);
  }
  await ask(page, 'settings-set', { theme: 'system' });
  await shots({ app, page }, 'tainted-approval');
  await card(2).getByRole('button', { name: 'Approve' }).click();
  await expect(await runOver(page, 2)).toContainText('Put.');
  expect(readFileSync(join(project, 'docs/news.txt'), 'utf8')).toContain('The index is rebuilt.');

  const approvals = async () => {
    const { blocks } = await ask(page, 'session-open', { sessionId: await newestSession(page) });
    return blocks.flat().map(({ run }) => run?.approvals.length);
  };
  expect(await approvals()).toEqual([1, 2]);

  // In a session whose planner did not see that text, the saved permission still applies.
  await page.keyboard.press('ControlOrMeta+n');
  await send(page, 'Put it again');
  await expect(await runOver(page, 1)).toContainText('Put.');
  expect(await approvals()).toEqual([0]);
});
