import { expect, type Page } from '@playwright/test';
import { stopButton, turn } from '../fixtures/conversation';
import { send, switchMode } from '../fixtures/window';
import { brokenPlan, endlessPlan, partialPlan, reviewPlan, writePlan } from './sample-plans';
import { modelOf, type Scene, type Stage, type StateRow } from './state-row';

const submit = (plan: object) => ({ toolCalls: [{ name: 'submit_plan', arguments: plan }] });

/** Waits until a run is over, however it ended: only then it can be tried again. */
async function over(page: Page): Promise<void> {
  await turn(page, 1).getByRole('button', { name: 'Retry', exact: true }).first().waitFor();
}

async function start(stage: Stage, goal: string): Promise<void> {
  await switchMode(stage.page, 'Agent Mode');
  await send(stage.page, goal);
}

/** Runs a goal to its end, whatever that is. */
async function run(stage: Stage, goal: string, ...plans: readonly object[]): Promise<void> {
  modelOf(stage).add(...plans.map(submit));
  await start(stage, goal);
  await over(stage.page);
}

/** A run whose last node waits for the model. */
async function runToTheModel(stage: Stage): Promise<void> {
  modelOf(stage).add(submit(reviewPlan), { text: ['Never let go.'], gated: true });
  await start(stage, 'Review the notes to self');
  await expect(turn(stage.page, 1)).toContainText('3/4 nodes');
}

async function stop({ page }: Stage): Promise<void> {
  await stopButton(page).click();
  await over(page);
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });

/** The review, run to its end, with the inspector at one of its tabs. */
async function inspect(stage: Stage, name: string): Promise<void> {
  const { page } = stage;
  modelOf(stage).add(submit(reviewPlan), { text: 'Work on TODO first: it has the most notes.' });
  await start(stage, 'Review the notes to self');
  await over(page);
  await page.keyboard.press('Control+i');
  await tab(page, name).click();
  await expect(tab(page, name)).toHaveAttribute('aria-selected', 'true');
}

const rows: readonly StateRow[] = [
  {
    name: 'plan-being-made',
    reach: async (stage) => {
      modelOf(stage).add({ text: ['Never let go.'], gated: true, ...submit(reviewPlan) });
      const asked = modelOf(stage).chats().length;
      await start(stage, 'Review the notes to self');
      await modelOf(stage).chat(asked);
      await expect(turn(stage.page, 1).getByRole('region', { name: 'Run' })).toBeVisible();
    },
    leave: stop,
  },
  {
    name: 'plan-refused',
    reach: (stage) => run(stage, 'Publish the docs', brokenPlan, brokenPlan),
  },
  { name: 'running', reach: runToTheModel, leave: stop },
  {
    name: 'running-inspected',
    reach: async (stage) => {
      await runToTheModel(stage);
      await stage.page.keyboard.press('Control+i');
      await expect(tab(stage.page, 'Run')).toBeVisible();
    },
    leave: stop,
  },
  {
    name: 'waiting-for-approval',
    reach: async (stage) => {
      modelOf(stage).add(submit(writePlan));
      await start(stage, 'Write down what is left to do');
      await expect(stage.page.getByRole('group', { name: /^Approval needed/ })).toBeVisible();
    },
    leave: stop,
  },
  { name: 'done-with-table', reach: (stage) => run(stage, 'Count TODO and FIXME by folder') },
  {
    name: 'partly-failed',
    reach: (stage) => run(stage, 'Compare the notes with the change log', partialPlan),
  },
  {
    name: 'cancelled',
    reach: async (stage) => {
      await runToTheModel(stage);
      await stop(stage);
    },
  },
  { name: 'budget-used-up', reach: (stage) => run(stage, 'Count to the end', endlessPlan) },
  {
    name: 'save-recipe',
    reach: async (stage) => {
      const { page } = stage;
      await run(stage, 'Count TODO and FIXME by folder');
      await page.getByRole('button', { name: 'Save as recipe' }).click();
      await expect(page.getByRole('region', { name: 'Preview' })).toContainText('patina recipe run');
    },
    leave: async ({ page }) => page.keyboard.press('Escape'),
  },
  { name: 'inspector-run', reach: (stage) => inspect(stage, 'Run') },
  {
    name: 'inspector-list',
    reach: async (stage) => {
      await inspect(stage, 'Run');
      await stage.page.getByRole('button', { name: 'As a list' }).click();
    },
  },
  {
    name: 'inspector-node',
    reach: async (stage) => {
      await inspect(stage, 'Run');
      const node = stage.page.getByRole('article', { name: 'Node Search for TODO' });
      await stage.page.getByRole('button', { name: /Search for TODO/ }).click();
      await node.scrollIntoViewIfNeeded();
      await node.evaluate((article) => article.scrollIntoView());
    },
  },
  { name: 'inspector-artifacts', reach: (stage) => inspect(stage, 'Artifacts') },
  {
    name: 'inspector-prompt',
    reach: async (stage) => {
      await inspect(stage, 'Prompt');
      await expect(stage.page.getByRole('tabpanel', { name: 'Prompt' })).toContainText('tokens');
    },
  },
];

/** Agent Mode with a model that plans what each state needs. */
export const agentScene: Scene = {
  name: 'agent',
  async open({ startModel, launchOn }) {
    const model = await startModel({ replies: [] });
    return { ...(await launchOn(model)), model };
  },
  rows,
};

/** A run in which Patina was killed, as the next start shows it. */
export const interruptedScene: Scene = {
  name: 'interrupted',
  async open({ startModel, launchOn }) {
    const model = await startModel({ replies: [] });
    const before = { ...(await launchOn(model)), model };
    await runToTheModel(before);
    const gone = new Promise((resolve) => before.app.process().once('exit', resolve));
    before.app.process().kill('SIGKILL');
    await gone;
    return { ...(await launchOn(model)), model };
  },
  rows: [
    {
      name: 'interrupted-by-a-crash',
      asOpened: true,
      reach: ({ page }) => expect(turn(page, 1)).toContainText('Interrupted'),
    },
  ],
};
