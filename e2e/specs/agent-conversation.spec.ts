import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { onModel, test } from '../fixtures/command-line';
import { turn } from '../fixtures/conversation';
import { runCard, runOver } from '../fixtures/run';
import { send, switchMode } from '../fixtures/window';

test('[STG-text] [STG-asks] text of the model appears as its answer in the window, and a question waits for the next line', async ({
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
  await expect(turn(page, 1)).toContainText('Your next message answers it.');
  await send(page, 'Neither');
  await expect(turn(page, 2)).toContainText('Then there is nothing to do.');
  await expect(page.getByText('needs you', { exact: true })).toHaveCount(0);
  await expect(turn(page, 1)).not.toContainText('Your next message answers it.');
});

test('[STG-text] [STG-asks] the command line prints a text answer as one report, and exits with 0', async ({
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

const stages = [
  {
    toolCalls: [
      {
        name: 'submit_plan',
        arguments: {
          code: "const { files } = await tools.project.list_files({ path: 'docs' }); return { summary: 'listed', state: { paths: files.map((file) => file.path) } };",
          then: 'look',
        },
      },
    ],
  },
  {
    toolCalls: [
      {
        name: 'submit_plan',
        arguments: {
          code: "return { summary: 'counted', state: { n: inputs.work.paths.length } };",
          answer: 'There are {{work2.n}} files.',
        },
      },
    ],
  },
];

test('[STG-look] [STG-window] stages appear one after another in the window, each with its nodes', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: stages });
  const { page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Count the files, but look first');
  await expect(await runOver(page, 1)).toContainText(/There are \d+ files\./);
  await runCard(page, 1)
    .getByRole('button', { name: /^Show 2 / })
    .click();
  await expect(runCard(page, 1).getByRole('region', { name: 'Stage 1' })).toContainText('listed');
  await expect(runCard(page, 1).getByRole('region', { name: 'Stage 2' })).toContainText('counted');
  expect(model.chats()).toHaveLength(2);
});

test('[STG-look] the command line reports each stage', async ({ startModel, patina }) => {
  const model = await startModel({ replies: stages });
  const ran = await patina(['agent', 'Count the files, but look first', '--json'], { env: onModel(model) });
  expect(ran.code).toBe(0);
  expect(ran.json()).toMatchObject({
    outcome: 'done',
    stages: [{ nodes: [{ id: 'work', status: 'done' }] }, { nodes: [{ id: 'work2', status: 'done' }] }],
    nodes: [{ id: 'work' }, { id: 'work2' }],
  });
});

test('[STG-previous] “find duplicates”, then “move the copies away”: the second line works on the results of the first', async ({
  startModel,
  patina,
  project,
}) => {
  for (const folder of ['archive', 'new', 'trash']) mkdirSync(join(project, folder), { recursive: true });
  for (const name of ['archive/twin.txt', 'new/twin.txt'])
    writeFileSync(join(project, name), 'the same text\n');
  const find = {
    nodes: [
      {
        id: 'copies',
        code: "const { files } = await tools.project.list_files({ glob: '**/twin.txt' }); return { summary: 'found', state: { paths: files.map((file) => file.path) } };",
      },
    ],
    answer: 'Duplicates:\n\n{{copies.paths}}',
  };
  const move = {
    code: "const left = inputs.previous.copies.paths.filter((path) => !path.startsWith('archive/')); for (const path of left) await tools.filesystem.move_file({ source: path, destination: 'trash/twin.txt' }); return { summary: 'moved', state: { n: left.length } };",
    answer: 'Moved {{work.n}}.',
  };
  const plans = [find, move].map((plan) => ({
    toolCalls: [{ name: 'submit_plan', arguments: plan }],
  }));
  const model = await startModel({ replies: plans });
  const env = onModel(model);
  const found = await patina(['agent', 'Find duplicates of twin.txt', '--json'], { env });
  expect(found.json()).toMatchObject({ outcome: 'done', source: 'model' });
  const session = String(found.json()['sessionId']);
  const line = 'Move the copies to trash, except in archive';
  const moved = await patina(['agent', line, '--session', session, '--approve', 'all', '--json'], { env });
  expect(moved.json(), moved.stderr).toMatchObject({
    sessionId: session,
    outcome: 'done',
    answer: 'Moved 1.',
    writes: [{ outcome: 'made' }],
  });
  expect(existsSync(join(project, 'archive/twin.txt'))).toBe(true);
  expect(existsSync(join(project, 'new/twin.txt'))).toBe(false);
  expect(model.chats()[1]?.text).toContain('copies');
});
