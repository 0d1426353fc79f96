import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { planOf, scriptNode, test } from '../fixtures/command-line';
import { turn } from '../fixtures/conversation';
import { runCard, runOver } from '../fixtures/run';
import { composer, send, switchMode } from '../fixtures/window';

const write = (path: string, content: string) =>
  `await tools.filesystem.write_file({ path: '${path}', content: '${content}' }); return { summary: 'wrote' };`;
const reads = scriptNode(
  'list',
  "const { files } = await tools.project.list_files({ path: 'docs' }); return { summary: 'listed', state: { n: files.length } };",
);
const notes = { ...scriptNode('note', write('docs/note.md', 'as proposed')), deps: ['list'] };
const other = { ...scriptNode('other', write('docs/other.md', 'other')), deps: ['list'] };
const plan = planOf([reads, notes, other], 'There were {{list.n}} files.');
const submit = (value: object = plan) => ({ toolCalls: [{ name: 'submit_plan', arguments: value }] });

const review = (page: Page) => page.getByRole('dialog', { name: 'Review the plan' });
const waiting = (page: Page) => runCard(page, 1).getByRole('region', { name: 'A plan waits for you' });
const reviewPlans = async (page: Page): Promise<void> => {
  await switchMode(page, 'Agent Mode');
  await page.getByRole('radiogroup', { name: 'Review' }).getByRole('radio', { name: 'Plan' }).click();
};
/** Opens a step in the plan's list. */
const openStep = async (page: Page, title: string): Promise<void> => {
  await review(page).getByRole('button', { name: 'As a list' }).click();
  await review(page)
    .getByRole('list', { name: 'Plan as a list' })
    .getByRole('button', { name: new RegExp(`Step ${title}( after|$)`) })
    .click();
};

