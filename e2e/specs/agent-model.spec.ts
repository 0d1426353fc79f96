import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { planOf, scriptNode } from '../fixtures/command-line';
import { ask, newestSession, turn } from '../fixtures/conversation';
import { planReply, runCard, runOver } from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { send, switchMode } from '../fixtures/window';

const reading = scriptNode(
  'read',
  "const { text } = await tools.project.read_text({ path: 'docs/secret.txt' }); await artifacts.write('all.txt', text); return { summary: 'read', state: { length: text.length } };",
  ['mcp://project.read_text'],
);
const marker = 'bulk-data-7f3a9c';

test('[AGENT-model] a plan is checked, repaired once and run, and the model never sees the data', async ({
  startModel,
  launchOn,
  project,
}) => {
  writeFileSync(join(project, 'docs/secret.txt'), `${marker}\n`.repeat(200));
  const plan = planOf([reading], 'The file has {{read.length}} characters.');
  const unfit = planOf([{ ...reading, deps: ['nobody'], code: 'return {' }]);
  const model = await startModel({
    replies: [
      { toolCalls: [{ name: 'submit_plan', arguments: unfit }] },
      { toolCalls: [{ name: 'submit_plan', arguments: plan }], usage: { inputTokens: 40, outputTokens: 2 } },
      { text: ['Here it is:\n\n```json\n', JSON.stringify(plan), '\n```\n'] },
      { toolCalls: [{ name: 'submit_plan', arguments: unfit }] },
      { toolCalls: [{ name: 'submit_plan', arguments: unfit }] },
      { text: 'An answer in Ask.' },
    ],
  });
  const { page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'How long is the secret?');
  const first = await runOver(page, 1);
  await expect(first).toContainText('The file has 3400 characters.');
  await expect(runCard(page, 1)).toContainText('planned by the model');
  expect(model.chats()).toHaveLength(2);
  const repair = (await model.chat(1)).text;
  expect(repair).toContain('The plan was not run');
  expect(repair).toContain('nobody');

  await send(page, 'And in a fence?');
  await expect(await runOver(page, 2)).toContainText('The file has 3400 characters.');
  expect(model.chats()).toHaveLength(3);

  await send(page, 'And never right?');
  const third = await runOver(page, 3);
  await expect(third.getByRole('region', { name: 'The plan is not valid' })).toBeVisible();
  expect(model.chats()).toHaveLength(5);

  await switchMode(page, 'Ask');
  await send(page, 'What did you see?');
  await expect(turn(page, 4)).toContainText('An answer in Ask.');
  // The request contains the goal, which proves that the search can find data.
  expect(model.chats()[0]?.text).toContain('How long is the secret?');
  for (const request of model.chats()) expect(request.text).not.toContain(marker);
});

test('[AGENT-approve] a write shows its exact arguments, is not made on no, and is made once on yes', async ({
  startModel,
  launchOn,
  project,
}) => {
  const args = { path: 'docs/c.txt', edits: [{ oldText: 'other', newText: 'other other' }] };
  const code = `await tools.filesystem.edit_file(${JSON.stringify(args)}); return { summary: 'edited' };`;
  const plan = planOf([scriptNode('edit', code, ['mcp://filesystem.edit_file'])], 'Edited.');
  const model = await startModel({ replies: [planReply('Edit it', plan)] });
  const { page } = await launchOn(model);
  const file = join(project, 'docs/c.txt');
  await switchMode(page, 'Agent Mode');

  const approval = (n: number) => turn(page, n).getByRole('group', { name: 'Approval needed: Step edit' });
  await send(page, 'Edit it');
  await expect(approval(1)).toContainText('filesystem.edit_file');
  await approval(1).getByRole('button', { name: 'Show exact arguments' }).click();
  expect(
    JSON.parse((await approval(1).getByLabel('Arguments', { exact: true }).textContent()) ?? ''),
  ).toEqual(args);
  await expect(runCard(page, 1)).toContainText('Needs you');
  expect(readFileSync(file, 'utf8')).toBe('other words\n');
  await approval(1).getByRole('button', { name: 'Deny' }).click();
  await expect((await runOver(page, 1)).getByText('This was refused').first()).toBeVisible();
  expect(readFileSync(file, 'utf8')).toBe('other words\n');

  await send(page, 'Edit it');
  await expect(approval(2)).toBeVisible();
  expect(readFileSync(file, 'utf8')).toBe('other words\n');
  await approval(2).getByRole('button', { name: 'Approve' }).click();
  await expect(await runOver(page, 2)).toContainText('Edited.');
  // A second edit would have doubled it once more.
  expect(readFileSync(file, 'utf8')).toBe('other other words\n');
  const { blocks } = await ask(page, 'session-open', { sessionId: await newestSession(page) });
  const runs = blocks.flat().map(({ run }) => run);
  expect(runs.map((run) => run?.writes.map(({ outcome }) => outcome))).toEqual([[], ['done']]);
  expect(runs.map((run) => run?.approvals.map(({ status }) => status))).toEqual([['denied'], ['approved']]);
  expect(existsSync(join(project, '.patina/grants.json'))).toBe(false);
});
