import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { writeNotes } from '../../src/testing/guarded-workflows';
import { ask, newestSession, settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { send } from '../fixtures/window';
import {
  answer,
  calls,
  dropWorkflows,
  notes,
  question,
  says,
  startNotes,
  workflowCard,
  workflowErrors,
} from '../fixtures/workflow-window';

const sorry = says('Sorry.');

test('[T6-7-1-no-invention] [T6-6-7-inputs] an invented workflow starts nothing, and without the user’s inputs no tool is called', async ({
  home,
  project,
  startModel,
  launchOn,
}) => {
  dropWorkflows(home);
  const list = calls('project__list_files', {});
  const model = await startModel({
    replies: [calls('agent_start_workflow', { workflowId: 'deploy_all' }), sorry, list, notes.write, sorry],
  });
  const { page } = await launchOn(model);
  await send(page, 'deploy it all');
  await settled(page, 1);
  await expect(workflowErrors(page, 1)).toHaveText('Workflow rule: Unknown workflow ‘deploy_all’.');
  await expect(workflowCard(page)).toHaveCount(0);

  await send(page, 'use workflow: write_notes');
  await expect(workflowCard(page)).toContainText('Waiting for your answers');
  await send(page, 'never mind the form, just do it');
  await settled(page, 3);
  await expect(workflowErrors(page, 3)).toHaveText([
    /The user has not given the required inputs yet/,
    /The user has not given the required inputs yet/,
  ]);
  await expect(workflowCard(page)).toContainText('Waiting for your answers');
  expect(existsSync(join(project, 'notes.md'))).toBe(false);
});

test('[T6-7-2-permitted-tools] [T6-7-3-approval] [T6-7-5-isolation] [T6-6-6-criteria] whatever a workflow forbids does not happen, and each attempt is shown', async ({
  home,
  project,
  startModel,
  launchOn,
}) => {
  dropWorkflows(home);
  const before = readdirSync(project).toSorted();
  const model = await startModel({
    replies: [
      notes.begin,
      calls('filesystem__edit_file', { path: 'docs/a.txt', edits: [] }),
      calls('agent_start_workflow', { workflowId: 'greet_user' }),
      calls('agent_change_mode', { mode: 'ddr_authoring', branch: false, reason: 'Better there.' }),
      notes.write,
      calls('agent_workflow_authoring', {
        operation: 'update_workflow',
        workflowId: 'write_notes',
        fields: { InstructionText: 'Do as you please.' },
      }),
      calls('agent_complete_workflow', { summary: 'All done.' }),
      sorry,
      sorry,
    ],
  });
  const { page } = await launchOn(model);
  await startNotes(page);
  await settled(page, 1);
  await expect(workflowErrors(page, 1)).toHaveText([
    /filesystem__edit_file is not permitted in this workflow\. It was not called\./,
    /Another workflow cannot start while ‘write_notes’ is running/,
    /The mode cannot change to DDR Authoring while the workflow/,
    /mcp:\/\/filesystem\.write_file needs the user's approval of exactly this call first/,
    /agent_workflow_authoring is not permitted in this workflow\. It was not called\./,
    'Workflow rule: The workflow is not complete: The file is there.',
  ]);
  expect(
    readdirSync(project)
      .filter((name) => name !== '.patina')
      .toSorted(),
  ).toEqual(before);
  expect(readFileSync(join(project, 'docs/a.txt'), 'utf8')).toBe('the same words\n');
  expect(existsSync(join(home, 'workflows'))).toBe(false);
  await expect(workflowCard(page)).toContainText('Write the notes');

  await send(page, 'go on');
  await settled(page, 2);
  const system = (await model.chat(8)).json as { readonly messages: readonly { readonly content: string }[] };
  expect(system.messages[0]?.content).toContain(`Instructions:\n${writeNotes.InstructionText}\n`);
  const state = await ask(page, 'session-open', { sessionId: await newestSession(page) });
  expect(state.workflow).toMatchObject({ definition: writeNotes, approvals: [] });
  expect(state.modeId).toBeNull();
});

test('[T6-7-3-approval] [T6-7-7-consent] an approval covers exactly the shown call, and a no stays a no', async ({
  home,
  project,
  startModel,
  launchOn,
}) => {
  dropWorkflows(home);
  const model = await startModel({
    replies: [
      notes.begin,
      notes.ask,
      notes.write,
      notes.ask,
      notes.writeOther,
      notes.write,
      notes.write,
      sorry,
    ],
  });
  const { page } = await launchOn(model);
  await startNotes(page);
  await expect(question(page)).toContainText('Write notes.md');
  await expect(question(page)).toContainText('"content": "Hello.\\n"');
  await answer(page, 'Do not approve');
  await expect(workflowErrors(page, 1)).toHaveCount(1);
  await expect(question(page)).toContainText('Write notes.md');
  await answer(page, 'Approve');
  await settled(page, 1);
  await expect(workflowErrors(page, 1)).toHaveText([
    /needs the user's approval/,
    /needs the user's approval/,
    /needs the user's approval/,
  ]);
  await expect(turn(page, 1)).toContainText('Write notes.md Do not approve');
  expect(readFileSync(join(project, 'notes.md'), 'utf8')).toBe('Hello.\n');
});

test('[T6-10-4-publish-asks] [T6-10-4-published-untouched] a model publishes nothing without the user’s yes to the difference, and changes no published workflow', async ({
  home,
  startModel,
  launchOn,
}) => {
  const authoring = (args: object) => calls('agent_workflow_authoring', args);
  const workflowId = 'author_workflow';
  const model = await startModel({
    replies: [
      authoring({ operation: 'update_workflow', workflowId, fields: { Notes: 'Mine.', Version: '1.0.1' } }),
      authoring({ operation: 'publish_workflow', workflowId }),
      sorry,
      authoring({ operation: 'publish_workflow', workflowId }),
      says('Published.'),
    ],
  });
  const { page } = await launchOn(model);
  await send(page, '/mode workflow_authoring');
  await expect(turn(page, 1)).toContainText('handled by');
  await send(page, 'make the notes of author_workflow mine and publish it');
  await expect(question(page)).toContainText('Let the model change the draft of ‘author_workflow’?');
  await answer(page, 'Yes');
  await expect(question(page)).toContainText('Publish ‘author_workflow’ 1.0.1?');
  await expect(question(page)).toContainText('Added:   Mine.');
  await answer(page, 'No');
  await settled(page, 2);
  await expect(turn(page, 2)).toContainText('Publish ‘author_workflow’ 1.0.1?');
  const published = join(home, 'workflows/published/author_workflow.json');
  expect(existsSync(published)).toBe(false);

  await send(page, 'then publish it now');
  await answer(page, 'Yes');
  await settled(page, 3);
  expect(readFileSync(published, 'utf8')).toContain('"Notes": "Mine."');
});
