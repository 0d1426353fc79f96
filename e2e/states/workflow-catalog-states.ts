import { expect, type Page } from '@playwright/test';
import { ask, settled, turn } from '../fixtures/conversation';
import { dropManyWorkflows } from '../fixtures/many-workflows';
import { send } from '../fixtures/window';
import {
  answer,
  calls,
  openWorkflows,
  question,
  says,
  workflowCard,
  workflowErrors,
  workflowPanel,
} from '../fixtures/workflow-window';
import { modelOf, type Scene, type Stage, type StateRow } from './state-row';

/** In the search field the first Escape only empties it. */
async function escape({ page }: Stage): Promise<void> {
  await page.keyboard.press('Escape');
  if ((await workflowPanel(page).count()) > 0) await page.keyboard.press('Escape');
}

const tab = async (page: Page, name: string) => workflowPanel(page).getByRole('tab', { name }).click();
const search = (page: Page) => workflowPanel(page).getByRole('searchbox', { name: 'Search the workflows' });

/** Opens one of many by searching for it. */
async function open(page: Page, title: string): Promise<void> {
  await openWorkflows(page);
  await search(page).fill(title);
  await workflowPanel(page).getByRole('list', { name: 'Workflows' }).getByRole('button').first().click();
  await expect(workflowPanel(page).getByRole('tab', { name: 'Definition' })).toBeVisible();
}

async function draft(page: Page, title: string): Promise<void> {
  await open(page, title);
  await workflowPanel(page).getByRole('button', { name: 'Edit as a new version' }).click();
  await expect(workflowPanel(page).getByRole('button', { name: 'Discard draft' })).toBeVisible();
}

/** A change of the draft by another writer. */
async function elsewhere(page: Page, workflowId: string, fields: Record<string, string | string[]>) {
  const { draft: now } = await ask(page, 'authoring-view', { workflowId });
  await ask(page, 'authoring-save', { workflowId, revision: now?.hash ?? '', fields });
}

const list: readonly StateRow[] = [
  {
    name: 'workflow-many',
    reach: async ({ page }) => {
      await openWorkflows(page);
      for (let row = 0; row < 30; row += 1) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect(workflowPanel(page).getByRole('tab', { name: 'Definition' })).toBeVisible();
    },
    leave: escape,
  },
  {
    name: 'workflow-search',
    reach: async ({ page }) => {
      await openWorkflows(page);
      await search(page).fill('benchmarks deprecated');
      await expect(workflowPanel(page).getByRole('status').first()).toContainText('of');
    },
    leave: escape,
  },
  {
    name: 'workflow-none',
    reach: async ({ page }) => {
      await openWorkflows(page);
      await search(page).fill(`nothing is called ${'so'.repeat(60)}`);
      await expect(workflowPanel(page)).toContainText('No workflow matches');
    },
    leave: escape,
  },
];

const standings: readonly StateRow[] = [
  {
    name: 'workflow-halted',
    reach: async ({ page }) => {
      await open(page, 'write_notes');
      await tab(page, 'Changes');
      await expect(workflowPanel(page)).toContainText('Approve as it is');
    },
    leave: escape,
  },
  {
    name: 'workflow-deprecated',
    reach: async ({ page }) => {
      await open(page, 'review_a_service');
      await tab(page, 'Status and history');
      await expect(workflowPanel(page).getByRole('button', { name: 'Make active again' })).toBeVisible();
    },
    leave: escape,
  },
  {
    name: 'workflow-disabled',
    reach: async ({ page }) => {
      await open(page, 'disabled');
      await tab(page, 'Status and history');
      await expect(workflowPanel(page).getByRole('button', { name: /^Remove / })).toBeVisible();
    },
    leave: escape,
  },
  {
    name: 'workflow-halted-start',
    reach: async ({ page }) => {
      await send(page, 'use workflow: write_notes');
      await expect(turn(page, 1)).toContainText('halted');
    },
  },
  {
    name: 'workflow-refused-start',
    reach: async (stage) => {
      const start = (workflowId: string) =>
        calls('agent_start_workflow', { workflowId, reason: 'You asked.' });
      modelOf(stage).add(start('write_notes'), start('review_an_incident'), says('Neither can run now.'));
      await send(stage.page, 'write the meeting minutes');
      await settled(stage.page, 1);
      await expect(workflowErrors(stage.page, 1).first()).toBeVisible();
    },
  },
  {
    name: 'workflow-deprecated-start',
    reach: async (stage) => {
      const start = { workflowId: 'plan_an_interface', reason: 'You want an interface planned.' };
      modelOf(stage).add(calls('agent_start_workflow', start), says('Then not.'));
      await send(stage.page, 'plan an interface now');
      await expect(question(stage.page)).toContainText('is deprecated');
    },
    leave: async ({ page }) => {
      await answer(page, 'Not now');
      await settled(page, 1);
    },
  },
  {
    name: 'workflow-deprecated-running',
    reach: async (stage) => {
      modelOf(stage).add(says('Which interface shall be planned?'));
      await send(stage.page, 'use workflow: plan_an_interface');
      await settled(stage.page, 1);
      await expect(workflowCard(stage.page)).toContainText('This workflow is deprecated');
    },
    leave: async ({ page }) => {
      await workflowCard(page).getByRole('button', { name: 'Cancel workflow' }).click();
      await expect(workflowCard(page)).toHaveCount(0);
    },
  },
];

