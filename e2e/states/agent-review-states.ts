import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { runCard } from '../fixtures/run';
import { fortyPlan } from './agent-long-plans';
import { over, start, submit } from './agent-steps';
import { notesPlan, reviewPlan, writePlan } from './sample-plans';
import { modelOf, type Scene, type Stage, type StateRow } from './state-row';

const view = (page: Page) => page.getByRole('dialog', { name: 'Review the plan' });
const waiting = (page: Page) => runCard(page, 1).getByRole('region', { name: 'A plan waits for you' });

/** A plan that waits for the user, on its card. */
async function propose(stage: Stage, goal: string, plan: object): Promise<void> {
  modelOf(stage).add(submit(plan));
  await stage.page.keyboard.press('Escape');
  await start(stage, goal);
  await expect(waiting(stage.page)).toBeVisible();
}

async function open(stage: Stage, goal: string, plan: object): Promise<void> {
  await propose(stage, goal, plan);
  await waiting(stage.page).getByRole('button', { name: 'Review the plan' }).click();
  await expect(view(stage.page)).toBeVisible();
}

/** Leaves the view and cancels the run, so that the next state starts clean. */
async function cancel({ page }: Stage): Promise<void> {
  if (await view(page).isVisible()) await view(page).getByRole('button', { name: 'Close' }).click();
  await runCard(page, 1).getByRole('button', { name: 'Cancel', exact: true }).click();
  await over(page);
}

const asList = (page: Page): Promise<void> => view(page).getByRole('button', { name: 'As a list' }).click();

const looking = {
  nodes: [
    {
      id: 'read',
      title: 'Read the notes',
      code: "const { files } = await tools.project.list_files({ path: 'docs' }); return { summary: `${files.length} files`, state: { paths: files.map((file) => file.path) } };",
    },
  ],
  then: 'look',
};

/** Sixty issues, then one request to the model for each of them. */
const issues = {
  nodes: [
    {
      id: 'list',
      title: 'List the open issues',
      code: "return { summary: '60 issues', state: { rows: Array.from({ length: 60 }, (_, n) => ({ number: n, title: `Issue ${n}: the list does not scroll` })) } };",
    },
  ],
  then: 'look',
};
const sorting = {
  nodes: [
    {
      id: 'sort',
      title: 'Sort the issues by kind',
      kind: 'llm',
      prompt: 'Name the kind of this issue: bug, wish or question.',
      each: 'list.rows',
      parallel: 4,
    },
  ],
  answer: '{{sort.items}}',
};

const rows: readonly StateRow[] = [
  { name: 'plan-waits', reach: (stage) => propose(stage, 'Write the report', writePlan), leave: cancel },
  { name: 'plan-under-review', reach: (stage) => open(stage, 'Review the notes', reviewPlan), leave: cancel },
  {
    name: 'plan-under-review-broken',
    reach: async (stage) => {
      await open(stage, 'Write some notes', notesPlan(3));
      await asList(stage.page);
      await view(stage.page)
        .getByRole('textbox', { name: 'Script' })
        .fill('const rows = await tools.nobody.knows({});\nreturn rows;');
      await expect(view(stage.page).getByRole('list', { name: 'Problems' })).toBeVisible();
    },
    leave: cancel,
  },
  {
    name: 'plan-under-review-long',
    reach: async (stage) => {
      await open(stage, 'Do forty things', fortyPlan);
      await asList(stage.page);
    },
    leave: cancel,
  },
  {
    name: 'plan-under-review-stage-2',
    reach: async (stage) => {
      const { page } = stage;
      modelOf(stage).add(submit(looking), submit(writePlan));
      await start(stage, 'Look first, then write the report');
      await waiting(page).getByRole('button', { name: 'Run' }).click();
      await expect(waiting(page)).toContainText('Stage 2');
      await waiting(page).getByRole('button', { name: 'Review the plan' }).click();
      await view(page).getByText('Results so far').click();
    },
    leave: cancel,
  },
  {
    name: 'plan-waits-cost',
    reach: async (stage) => {
      modelOf(stage).add(submit(issues), submit(sorting));
      await start(stage, 'Sort the open issues by kind');
      await waiting(stage.page).getByRole('button', { name: 'Run' }).click();
      await expect(waiting(stage.page)).toContainText('called 60 times');
    },
    leave: cancel,
  },
  {
    name: 'plan-under-review-cost',
    reach: async (stage) => {
      modelOf(stage).add(submit(issues), submit(sorting));
      await start(stage, 'Sort the open issues by kind');
      await waiting(stage.page).getByRole('button', { name: 'Run' }).click();
      await expect(waiting(stage.page)).toContainText('called 60 times');
      await waiting(stage.page).getByRole('button', { name: 'Review the plan' }).click();
      await expect(view(stage.page)).toBeVisible();
    },
    leave: cancel,
  },
];

/** Agent Mode with the review of plans switched on. */
export const agentReviewScene: Scene = {
  name: 'agent-review',
  async open({ project, startModel, launchOn }) {
    const usual = JSON.parse(readFileSync('seeds/budgets.json', 'utf8')) as { run: object };
    mkdirSync(join(project, '.patina'), { recursive: true });
    writeFileSync(
      join(project, '.patina/budgets.json'),
      JSON.stringify({ ...usual, run: { ...usual.run, nodes: 60 } }),
    );
    const model = await startModel({ replies: [] });
    const stage = { ...(await launchOn(model)), model };
    await stage.page.getByRole('radio', { name: 'Agent Mode' }).click();
    await stage.page.getByRole('radio', { name: 'Plan', exact: true }).click();
    return stage;
  },
  rows,
};
