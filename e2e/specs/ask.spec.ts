import { readdirSync } from 'node:fs';
import { expect } from '@playwright/test';
import { settled, stopButton, turn } from '../fixtures/conversation';
import { modelButton, test } from '../fixtures/scripted';
import { composer, send, turns } from '../fixtures/window';

const markdown = [
  '# Steps\n\nFirst **bol',
  'd** words.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nconst x',
  ' = 1;\n```\n\nThat is all.',
];

test('[LLM-offline] a first run without configuration answers, and says that no model is connected', async ({
  launch,
  home,
}) => {
  const { page } = await launch();
  await expect(page.getByRole('heading', { name: 'What should we look at?' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Connect a model' })).toContainText('No model is connected');
  await expect(modelButton(page, 'Offline (no model)')).toBeVisible();
  await expect(page.getByRole('radio', { name: 'Ask' })).toBeChecked();

  await page.getByRole('button', { name: /^What can you do\?/ }).click();
  const first = await settled(page, 1);
  await expect(first.getByText('Offline (no model)', { exact: true })).toBeVisible();
  await expect(first).toContainText("this is Patina's built-in text, not a model's");
  await expect(first).toContainText('Find duplicate files');

  await send(page, 'What is the capital of France?');
  const second = await settled(page, 2);
  await expect(second.getByText('Offline (no model)', { exact: true })).toBeVisible();
  await expect(second).toContainText('No model is connected, so I cannot answer that');
  await expect(second).not.toContainText('Paris');
  expect(readdirSync(home)).not.toContain('providers.json');
});

test('[LLM-stream] [LLM-stop] streams Markdown, accepts a second line meanwhile, and Stop keeps the text so far', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    replies: [
      { text: markdown, gated: true },
      { text: ['Kept words. ', 'Words that never come.'], gated: true },
      { text: 'A third reply.' },
    ],
  });
  const { page } = await launchOn(model);
  await send(page, 'Give me the steps');
  await expect(turn(page, 1)).toContainText('Waiting for');
  model.release(1);
  await expect(turn(page, 1).getByRole('heading', { name: 'Steps' })).toBeVisible();
  await expect(turn(page, 1)).toContainText('First bol');
  await expect(turn(page, 1)).not.toContainText('**');
  await expect(stopButton(page)).toBeVisible();
  await expect(turn(page, 1).getByRole('button', { name: 'Copy reply' })).toBeHidden();

  await send(page, 'And another thing');
  await expect(page.getByRole('region', { name: '1 message waits' })).toContainText('And another thing');
  await composer(page).fill('a draft while it streams');
  model.release(1);
  await expect(turn(page, 1).getByRole('cell', { name: '2' })).toBeVisible();
  await expect(composer(page)).toHaveValue('a draft while it streams');
  await expect(composer(page)).toBeFocused();
  expect(model.chats()).toHaveLength(1);
  model.release(1);
  const first = await settled(page, 1);
  await expect(first.getByRole('strong')).toHaveText('bold');
  await expect(first.locator('pre')).toContainText('const x = 1;');
  await expect(first).toContainText('That is all.');
  await expect(first.getByRole('button', { name: 'Copy reply' })).toBeAttached();

  const second = await model.chat(1);
  model.release(1);
  await expect(turn(page, 2)).toContainText('Kept words.');
  await stopButton(page).click();
  expect(await second.over).toBe('aborted');
  await expect(await settled(page, 2)).toContainText('Stopped here');
  await expect(turn(page, 2)).toContainText('Kept words.');

  await composer(page).press('Enter');
  await expect(await settled(page, 3)).toContainText('A third reply.');
  await expect(turns(page)).toHaveCount(3);
  const { messages } = (await model.chat(2)).json as { messages: { role: string; content: string }[] };
  expect(messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
  ]);
  expect(messages.slice(1).map(({ content }) => content.trim())).toEqual([
    'Give me the steps',
    markdown.join(''),
    'And another thing',
    'Kept words.',
    'a draft while it streams',
  ]);
});
