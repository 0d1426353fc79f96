import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { fortyPlan, hugeArgumentPlan, tablePlan, unbrokenPlan } from './agent-long-plans';
import { approval, inspectAt, openNode, run, start, stop, submit } from './agent-steps';
import { modelOf, type Scene, type Stage, type StateRow } from './state-row';

const forty = (stage: Stage) => run(stage, 'Look through the whole archive', fortyPlan);
const table = (stage: Stage) => run(stage, 'List every row of the archive', tablePlan);
const unbroken = (stage: Stage) => run(stage, unbrokenPlan.goal, unbrokenPlan);

const rows: readonly StateRow[] = [
  {
    name: 'forty-nodes',
    reach: async (stage) => {
      await forty(stage);
      await stage.page.getByRole('button', { name: 'Show 40 steps' }).click();
    },
  },
  {
    name: 'forty-nodes-graph',
    reach: async (stage) => {
      await forty(stage);
      await inspectAt(stage, 'Run');
    },
  },
  {
    name: 'forty-nodes-timeline',
    reach: async (stage) => {
      await forty(stage);
      await inspectAt(stage, 'Run');
      await stage.page.getByRole('button', { name: 'As a timeline' }).click();
    },
  },
  { name: 'table-of-200-rows', reach: table },
  {
    name: 'script-of-300-lines',
    reach: async (stage) => {
      await table(stage);
      await inspectAt(stage, 'Run');
      await openNode(stage, 'Calculate the rows');
    },
  },
  {
    name: 'huge-argument',
    reach: async (stage) => {
      modelOf(stage).add(submit(hugeArgumentPlan));
      await start(stage, 'Write the long page');
      await expect(approval(stage.page, 'Write the long page')).toContainText('Line 160 of a page');
    },
    leave: stop,
  },
  { name: 'unbroken-words', reach: unbroken },
  {
    name: 'unbroken-words-node',
    reach: async (stage) => {
      await unbroken(stage);
      await inspectAt(stage, 'Run');
    },
  },
];

/** Runs with unusually much content. */
export const agentLongScene: Scene = {
  name: 'agent-long',
  async open({ project, startModel, launchOn }) {
    const usual = JSON.parse(readFileSync('seeds/budgets.json', 'utf8')) as { run: object };
    mkdirSync(join(project, '.patina'), { recursive: true });
    writeFileSync(
      join(project, '.patina/budgets.json'),
      JSON.stringify({ ...usual, run: { ...usual.run, nodes: 60 } }),
    );
    const model = await startModel({ replies: [] });
    return { ...(await launchOn(model)), model };
  },
  rows,
};