const writing: readonly StateRow[] = [
  {
    name: 'workflow-long',
    reach: ({ page }) => open(page, 'long_'),
    leave: escape,
  },
  {
    name: 'workflow-right-to-left',
    reach: ({ page }) => open(page, 'right_to_left'),
    leave: escape,
  },
  {
    name: 'workflow-long-changes',
    reach: async ({ page }) => {
      await draft(page, 'long_');
      await workflowPanel(page)
        .getByLabel('Notes')
        .fill(`${'M'.repeat(900)} ${'words '.repeat(200)}`);
      await tab(page, 'Changes');
      await expect(workflowPanel(page).getByRole('region', { name: 'Difference' })).toContainText('words');
    },
    leave: escape,
  },
  {
    name: 'workflow-many-findings',
    reach: async ({ page }) => {
      await draft(page, 'plan_a_service');
      const words = Array.from({ length: 25 }, (_, at) => `word${at}`);
      await elsewhere(page, 'plan_a_service', {
        UserIntentPatterns: words,
        PermittedTools: words.map((word) => `mcp://nowhere.${word}`),
      });
      await expect(workflowPanel(page).getByRole('region', { name: 'Findings' })).toContainText('more');
    },
    leave: escape,
  },
  {
    name: 'workflow-conflict',
    reach: async ({ page }) => {
      await draft(page, 'document_the_budget');
      const panel = workflowPanel(page);
      await panel.getByLabel('Version').fill('two');
      await expect(panel.getByText(/1 field is not saved in the draft yet/)).toBeVisible();
      await elsewhere(page, 'document_the_budget', { Version: '3.0.0', Notes: 'Ask the owner first.' });
      const choice = panel.getByRole('group', { name: 'Version: conflicting edits' });
      await choice.scrollIntoViewIfNeeded();
    },
    leave: escape,
  },
  {
    name: 'workflow-edit-card',
    reach: async (stage) => {
      const { page } = stage;
      const fields = {
        Title: 'Measure the build, cold and warm',
        UserIntentPatterns: ['Measure the build now', 'How long does the build take'],
        Version: '1.1.0',
      };
      const call = { operation: 'update_workflow', workflowId: 'measure_the_build', fields };
      modelOf(stage).add(calls('agent_workflow_authoring', call), says('Then not.'));
      await send(page, '/mode workflow_authoring');
      await expect(turn(page, 1)).toContainText('handled by');
      await send(page, 'let measure_the_build be started by asking how long the build takes');
      await expect(question(page)).toContainText('Let the model change the draft');
    },
    leave: async ({ page }) => {
      await answer(page, 'No');
      await settled(page, 2);
    },
  },
];

/** Two hundred workflows and every status, in the panel and on a line. */
export const workflowShelfScene: Scene = {
  name: 'workflow-catalog-list',
  async open({ home, startModel, launchOn }) {
    dropManyWorkflows(home);
    const model = await startModel({ replies: [] });
    return { ...(await launchOn(model)), model };
  },
  rows: [...list, ...standings, ...writing],
};
