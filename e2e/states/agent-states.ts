import { expect } from '@playwright/test';
import { turn } from '../fixtures/conversation';
import { patinaProcesses } from '../fixtures/run';
import { send } from '../fixtures/window';
import { approval, inspectAt, openNode, over, run, start, stop, submit, tab } from './agent-steps';
import { brokenPlan, endlessPlan, notesPlan, partialPlan, reviewPlan, writePlan } from './sample-plans';
import { modelOf, type Scene, type Stage, type StateRow } from './state-row';

/** A run whose last node waits for the model. */
async function runToTheModel(stage: Stage): Promise<void> {
  modelOf(stage).add(submit(reviewPlan), { text: ['Never let go.'], gated: true });
  await start(stage, 'Review the notes to self');
  await expect(turn(stage.page, 1)).toContainText('3/4 steps');
}

/** The server that writes is suspended, accepts the call, and ends: the outcome of its write is unknown. */
async function loseTheWrite(stage: Stage): Promise<void> {
  const { app, page } = stage;
  modelOf(stage).add(submit(writePlan));
  await start(stage, 'Write down what is left to do');
  const card = approval(page, 'Write the report');
  await expect(card).toBeVisible();
  const server = (await patinaProcesses(app)).get('Patina filesystem server');
  if (server === undefined) throw new Error('The server that writes is not running.');
  process.kill(server, 'SIGSTOP');
  await card.getByRole('button', { name: 'Approve' }).click();
  await expect(card).toBeHidden();
  await expect(turn(page, 1)).toContainText('Running');
  process.kill(server, 'SIGKILL');
  await expect(turn(page, 1).getByRole('region', { name: 'Outcome unknown' })).toBeVisible();
}

/** Notes that were approved on one card, and two that could not be written. */
async function writeNotes(stage: Stage, count: number): Promise<void> {
  const plan = notesPlan(count);
  modelOf(stage).add(submit(plan));
  await start(stage, plan.goal);
  const card = approval(stage.page, 'Write the notes');
  await card.getByRole('button', { name: /^Approve/ }).click();
  await expect(turn(stage.page, 1).getByRole('region', { name: 'Writes' })).toBeVisible();
}

/** The review, run to its end, with the inspector at one of its tabs. */
async function inspect(stage: Stage, name: string): Promise<void> {
  const { page } = stage;
  modelOf(stage).add(submit(reviewPlan), { text: 'Work on TODO first: it has the most notes.' });
  await start(stage, 'Review the notes to self');
  await over(page);
  await inspectAt(stage, name);
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
    name: 'plan-being-thought',
    reach: async (stage) => {
      const thoughts = [
        'The notes are in two folders, ',
        'so one script lists both ',
        'and a model reads them.',
      ];
      modelOf(stage).add({ thinking: thoughts, text: ['Never let go.'], gated: true, ...submit(reviewPlan) });
      await start(stage, 'Review the notes to self');
      modelOf(stage).release(thoughts.length);
      await turn(stage.page, 1).getByText('Thinking…').click();
      await expect(turn(stage.page, 1)).toContainText('a model reads them.');
    },
    leave: stop,
  },
  {
    name: 'plan-refused',
    reach: (stage) => run(stage, 'Publish the docs', brokenPlan, brokenPlan),
  },
  { name: 'running', reach: runToTheModel, leave: stop },
  {
    name: 'lines-queued',
    reach: async (stage) => {
      await runToTheModel(stage);
      await send(stage.page, 'Leave out the notes in archive/, and group the rest by folder');
      await send(stage.page, 'Then write the summary to notes/summary.md');
      const queue = stage.page.getByRole('region', { name: '2 messages wait' });
      await queue
        .getByRole('combobox', { name: 'When to send this message' })
        .last()
        .selectOption('After the run');
    },
    leave: stop,
  },
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
  {
    name: 'needs-you-inbox',
    reach: async (stage) => {
      const { page } = stage;
      modelOf(stage).add(submit(writePlan));
      await start(stage, 'Write down what is left to do');
      await expect(page.getByRole('group', { name: /^Approval needed/ })).toBeVisible();
      await page.keyboard.press('Control+n');
      await expect(page.getByRole('navigation', { name: 'Sessions' })).toContainText('needs you');
    },
    leave: async (stage) => {
      const rail = stage.page.getByRole('navigation', { name: 'Sessions' });
      await rail
        .getByRole('button', { name: /^Write down what is left to do/ })
        .first()
        .click();
      await stop(stage);
    },
  },
  { name: 'write-of-unknown-outcome', reach: loseTheWrite },
  { name: 'writes-listed', reach: (stage) => writeNotes(stage, 2) },
  { name: 'many-writes', reach: (stage) => writeNotes(stage, 14) },
  {
    name: 'many-writes-open',
    reach: async (stage) => {
      await writeNotes(stage, 13);
      await turn(stage.page, 1)
        .getByRole('button', { name: /writes made · show/ })
        .click();
    },
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
      await openNode(stage, 'Search for TODO');
    },
  },
  {
    name: 'inspector-timeline',
    reach: async (stage) => {
      await inspect(stage, 'Run');
      await stage.page.getByRole('button', { name: 'As a timeline' }).click();
    },
  },
  {
    name: 'inspector-whole-plan',
    reach: async (stage) => {
      await inspect(stage, 'Run');
      await stage.page.getByRole('button', { name: 'Show the plan in the whole window' }).click();
      const whole = stage.page.getByRole('dialog', { name: 'Plan of the run' });
      await expect(whole.getByRole('group', { name: 'Plan as a graph' })).toBeVisible();
    },
    leave: async ({ page }) => page.keyboard.press('Escape'),
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

/** A run during which Patina was killed, as the next start shows it. */
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
