import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { axeFindings } from '../fixtures/axe';
import { settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { composer, send } from '../fixtures/window';
import {
  answer,
  dropWorkflows,
  giveFile,
  notes,
  question,
  says,
  startNotes,
  workflowCard,
  workflowErrors,
} from '../fixtures/workflow-window';

const cancel = async (page: Page) => {
  await workflowCard(page).getByRole('button', { name: 'Cancel workflow' }).click();
  await expect(workflowCard(page)).toHaveCount(0);
};

test('[T6-6-2-initiate] [T6-6-6-completion] [T6-7-7-consent] a model asks to start, follows the script, writes what was approved, and completes', async ({
  home,
  project,
  startModel,
  launchOn,
}) => {
  dropWorkflows(home);
  const model = await startModel({
    replies: [notes.begin, notes.ask, notes.write, notes.complete, says('You could send them to the team.')],
  });
  const { page } = await launchOn(model);
  await send(page, 'write the meeting minutes');
  await expect(question(page)).toContainText('You asked for notes.');
  expect(await axeFindings(page), 'start question').toEqual([]);
  await answer(page, 'Start');
  await expect(workflowCard(page)).toContainText('Waiting for your answers');
  await giveFile(page, '../outside.md');
  await expect(workflowCard(page)).toContainText('Give a path inside the project folder');
  expect(await axeFindings(page), 'inputs form').toEqual([]);
  await giveFile(page, 'notes.md');
  await expect(question(page)).toContainText('mcp://filesystem.write_file');
  await answer(page, 'Approve');
  await expect(question(page)).toContainText('Is “Write the notes” complete?');
  await expect(workflowCard(page)).toContainText('1 tool call');
  await answer(page, 'Yes, it is complete');
  const first = await settled(page, 1);
  await expect(first).toContainText('Workflow completed: Write the notes');
  await expect(first).toContainText('The notes are written.');
  await expect(workflowErrors(page, 1)).toHaveCount(0);
  await expect(workflowCard(page)).toHaveCount(0);
  expect(readFileSync(join(project, 'notes.md'), 'utf8')).toBe('Hello.\n');
  await first.getByRole('button', { name: 'Send them to the team.' }).click();
  await expect(composer(page)).toHaveValue('Send them to the team.');
  expect(await axeFindings(page), 'completed').toEqual([]);
});

test('[T6-3-3-explicit] a user starts one by its slash name, from the list, and by naming it, by keyboard alone', async ({
  home,
  startModel,
  launchOn,
}) => {
  dropWorkflows(home);
  const { page } = await launchOn(await startModel({ replies: [says('What shall they say?')] }));
  await send(page, '/workflow write_notes');
  await expect(workflowCard(page)).toContainText('Waiting for your answers');
  await cancel(page);

  await send(page, '/workflow');
  const picker = page.getByRole('dialog').filter({ has: page.getByRole('combobox') });
  await picker.getByRole('combobox').fill('write the notes');
  await expect(picker.getByRole('option', { name: /Write the notes/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(workflowCard(page)).toContainText('Waiting for your answers');
  await cancel(page);

  await send(page, 'use workflow: write_notes');
  const field = workflowCard(page).getByLabel('Which file?');
  await field.focus();
  await page.keyboard.type('notes.md');
  await page.keyboard.press('Enter');
  await expect(turn(page, 3)).toContainText('What shall they say?');
  await expect(workflowCard(page)).toContainText('No tool calls yet');
});

test('[T6-6-4-context] a workflow survives a kill of the app: its card, its inputs and its approvals are restored', async ({
  home,
  project,
  startModel,
  launchOn,
}) => {
  dropWorkflows(home);
  const model = await startModel({ replies: [notes.begin, notes.ask, says('Shall I write it now?')] });
  const { page, app, pid } = await launchOn(model);
  await startNotes(page);
  await answer(page, 'Approve');
  await settled(page, 1);
  const gone = new Promise((resolve) => app.process().once('exit', resolve));
  process.kill(pid, 'SIGKILL');
  await gone;

  model.add(notes.write, notes.complete, says('Written.'));
  const again = await launchOn(model);
  await expect(turn(again.page, 1)).toContainText('Write notes.md Approve');
  await expect(workflowCard(again.page)).toContainText('Write the notes');
  await send(again.page, 'yes, write it');
  await expect(question(again.page)).toContainText('Is “Write the notes” complete?');
  await answer(again.page, 'Yes, it is complete');
  await settled(again.page, 2);
  await expect(workflowErrors(again.page, 2)).toHaveCount(0);
  expect(readFileSync(join(project, 'notes.md'), 'utf8')).toBe('Hello.\n');
  const { json } = await model.chat(3);
  const { messages } = json as { readonly messages: readonly { readonly content: string }[] };
  expect(messages[0]?.content).toContain('{"file":"notes.md"}');
});
