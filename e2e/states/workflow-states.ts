import { expect, type Page } from '@playwright/test';
import { settled, turn } from '../fixtures/conversation';
import { send } from '../fixtures/window';
import {
  answer,
  calls,
  dropWorkflows,
  giveFile,
  notes,
  openWorkflows,
  question,
  says,
  startNotes,
  workflowCard,
  workflowErrors,
  workflowPanel,
} from '../fixtures/workflow-window';
import { modelOf, type Scene, type Stage, type StateRow } from './state-row';

async function cancel({ page }: Stage): Promise<void> {
  await workflowCard(page).getByRole('button', { name: 'Cancel workflow' }).click();
  await expect(workflowCard(page)).toHaveCount(0);
}

const escape = async ({ page }: Stage) => page.keyboard.press('Escape');

const running: readonly StateRow[] = [
  {
    name: 'workflow-start',
    reach: async (stage) => {
      modelOf(stage).add(notes.begin, says('All right, not now.'));
      await send(stage.page, 'write the meeting minutes');
      await expect(question(stage.page)).toContainText('Start the workflow');
    },
    leave: async ({ page }) => {
      await answer(page, 'Not now');
      await settled(page, 1);
    },
  },
  {
    name: 'workflow-inputs',
    reach: async ({ page }) => {
      await send(page, 'use workflow: write_notes');
      await giveFile(page, '../outside.md');
      await expect(workflowCard(page)).toContainText('Give a path inside the project folder');
    },
    leave: cancel,
  },
  {
    name: 'workflow-approval',
    reach: async (stage) => {
      modelOf(stage).add(notes.begin, notes.ask, says('Then I do not write it.'));
      await startNotes(stage.page);
      await expect(question(stage.page)).toContainText('Write notes.md');
    },
    leave: async (stage) => {
      await answer(stage.page, 'Do not approve');
      await settled(stage.page, 1);
      await cancel(stage);
    },
  },
  {
    name: 'workflow-refused',
    reach: async (stage) => {
      const edit = calls('filesystem__edit_file', { path: 'docs/guide.md', edits: [] });
      modelOf(stage).add(notes.begin, edit, notes.write, says('Two calls were refused. Shall I ask first?'));
      await startNotes(stage.page);
      await settled(stage.page, 1);
      await expect(workflowErrors(stage.page, 1)).toHaveCount(2);
    },
    leave: cancel,
  },
  {
    name: 'workflow-stopped',
    reach: async (stage) => {
      const look = calls('project__list_files', { path: 'nowhere' });
      modelOf(stage).add(notes.begin, look, says('That folder is not there.'));
      await startNotes(stage.page);
      await settled(stage.page, 1);
      await expect(workflowCard(stage.page)).toContainText('Stopped');
    },
    leave: cancel,
  },
  {
    name: 'workflow-completed',
    reach: async (stage) => {
      const { page } = stage;
      modelOf(stage).add(notes.begin, notes.ask, notes.write, notes.complete, says('They are in notes.md.'));
      await startNotes(page);
      await answer(page, 'Approve');
      await expect(question(page)).toContainText('complete?');
      await answer(page, 'Yes, it is complete');
      await settled(page, 1);
      await expect(turn(page, 1)).toContainText('Workflow completed');
    },
  },
];

const tab = async (page: Page, name: string) => workflowPanel(page).getByRole('tab', { name }).click();

async function draftAgain(page: Page, title: string): Promise<void> {
  await openWorkflows(page, title);
  await workflowPanel(page).getByRole('button', { name: 'Edit as a new version' }).click();
  await expect(workflowPanel(page).getByRole('button', { name: 'Discard draft' })).toBeVisible();
}

const authoring: readonly StateRow[] = [
  {
    name: 'workflow-list',
    reach: ({ page }) => openWorkflows(page, 'Write release notes'),
    leave: escape,
  },
  {
    name: 'workflow-findings',
    reach: async ({ page }) => {
      await draftAgain(page, 'Review the working tree');
      const panel = workflowPanel(page);
      await panel.getByLabel('Version').fill('two');
      await panel.getByLabel('Phrases that start it').fill('Review\nWrite release notes');
      await expect(panel.getByRole('region', { name: 'Findings' })).toContainText('is too short');
      await panel.getByRole('region', { name: 'Findings' }).scrollIntoViewIfNeeded();
    },
    leave: escape,
  },
  {
    name: 'workflow-rows',
    reach: async ({ page }) => {
      await openWorkflows(page, 'Create a new DDR');
      await workflowPanel(page)
        .getByRole('group', { name: 'Questions at the start' })
        .scrollIntoViewIfNeeded();
    },
    leave: escape,
  },
  {
    name: 'workflow-changes',
    reach: async ({ page }) => {
      await draftAgain(page, 'Triage');
      const panel = workflowPanel(page);
      await panel.getByLabel('Title').fill('Triage the TODOs of a folder with owners');
      const sentences = panel.getByLabel('Phrases that start it');
      await sentences.press('Control+End');
      await sentences.pressSequentially('\nPlan who should tidy the backlog');
      await panel.getByLabel('Version').fill('1.1.0');
      await tab(page, 'Changes');
      await expect(panel.getByRole('region', { name: 'Difference' })).toContainText('tidy the backlog');
    },
    leave: escape,
  },
  {
    name: 'workflow-try',
    reach: async ({ page }) => {
      await openWorkflows(page, 'Write release notes');
      await tab(page, 'Test phrases');
      await workflowPanel(page)
        .getByLabel('Phrases to test')
        .fill('write the release notes\nwhat changed since v1.2\nwhat time is it?');
      await expect(workflowPanel(page)).toContainText('Starts no workflow');
    },
    leave: escape,
  },
  {
    name: 'workflow-history',
    reach: async ({ page }) => {
      await openWorkflows(page, 'Write release notes');
      await tab(page, 'Status and history');
      await expect(workflowPanel(page).getByRole('button', { name: 'Deprecate' })).toBeVisible();
    },
    leave: escape,
  },
  {
    name: 'workflow-new',
    reach: async ({ page }) => {
      await openWorkflows(page);
      await workflowPanel(page).getByRole('button', { name: 'New draft' }).click();
      await workflowPanel(page).getByLabel('Id').fill('Not An Id');
      await workflowPanel(page).getByRole('button', { name: 'Create draft' }).click();
      await expect(workflowPanel(page)).toContainText('lowercase letters');
    },
    leave: escape,
  },
];

/** Workflows: one that runs, and the panel in which they are written. */
export const workflowScene: Scene = {
  name: 'workflow',
  async open({ home, startModel, launchOn }) {
    dropWorkflows(home);
    const model = await startModel({ replies: [] });
    return { ...(await launchOn(model)), model };
  },
  rows: [...running, ...authoring],
};
