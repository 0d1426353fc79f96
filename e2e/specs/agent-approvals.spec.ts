import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { planOf, scriptNode } from '../fixtures/command-line';
import { ask, newestSession, turn } from '../fixtures/conversation';
import { allowEndlessRuns, planReply, restless, runCard, runOver, someCalls } from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { send, switchMode } from '../fixtures/window';

const code = `const names = ['one', 'two', 'three'];
const made = await Promise.allSettled(names.map((name) =>
  tools.filesystem.write_file({ path: 'docs/' + name + '.txt', content: name })));
return { summary: made.map(({ status }) => status).join(', ') };`;
const more =
  "await tools.filesystem.write_file({ path: 'docs/four.txt', content: 'four' }); return { summary: 'put' };";
const writer = ['mcp://filesystem.write_file'];
const parallel = planOf([scriptNode('write', code, writer), scriptNode('more', more, writer)], 'Written.');

test('[AGP-card-window] [APR-steps] one card for the writes of two parallel steps: one is refused, one is edited, and exactly the approved ones are made', async ({
  startModel,
  launchOn,
  project,
}) => {
  const model = await startModel({ replies: [planReply('Write them', parallel)] });
  const { page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Write them');
  const card = turn(page, 1).getByRole('group', { name: 'Approval needed: Step write · Step more' });
  await expect(card).toHaveCount(1);
  const rows = card.getByRole('list', { name: 'Calls' }).getByRole('listitem');
  await expect(rows).toHaveCount(4);
  await expect(rows.last()).toContainText('Step more');
  await expect(runCard(page, 1)).toContainText('Approve: Step write');

  await card.getByRole('checkbox').nth(1).uncheck();
  await card.getByRole('button', { name: 'Details of docs/three.txt' }).click();
  await card.getByRole('button', { name: 'Edit before approving' }).click();
  const editor = card.getByLabel('Arguments to change');
  await editor.fill('{"path": "docs/three.txt"}');
  await card.getByRole('button', { name: 'Use these arguments' }).click();
  await expect(card.getByRole('alert')).toContainText('content');
  await editor.fill('{"path": "docs/three.txt", "content": "changed"}');
  await card.getByRole('button', { name: 'Use these arguments' }).click();
  await expect(card).toContainText('changed by you');
  await card.getByRole('button', { name: 'Approve 3 of 4' }).click();

  const over = await runOver(page, 1);
  await expect(over).toContainText('3 of 4 writes made');
  await expect(over).toContainText('1 of 3 writes was refused.');
  const text = (name: string) => readFileSync(join(project, 'docs', `${name}.txt`), 'utf8');
  expect([text('one'), text('three'), text('four')]).toEqual(['one', 'changed', 'four']);
  expect(existsSync(join(project, 'docs/two.txt'))).toBe(false);
});

const read = scriptNode(
  'look',
  "const { files } = await tools.project.list_files({ path: 'docs' }); return { summary: 'looked', state: { files: files.length } };",
  ['mcp://project.list_files'],
);
const put = {
  ...scriptNode(
    'put',
    "await tools.filesystem.write_file({ path: 'docs/count.txt', content: String(inputs.look.files) }); return { summary: 'put' };",
    ['mcp://filesystem.write_file'],
  ),
  deps: ['look'],
};

test('[AGP-pending-survives] kill -9 before the answer: the card is shown again, and a yes continues the run with it, once', async ({
  startModel,
  launchOn,
  project,
}) => {
  const model = await startModel({ replies: [planReply('Count and put', planOf([read, put], 'Counted.'))] });
  const first = await launchOn(model);
  await switchMode(first.page, 'Agent Mode');
  await send(first.page, 'Count and put');
  const asked = (page: typeof first.page) =>
    turn(page, 1).getByRole('group', { name: 'Approval needed: Step put' });
  await expect(asked(first.page)).toBeVisible();
  const gone = once(first.app.process(), 'exit');
  first.app.process().kill('SIGKILL');
  await gone;

  const { page } = await launchOn(model);
  await expect(turn(page, 1)).toContainText('Interrupted');
  await expect(asked(page)).toContainText('docs/count.txt');
  expect(existsSync(join(project, 'docs/count.txt'))).toBe(false);
  await asked(page).getByRole('button', { name: 'Approve' }).click();
  await expect(await runOver(page, 1)).toContainText('Counted.');
  expect(existsSync(join(project, 'docs/count.txt'))).toBe(true);
  const { blocks } = await ask(page, 'session-open', { sessionId: await newestSession(page) });
  const [run] = blocks.flat().map((one) => one.run);
  expect(run?.status).toBe('done');
  expect(run?.approvals.map(({ status }) => status)).toEqual(['approved']);
  expect(run?.writes.map(({ outcome }) => outcome)).toEqual(['done']);
  // Work done before the crash is not repeated: one call, one model turn.
  expect(run?.nodes.find(({ id }) => id === 'look')?.callCount).toBe(1);
  expect(model.chats()).toHaveLength(1);
});

test('[AGP-pending-survives] the app is closed before the answer: the card is shown again, and a yes continues the run', async ({
  startModel,
  launchOn,
  project,
}) => {
  const model = await startModel({ replies: [planReply('Count and put', planOf([read, put], 'Counted.'))] });
  const first = await launchOn(model);
  await switchMode(first.page, 'Agent Mode');
  await send(first.page, 'Count and put');
  await expect(turn(first.page, 1).getByRole('group', { name: 'Approval needed: Step put' })).toBeVisible();
  await first.app.close();

  const { page } = await launchOn(model);
  const again = turn(page, 1).getByRole('group', { name: 'Approval needed: Step put' });
  await again.getByRole('button', { name: 'Approve' }).click();
  await expect(turn(page, 1)).toContainText('Counted.');
  expect(existsSync(join(project, 'docs/count.txt'))).toBe(true);
});

test('[AGX-pause] a paused run starts nothing until it is resumed', async ({
  startModel,
  launchOn,
  project,
}) => {
  allowEndlessRuns(project);
  const model = await startModel({
    replies: [planReply('Run for a while', planOf([scriptNode('loop', restless.code, restless.tools)]))],
  });
  const { page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Run for a while');
  await expect(runCard(page, 1)).toContainText(someCalls);
  await runCard(page, 1).getByRole('button', { name: 'Pause' }).click();
  await expect(runCard(page, 1)).toContainText('paused');
  const calls = async () => {
    const { blocks } = await ask(page, 'session-open', { sessionId: await newestSession(page) });
    return blocks.flat()[0]?.run?.nodes[0]?.callCount ?? 0;
  };
  // Calls in progress at the pause may still end; from then on the count stays.
  await expect.poll(async () => (await calls()) - (await calls())).toBe(0);
  await runCard(page, 1).getByRole('button', { name: 'Continue' }).click();
  const before = await calls();
  await expect.poll(calls).toBeGreaterThan(before);
  await runCard(page, 1).getByRole('button', { name: 'Cancel' }).click();
  await runOver(page, 1);
});

const onlyPut = (title: string, path: string) =>
  planReply(
    title,
    planOf(
      [
        scriptNode(
          'put',
          `await tools.filesystem.write_file({ path: '${path}', content: 'x' }); return { summary: 'put' };`,
          ['mcp://filesystem.write_file'],
        ),
      ],
      'Put.',
    ),
  );

test('[AGP-grant-window] [APR-scope] a narrowed “always” answer covers the next such call, also after a restart, until it is revoked', async ({
  startModel,
  launchOn,
}) => {
  const paths = ['docs/one.txt', 'docs/two.txt', 'other.txt', 'docs/three.txt'];
  const model = await startModel({ replies: paths.map((path) => onlyPut(`Put ${path}`, path)) });
  const first = await launchOn(model);
  await switchMode(first.page, 'Agent Mode');
  await send(first.page, 'Put docs/one.txt');
  const card = (page: typeof first.page, position: number) =>
    turn(page, position).getByRole('group', { name: 'Approval needed: Step put' });
  await card(first.page, 1).getByLabel('Remember this answer').selectOption('always');
  const covered = card(first.page, 1).getByLabel('Allow without asking');
  await expect(covered.locator('option')).toHaveText([
    'write_file with exactly these arguments',
    'write_file in docs/**',
    'write_file with any arguments',
    'choose for each argument',
  ]);
  await covered.selectOption('custom');
  await card(first.page, 1).getByLabel('Allowed values of path').selectOption('begins');
  await expect(card(first.page, 1).getByLabel('Beginning of path')).toHaveValue('docs/');
  await expect(card(first.page, 1)).toContainText('only when path begins with "docs/"');
  await card(first.page, 1).getByRole('button', { name: 'Approve and remember' }).click();
  await expect(await runOver(first.page, 1)).toContainText('Put.');
  const gone = once(first.app.process(), 'exit');
  await first.app.close();
  await gone;

  const { page } = await launchOn(model);
  await send(page, 'Put docs/two.txt');
  await expect(await runOver(page, 2)).toContainText('Put.');
  const { blocks } = await ask(page, 'session-open', { sessionId: await newestSession(page) });
  const run = blocks.flat()[1]?.run;
  expect(run?.approvals).toEqual([]);
  expect(run?.nodes.at(-1)?.calls[0]?.allowedBy?.where).toEqual({ path: { beginsWith: 'docs/' } });
  await send(page, 'Put other.txt');
  await card(page, 3).getByRole('button', { name: 'Deny' }).click();
  await runOver(page, 3);

  await page.keyboard.press('ControlOrMeta+,');
  const settings = page.getByRole('dialog', { name: 'Settings' });
  await settings.getByRole('tab', { name: 'Approvals' }).click();
  const listed = settings.getByRole('list', { name: 'Saved permissions' });
  await expect(listed).toContainText('only when path begins with "docs/"');
  await listed.getByRole('button', { name: /^Revoke/ }).click();
  await expect(settings).toContainText('No saved permissions');
  await page.keyboard.press('Escape');
  await send(page, 'Put docs/three.txt');
  await expect(card(page, 4)).toBeVisible();
});
