import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { fillProvider } from '../fixtures/add-provider';
import { planOf, scriptNode } from '../fixtures/command-line';
import { settled, turn } from '../fixtures/conversation';
import { planReply, runOver } from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { composer, send, switchMode, turns } from '../fixtures/window';

const overwrite = planOf(
  [
    scriptNode(
      'write',
      "await tools.filesystem.write_file({ path: 'docs/old.md', content: 'the first line\\na new line\\n' }); return { summary: 'written' };",
      ['mcp://filesystem.write_file'],
    ),
  ],
  'Written.',
);

test('[STG-conversation] [APR-diff] a goal is planned with the earlier conversation in Ask, and its overwrite is approved on a diff', async ({
  startModel,
  launchOn,
  project,
}) => {
  const file = join(project, 'docs', 'old.md');
  writeFileSync(file, 'the first line\nan old line\n');
  const model = await startModel({
    replies: [{ text: 'I will remember it.' }, planReply('change that file', overwrite)],
  });
  const { page } = await launchOn(model);
  await send(page, 'The file I mean is docs/old.md; call it PINEAPPLE');
  await settled(page, 1);
  await switchMode(page, 'Agent Mode');
  await send(page, 'change that file');
  const card = page.getByRole('group', { name: /^Approval needed/ });
  await expect(card).toContainText('an old line');
  await expect(card).toContainText('a new line');
  expect(await card.innerText()).not.toContain('\\n');
  expect((await model.chat(1)).text).toContain('PINEAPPLE');
  await card.getByRole('button', { name: /^Approve/ }).click();
  await runOver(page, 2);
  expect(readFileSync(file, 'utf8')).toBe('the first line\na new line\n');
});

test('[ASK-thinking] [QUE-window] [QUE-stop] thinking is folded above the answer, and Stop keeps the waiting lines', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    replies: [
      { thinking: 'Locks come first.', text: 'The answer.' },
      { text: Array.from({ length: 40 }, (_, n) => `word${n} `), gated: true },
      { text: 'After it.' },
    ],
  });
  const { page } = await launchOn(model);
  await send(page, 'hello');
  const answer = await settled(page, 1);
  await answer.getByText(/^Thought for/).click();
  await expect(answer).toContainText('Locks come first.');

  await send(page, 'go on');
  model.release(3);
  await expect(turn(page, 2)).toContainText('word1');
  await send(page, 'meant as a correction');
  const lane = page.getByRole('region', { name: /^1 message waits/ });
  await expect(lane).toContainText('meant as a correction');
  await expect(turns(page)).toHaveCount(2);
  await composer(page).press('Escape');
  await expect(turn(page, 2)).toContainText('Stopped');
  await expect(lane).toContainText('meant as a correction');
  expect(model.chats()).toHaveLength(2);
  await lane.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(turn(page, 3)).toContainText('After it.');
});

test('[OFF-not-sent] offline answers are not sent to a model that is connected later', async ({
  startModel,
  launch,
}) => {
  const model = await startModel({ replies: [{ text: 'Many may enter.' }] });
  const { page } = await launch();
  await send(page, 'What is a mutex?');
  await expect(await settled(page, 1)).toContainText('No model is connected');
  const form = await fillProvider(page, 'My server', model.baseUrl);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Models' })).toContainText('scripted');
  await page.keyboard.press('Escape');
  await send(page, 'And a semaphore?');
  await expect(await settled(page, 2)).toContainText('Many may enter.');
  const sent = (await model.chat(0)).text;
  expect(sent).toContain('What is a mutex?');
  expect(sent).not.toContain('No model is connected');
});
