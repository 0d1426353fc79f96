import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { sampleWorkflow } from '../../src/testing/sample-workflows';
import { approveWorkflows, writeWorkflowPack } from '../../src/testing/workflow-pack';
import { turn } from '../fixtures/conversation';
import { test } from '../fixtures/command-line';
import { send } from '../fixtures/window';
import { openWorkflows, workflowCard, workflowErrors, workflowPanel } from '../fixtures/workflow-window';

const simple = { PermittedTools: ['mcp://project.list_files'], Ddr: 'WFL-901' };
const named = (WorkflowId: string, Title: string, UserIntentPatterns: string[]) =>
  sampleWorkflow({ ...simple, WorkflowId, Title, UserIntentPatterns });

const old = { ...named('old_way', 'The old way', ['Do it the old way']), Status: 'deprecated' as const };
const off = { ...named('switched_off', 'Switched off', ['Do what is off']), Status: 'disabled' as const };
const secret = { ...named('inner_check', 'Inner check', ['Look inside']), Visibility: 'hidden' as const };
const changed = named('sort_reports', 'Sort the reports', ['Sort the quarterly reports']);
const all = [changed, old, off, secret];

/** Four workflows, one of each status; the record of “Sort the reports” approves another definition. */
function dropStandings(home: string): void {
  writeWorkflowPack(home, all);
  approveWorkflows(home, all, { [changed.WorkflowId]: 'f'.repeat(64) });
}

const newSession = (page: Page) => page.keyboard.press('Control+n');
const removalReason = 'Nobody needs it any more.';

test.describe('[T6-8-8-start] [T6-3-3-named] starting a workflow by status', () => {
  test.beforeEach(({ home }) => dropStandings(home));

  test('a halted one says so once, links to its definition, and runs once a person approved it', async ({
    home,
    startModel,
    launchOn,
  }) => {
    const { page } = await launchOn(await startModel({ replies: [] }));
    await send(page, 'use workflow: sort_reports');
    await expect(turn(page, 1)).toContainText(
      '‘sort_reports’ is halted: the definition in use is not the one',
    );
    await expect(turn(page, 1)).toContainText('publish the definition again with your approval');
    await expect(workflowErrors(page, 1)).toHaveCount(0);
    await expect(workflowCard(page)).toHaveCount(0);

    await turn(page, 1).getByRole('button', { name: 'Review the difference' }).click();
    const panel = workflowPanel(page);
    await expect(panel.getByRole('heading', { name: changed.Title })).toBeVisible();
    await panel.getByRole('tab', { name: 'Changes' }).click();
    await panel.getByRole('button', { name: 'Approve as it is' }).click();
    await expect(panel.getByText(/is halted/)).toHaveCount(0);
    await page.keyboard.press('Escape');
    expect(readFileSync(join(home, 'ddrs/WFL-901.md'), 'utf8')).not.toContain('f'.repeat(64));

    await send(page, 'use workflow: sort_reports');
    await expect(workflowCard(page)).toContainText(changed.Title);
  });

  test('a disabled one says so, a deprecated one still runs, a hidden one must be named', async ({
    startModel,
    launchOn,
  }) => {
    const { page } = await launchOn(await startModel({ replies: [] }));
    await send(page, '/workflow switched_off');
    await expect(turn(page, 1)).toContainText('Workflow ‘switched_off’ is disabled.');
    await expect(turn(page, 1)).toContainText('Choose another workflow.');
    await expect(workflowCard(page)).toHaveCount(0);

    await newSession(page);
    await send(page, 'use workflow: old_way');
    await expect(workflowCard(page)).toContainText('The old way');
    await newSession(page);
    await send(page, 'use workflow: inner_check');
    await expect(workflowCard(page)).toContainText('Inner check');
  });

  test('a removed one cannot be named any more: neither for a start nor for its status', async ({
    startModel,
    launchOn,
  }) => {
    const { page } = await launchOn(await startModel({ replies: [] }));
    await openWorkflows(page, off.Title);
    const panel = workflowPanel(page);
    await panel.getByRole('tab', { name: 'Status and history' }).click();
    await panel.getByLabel('Reason for the removal').fill(removalReason);
    await panel.getByRole('button', { name: 'Remove switched_off' }).click();
    await expect(panel.getByText(removalReason)).toBeVisible();
    await page.keyboard.press('Escape');
    await newSession(page);
    await send(page, '/workflow switched_off');
    await expect(turn(page, 1)).toContainText('handled by');
    await expect(turn(page, 1)).not.toContainText('is disabled');
    await expect(workflowCard(page)).toHaveCount(0);
  });
});
