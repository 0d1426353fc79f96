import { expect } from '@playwright/test';
import { onModel, test } from '../fixtures/command-line';
import { turn } from '../fixtures/conversation';
import { runCard } from '../fixtures/run';
import { send, switchMode } from '../fixtures/window';

test('[STG-text] [STG-asks] words of the model appear as its answer in the window, and a question waits for the next line', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    replies: [{ text: 'Which of the **two** files?' }, { text: 'Then there is nothing to do.' }],
  });
  const { page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Delete the file');
  await expect(turn(page, 1)).toContainText('Which of the two files?');
  await expect(turn(page, 1).getByRole('alert')).toHaveCount(0);
  await expect(runCard(page, 1)).toHaveCount(0);
  await expect(page.getByText('needs you', { exact: true })).toBeAttached();
  await send(page, 'Neither');
  await expect(turn(page, 2)).toContainText('Then there is nothing to do.');
  await expect(page.getByText('needs you', { exact: true })).toHaveCount(0);
});

test('[STG-text] [STG-asks] the command line prints an answer in words as one report, and exits with 0', async ({
  startModel,
  patina,
}) => {
  const model = await startModel({ replies: [{ text: 'Which file?' }] });
  const ran = await patina(['agent', 'Delete it', '--json'], { env: onModel(model) });
  expect(ran.code).toBe(0);
  expect(ran.json()['sessionId']).toMatch(/./);
  expect(ran.json()).toMatchObject({
    outcome: 'answered',
    answer: 'Which file?',
    asks: true,
    nodes: [],
    writes: [],
  });
});
