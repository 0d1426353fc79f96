import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/command-line';
import { send } from '../fixtures/window';
import { answer, calls, openWorkflows, question, says, workflowPanel } from '../fixtures/workflow-window';

const workflowId = 'review_pulls';
const authoring = (args: object) => ({ name: 'agent_workflow_authoring', arguments: args });
const theirs = { Title: 'The title of the model', Notes: 'Noted by the model.', Version: '3.0.0' };

test('[T6-10-panel-elsewhere] [T6-10-panel-conflict] a model changes an open draft: the panel follows, and the user’s edits are not overwritten', async ({
  home,
  patina,
  startModel,
  launchOn,
}) => {
  const begin = { operation: 'draft_workflow', workflowId, title: 'Review pulls', description: 'Reviews.' };
  const change = { operation: 'update_workflow', workflowId, fields: theirs };
  const model = await startModel({
    replies: [
      calls('agent_workflow_authoring', begin),
      says('Begun.'),
      // Nothing is sent before the test allows it.
      { text: ['I change it.'], gated: true, toolCalls: [{ id: 'c_change', ...authoring(change) }] },
      says('Changed.'),
    ],
  });
  const { page } = await launchOn(model);
  const draft = () =>
    (
      JSON.parse(readFileSync(join(home, `workflows/drafts/${workflowId}.json`), 'utf8')) as {
        fields: object;
      }
    ).fields;
  await send(page, '/mode workflow_authoring');
  await expect(turn(page, 1)).toContainText('handled by');
  await send(page, 'draft the review of pull requests');
  await expect(question(page)).toContainText('Draft the new workflow ‘review_pulls’?');
  await answer(page, 'Yes');
  await settled(page, 2);
  await send(page, 'now change it');

  await openWorkflows(page, 'Review pulls');
  const panel = workflowPanel(page);
  await panel.getByRole('textbox', { name: 'Version' }).fill('two');
  await expect(panel.getByText(/1 field is not saved in the draft yet/)).toBeVisible();
  model.release();

  await expect(panel.getByText(/Changed by a model or on the command line: Title, .*Notes/)).toBeVisible();
  await expect(panel.getByLabel('Title')).toHaveValue(theirs.Title);
  await expect(panel.getByRole('list', { name: 'Workflows' })).toContainText(theirs.Title);
  await expect(panel.getByRole('textbox', { name: 'Version' })).toHaveValue('two');
  const choice = panel.getByRole('group', { name: 'Version: conflicting edits' });
  await expect(choice.getByRole('region', { name: 'The version in the draft' })).toHaveText('3.0.0');
  await panel.getByRole('textbox', { name: 'Version' }).fill('4.0.0');
  await expect(choice.getByRole('region', { name: 'Your version' })).toHaveText('4.0.0');
  expect(draft()).toMatchObject(theirs);
  await choice.getByRole('button', { name: 'Keep mine' }).click();
  await expect(panel.getByText('Saved in the draft.')).toBeVisible();
  expect(draft()).toMatchObject({ ...theirs, Version: '4.0.0' });

  // Another process writes the same draft: the window follows without a notification of its own process.
  const fields = { Description: 'From a terminal.' };
  const written = await patina([
    ...[
      'tool',
      'agent_workflow_authoring',
      JSON.stringify({ operation: 'update_workflow', workflowId, fields }),
    ],
    ...['--mode', 'workflow_authoring', '--approve', 'all', '--json'],
  ]);
  expect(written.json()).toMatchObject({ ok: true });
  await expect(panel.getByLabel('Description')).toHaveValue('From a terminal.');
});
