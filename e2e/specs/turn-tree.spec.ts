import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { planOf, scriptNode } from '../fixtures/command-line';
import { ask, newestSession, settled, stopButton, turn } from '../fixtures/conversation';
import { runOver } from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { composer, send, switchMode, turns } from '../fixtures/window';

test('[TREE-regenerate] [TREE-sent] Retry generates another answer to the same line, and the old one stays', async ({
  startModel,
  launchOn,
  launch,
}) => {
  const replies = [{ text: 'Wrong answer.' }, { text: 'Better.' }, { text: 'The next one.' }];
  const model = await startModel({ replies });
  const { app, page } = await launchOn(model);
  await send(page, 'Question');
  await expect(await settled(page, 1)).toContainText('Wrong answer.');
  await turn(page, 1).getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(await settled(page, 1)).toContainText('Better.');
  expect((await model.chat(1)).text).not.toContain('Wrong answer.');
  await expect(turns(page)).toHaveCount(1);
  await expect(turn(page, 1)).toContainText('2/2');

  // The switch works by keyboard and keeps the focus.
  await turn(page, 1).getByRole('button', { name: 'Previous reply' }).press('Enter');
  await expect(turn(page, 1)).toContainText('Wrong answer.');
  await expect(turn(page, 1).getByRole('button', { name: 'Next reply' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(turn(page, 1)).toContainText('Better.');

  await send(page, 'And then?');
  await expect(await settled(page, 2)).toContainText('The next one.');
  const sent = await model.chat(2);
  expect(sent.text).toContain('Better.');
  expect(sent.text).not.toContain('Wrong answer.');

  await app.close();
  const again = (await launch()).page;
  await expect(turn(again, 2)).toContainText('The next one.');
  await expect(turn(again, 1)).toContainText('2/2');
  await turn(again, 1).getByRole('button', { name: 'Previous reply' }).click();
  await expect(turns(again)).toHaveCount(1);
  await turn(again, 1).getByRole('button', { name: 'Next reply' }).click();
  await expect(turn(again, 2)).toContainText('The next one.');
});

test('[TREE-edit] an edited line is sent in place of the old one, and the draft is not touched', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Other.' }] });
  const { page } = await launchOn(model);
  await send(page, 'first line');
  await settled(page, 1);
  await send(page, 'second line');
  await settled(page, 2);
  await composer(page).fill('my long draft');

  await turn(page, 1).getByRole('button', { name: 'Edit' }).click();
  const field = turn(page, 1).getByRole('textbox', { name: 'Edit the message' });
  await expect(field).toBeFocused();
  await field.fill('never sent');
  await field.press('Escape');
  await expect(field).toBeHidden();
  await expect(turns(page)).toHaveCount(2);
  expect(model.chats()).toHaveLength(2);

  // Undo reverts the last action, the opening of the field, and not the typing of the draft.
  await turn(page, 1).getByRole('button', { name: 'Edit' }).click();
  await composer(page).press('Control+z');
  await expect(field).toBeHidden();
  await expect(composer(page)).toHaveValue('my long draft');

  await turn(page, 1).getByRole('button', { name: 'Edit' }).click();
  await field.fill('another first line');
  await field.press('Enter');
  await expect(await settled(page, 1)).toContainText('Other.');
  await expect(turns(page)).toHaveCount(1);
  const sent = await model.chat(2);
  expect(sent.text).toContain('another first line');
  expect(sent.text).not.toContain('One.');
  expect(sent.text).not.toContain('second line');
  await expect(composer(page)).toHaveValue('my long draft');
  await turn(page, 1).getByRole('button', { name: 'Previous version of the message' }).click();
  await expect(turn(page, 2)).toContainText('second line');
  await expect(turn(page, 1)).toContainText('1/2');

  // In an empty composer, the arrow key edits the newest line in its place.
  await composer(page).fill('');
  await composer(page).press('ArrowUp');
  await expect(turn(page, 2).getByRole('textbox', { name: 'Edit the message' })).toHaveValue('second line');
});

test('[TREE-back] going back hides the later turns, deletes nothing and can be undone', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] });
  const { page } = await launchOn(model);
  for (const [place, line] of ['one', 'two'].entries()) {
    await send(page, line);
    await settled(page, place + 1);
  }
  await turn(page, 1).getByRole('button', { name: 'Go back to here' }).click();
  await expect(turns(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(turns(page)).toHaveCount(2);
  await turn(page, 1).getByRole('button', { name: 'Go back to here' }).click();
  await expect(page.getByText('1 later turn is hidden.')).toBeVisible();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(turn(page, 2)).toContainText('Two.');

  await turn(page, 1).getByRole('button', { name: 'Go back to here' }).click();
  await send(page, 'another way');
  await expect(await settled(page, 2)).toContainText('Three.');
  expect((await model.chat(2)).text).not.toContain('Two.');
  await expect(turn(page, 2)).toContainText('2/2');
});