test('[REV-wait] [REV-window] [REV-edit] [REV-approve] [REV-rail] a plan waits in the window, and runs as the user edited it', async ({
  startModel,
  launchOn,
  project,
}) => {
  const model = await startModel({ replies: [submit()] });
  const { page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await reviewPlans(page);
  await send(page, 'Write two notes');
  await expect(waiting(page)).toContainText('Stage 1 of at most 6');
  await expect(page.getByText('needs you', { exact: true })).toBeAttached();
  await waiting(page).getByRole('button', { name: 'Review the plan' }).click();
  await expect(review(page)).toContainText('2 steps may write');

  // Removing the first step would remove all; the second one is removed alone.
  await openStep(page, 'list');
  await review(page).getByRole('button', { name: 'Remove this step' }).click();
  await expect(review(page).getByRole('alert')).toContainText('Nothing would be left to run');
  await openStep(page, 'other');
  await review(page).getByRole('button', { name: 'Remove this step' }).click();
  await openStep(page, 'note');

  const code = review(page).getByRole('textbox', { name: 'Script' });
  await code.fill('await tools.nobody.knows({});');
  await expect(review(page).getByRole('list', { name: 'Problems' })).toBeVisible();
  await expect(review(page).getByRole('button', { name: 'Run as edited' })).toBeDisabled();
  await code.press('Control+z');
  await expect(code).toHaveValue(write('docs/note.md', 'as proposed'));
  await code.fill(write('docs/note.md', 'as edited'));
  await expect(review(page).getByRole('button', { name: 'Run as edited' })).toBeEnabled();
  expect(existsSync(join(project, 'docs', 'note.md'))).toBe(false);

  // Escape leaves the view; the edits are there when it is opened again.
  await page.keyboard.press('Escape');
  await expect(review(page)).toBeHidden();
  await expect(waiting(page)).toContainText('You edited this plan');
  await expect(waiting(page).getByRole('button', { name: 'Run', exact: true })).toHaveCount(0);
  await waiting(page).getByRole('button', { name: 'Continue editing' }).click();
  await openStep(page, 'note');
  await expect(review(page).getByRole('list', { name: 'Plan as a list' })).not.toContainText('other');
  await expect(code).toHaveValue(write('docs/note.md', 'as edited'));
  await expect(review(page).getByRole('button', { name: 'Run as edited' })).toBeEnabled();
  await code.press('Control+Enter');
  await expect(review(page)).toBeHidden();

  const card = page.getByRole('group', { name: /^Approval needed/ });
  await expect(card).toContainText('as edited');
  expect(existsSync(join(project, 'docs', 'note.md'))).toBe(false);
  await card.getByRole('button', { name: 'Approve' }).click();
  await runOver(page, 1);
  expect(readFileSync(join(project, 'docs', 'note.md'), 'utf8')).toBe('as edited');
  expect(existsSync(join(project, 'docs', 'other.md'))).toBe(false);
});

test('[REV-restart] [REV-recorded] a plan waits again after the app restarts, and the switch stays', async ({
  startModel,
  launchOn,
  launch,
  home,
}) => {
  const model = await startModel({ replies: [submit(planOf([reads], 'There were {{list.n}} files.'))] });
  const first = await launchOn(model);
  await reviewPlans(first.page);
  await send(first.page, 'Count the files');
  await expect(waiting(first.page)).toBeVisible();
  await first.app.close();
  expect(JSON.parse(readFileSync(join(home, 'ui_settings.json'), 'utf8'))).toMatchObject({ review: 'plan' });

  const { page } = await launch();
  await expect(waiting(page)).toBeVisible();
  await expect(page.getByRole('radio', { name: 'Plan', exact: true })).toBeChecked();
  await waiting(page).getByRole('button', { name: 'Review the plan' }).click();
  await review(page).getByRole('button', { name: 'Run', exact: true }).click();
  await expect(await runOver(page, 1)).toContainText(/There were \d+ files/);
  expect(model.chats()).toHaveLength(1);
});

test('[REV-wait] a plan that the user cancels never runs, and the next line can be sent', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [submit(), { text: 'Fine.' }] });
  const { page } = await launchOn(model);
  await reviewPlans(page);
  await send(page, 'Write two notes');
  await expect(waiting(page)).toBeVisible();
  await runCard(page, 1).getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(waiting(page)).toBeHidden();
  await expect(turn(page, 1)).toContainText('Cancelled');
  await send(page, 'Never mind');
  await expect(turn(page, 2)).toContainText('Fine.');
  await expect(composer(page)).toBeFocused();
});

test('[REV-cli] [REV-leave] [REV-none] the command line prints a waiting plan, resumes it, and refuses writes unattended', async ({
  patina,
  project,
}) => {
  const file = join(project, '..', 'plan.json');
  writeFileSync(file, JSON.stringify(planOf([reads, notes], 'There were {{list.n}} files.')));
  const proposed = await patina(['agent', 'Write', '--plan', file, '--review', 'plan', '--json']);
  expect(proposed.code).toBe(0);
  expect(proposed.json()).toMatchObject({
    outcome: 'waiting',
    plan: { nodes: [{ id: 'list' }, { id: 'note' }] },
    expectedWrites: { note: ['mcp://filesystem.write_file'] },
    nodes: [],
  });
  const runId = String(proposed.json()['runId']);
  const resumed = await patina(['agent', '--resume', runId, '--approve', 'all', '--json']);
  expect(resumed.json()).toMatchObject({ outcome: 'done', runId, planHash: proposed.json()['planHash'] });
  expect(readFileSync(join(project, 'docs', 'note.md'), 'utf8')).toBe('as proposed');

  const unattended = await patina(['agent', 'Write', '--plan', file, '--review', 'none', '--json']);
  expect(unattended.code).toBe(1);
  expect(unattended.json()).toMatchObject({ outcome: 'partial', writes: [{ outcome: 'refused' }] });
  const wrong = await patina(['agent', 'Write', '--plan', file, '--review', 'none', '--approve', 'all']);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('--review none cannot be used with --approve all');
});
