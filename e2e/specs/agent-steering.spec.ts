import { expect, type Page } from '@playwright/test';
import { planOf, scriptNode } from '../fixtures/command-line';
import { turn } from '../fixtures/conversation';
import { runOver } from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { send, switchMode } from '../fixtures/window';

const write =
  "await tools.filesystem.write_file({ path: 'new.txt', content: 'new' }); return { summary: 'written' };";
const look = { ...planOf([scriptNode('write', write, ['mcp://filesystem.write_file'])]), then: 'look' };

/** The list of waiting lines; its name has their number. */
const queue = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const row = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });

test('[QUE-window] [QUE-now] [QUE-command] a line typed during a run is shown, edited, withdrawn and sent now', async ({
  startModel,
  launchOn,
}) => {
  const proposed = { toolCalls: [{ name: 'submit_plan', arguments: look }] };
  const model = await startModel({ replies: [proposed, { text: ['Stopped there.'] }] });
  const { page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Write it');
  await expect(turn(page, 1).getByRole('button', { name: 'Approve' })).toBeVisible();

  await send(page, 'Not all of it');
  await send(page, '/mode ddr');
  await send(page, 'Then sum up');
  await expect(queue(page, '3 messages wait')).toBeVisible();
  const command = row(page, '/mode ddr');
  await expect(command).toContainText('command');
  await expect(command.getByRole('button', { name: 'Edit the message' })).toHaveCount(0);
  await command.getByRole('button', { name: 'Withdraw the message' }).click();
  await row(page, 'Then sum up').getByRole('button', { name: 'Withdraw the message' }).click();
  await expect(queue(page, '1 message waits')).toBeVisible();

  const line = row(page, 'Not all of it');
  await line.getByRole('button', { name: 'Edit the message' }).click();
  const field = page.getByRole('textbox', { name: 'The waiting message' });
  await field.fill('Only the first');
  await field.press('Enter');
  await row(page, 'Only the first')
    .getByRole('combobox', { name: 'When to send this message' })
    .selectOption('Now');

  await expect(await runOver(page, 1)).toContainText('Stopped there.');
  await expect(page.getByRole('region', { name: /messages? waits?/ })).toHaveCount(0);
  const { messages } = (await model.chat(1)).json as { messages: { content: string }[] };
  expect(JSON.parse(messages.at(-1)?.content ?? '')).toMatchObject({
    nodes: [{ id: 'write', status: 'cancelled' }],
    said: ['Only the first'],
  });
  expect(model.chats()).toHaveLength(2);
});

test('[QUE-now] the question of a stage that a line cancels is gone when the next stage asks', async ({
  startModel,
  launchOn,
}) => {
  const submitted = (id: string) => {
    const node = scriptNode(id, write, ['mcp://filesystem.write_file']);
    return { toolCalls: [{ name: 'submit_plan', arguments: planOf([node]) }] };
  };
  const model = await startModel({ replies: [submitted('first'), submitted('second')] });
  const { page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Write it');
  const asks = (step: string) => turn(page, 1).getByRole('group', { name: `Approval needed: Step ${step}` });
  await expect(asks('first')).toBeVisible();
  await send(page, 'Do this instead');
  await row(page, 'Do this instead')
    .getByRole('combobox', { name: 'When to send this message' })
    .selectOption('Now');
  await expect(asks('second')).toBeVisible();
  await expect(asks('first')).toHaveCount(0);
});

test('[QUE-planning] a line sent now while the next stage is planned joins the run, which goes on', async ({
  startModel,
  launchOn,
}) => {
  const node = scriptNode('count', "return { summary: 'counted', state: { n: 7 } };");
  const looked = { toolCalls: [{ name: 'submit_plan', arguments: { ...planOf([node]), then: 'look' } }] };
  // The planning call waits at a gate that never opens.
  const model = await startModel({
    replies: [looked, { text: ['Never sent.'], gated: true }, { text: ['Seven it is.'] }],
  });
  const { page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Count them');
  await model.chat(1);
  await send(page, 'Say it in words');
  await row(page, 'Say it in words')
    .getByRole('combobox', { name: 'When to send this message' })
    .selectOption('Now');
  const run = await runOver(page, 1);
  await expect(run).toContainText('Seven it is.');
  await expect(run).toContainText('You said while stage 2 was planned: Say it in words');
  await expect(turn(page, 2)).toHaveCount(0);
  const { messages } = (await model.chat(2)).json as { messages: { content: string }[] };
  expect(messages.at(-1)?.content).toContain('{"said":["Say it in words"]}');
});

test('[QUE-now] a line sent now while the answer is written comes next, and the run shows its results', async ({
  startModel,
  launchOn,
}) => {
  const code = "return { summary: 'counted', state: { n: 7 } };";
  const counted = { nodes: [{ id: 'count', code }], answer: { llm: true } };
  // The answer waits at a gate that never opens.
  const model = await startModel({
    replies: [
      { toolCalls: [{ name: 'submit_plan', arguments: counted }] },
      { text: ['Never shown.'], gated: true },
      { text: ['Sieben.'] },
    ],
  });
  const { page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Count them');
  await model.chat(1);
  await send(page, 'In German');
  await row(page, 'In German')
    .getByRole('combobox', { name: 'When to send this message' })
    .selectOption('Now');
  await expect(turn(page, 2)).toContainText('Sieben.');
  const run = await runOver(page, 1);
  await expect(run).toContainText('because you sent a message first');
  await expect(run).toContainText('N: 7');
  await expect(run).not.toContainText('Cancelled');
});