test('[TREE-busy] the head does not move while a reply is in progress, and the window says what to do', async ({
  startModel,
  launchOn,
}) => {
  const slow = { text: 'word '.repeat(500), tokensPerSecond: 20 };
  const model = await startModel({ replies: [{ text: 'One.' }, slow] });
  const { page } = await launchOn(model);
  await send(page, 'one');
  await settled(page, 1);
  await send(page, 'two');
  await expect(turn(page, 2)).toContainText('word');
  await turn(page, 1).getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(page.getByText('A reply or a run is still in progress. Stop it first.')).toBeVisible();
  await stopButton(page).click();
  await settled(page, 2);
  await expect(turns(page)).toHaveCount(2);
});

test('[TREE-fork] a fork continues without the original, which stays unchanged', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Elsewhere.' }] });
  const { page } = await launchOn(model);
  await send(page, 'Talk about streams');
  await settled(page, 1);
  await send(page, 'more');
  await settled(page, 2);
  const original = await newestSession(page);
  const before = await ask(page, 'session-open', { sessionId: original });

  await turn(page, 1).getByRole('button', { name: 'Fork into a new session' }).click();
  await expect(turns(page)).toHaveCount(1);
  await expect(turn(page, 1)).toContainText('One.');
  await expect(page.getByRole('heading', { name: 'Talk about streams (fork)' })).toBeVisible();
  expect(await ask(page, 'session-open', { sessionId: original })).toEqual(before);

  await ask(page, 'session-archive', { sessionId: original });
  await send(page, 'go elsewhere');
  await expect(await settled(page, 2)).toContainText('Elsewhere.');
  const sent = await model.chat(2);
  expect(sent.text).toContain('One.');
  expect(sent.text).not.toContain('Two.');
});

test('[TREE-agent] a regenerated run is planned again in its place, from the earlier conversation', async ({
  startModel,
  launchOn,
  project,
}) => {
  const write = (name: string) =>
    planOf(
      [
        scriptNode(
          'put',
          `await tools.filesystem.write_file({ path: '${name}', content: 'x' }); return { summary: 'put' };`,
          ['mcp://filesystem.write_file'],
        ),
      ],
      `Wrote ${name}.`,
    );
  const model = await startModel({
    replies: [
      { text: 'Remember the word PINEAPPLE.' },
      { toolCalls: [{ name: 'submit_plan', arguments: write('first.txt') }] },
      { toolCalls: [{ name: 'submit_plan', arguments: write('second.txt') }] },
    ],
  });
  const { page } = await launchOn(model);
  await send(page, 'hello');
  await settled(page, 1);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Write it');
  await turn(page, 2).getByRole('button', { name: 'Approve' }).click();
  await expect(await runOver(page, 2)).toContainText('Wrote first.txt.');
  await turn(page, 2).getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(turn(page, 2)).toContainText('second.txt');
  await turn(page, 2).getByRole('button', { name: 'Approve' }).click();
  await expect(await runOver(page, 2)).toContainText('Wrote second.txt.');
  const sent = await model.chat(2);
  expect(sent.text).toContain('PINEAPPLE');
  expect(sent.text).not.toContain('first.txt');
  await expect(turn(page, 2)).toContainText('2/2');
  // What the other branch wrote stays in place.
  expect(existsSync(join(project, 'first.txt'))).toBe(true);
});
