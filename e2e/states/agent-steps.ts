import { expect, type Page } from '@playwright/test';
import { stopButton, turn } from '../fixtures/conversation';
import { send, switchMode } from '../fixtures/window';
import { modelOf, type Stage } from './state-row';

/** A plan as a model gives it. */
export const submit = (plan: object) => ({ toolCalls: [{ name: 'submit_plan', arguments: plan }] });

/** Waits until a run has ended, whatever its outcome: only then it can be forked. */
export async function over(page: Page, at = 1): Promise<void> {
  await turn(page, at).getByRole('button', { name: 'Fork into a new session' }).waitFor();
}

export async function start(stage: Stage, goal: string): Promise<void> {
  await switchMode(stage.page, 'Agent Mode');
  await send(stage.page, goal);
}

const uses = new Map<string, number>();

/** The plan of a completed goal would be offered again, so each further time it is another goal. */
function anew(goal: string): string {
  const used = uses.get(goal) ?? 0;
  uses.set(goal, used + 1);
  return used === 0 ? goal : `${goal} (${used + 1})`;
}

/** Runs a goal to its end, whatever the outcome. */
export async function run(stage: Stage, goal: string, ...plans: readonly object[]): Promise<void> {
  modelOf(stage).add(...plans.map(submit));
  await start(stage, plans.length === 0 ? goal : anew(goal));
  await over(stage.page);
}

export async function stop({ page }: Stage): Promise<void> {
  await stopButton(page).click();
  await over(page);
}

export const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });

/** Opens the inspector on the newest run, at one of its tabs. */
export async function inspectAt({ page }: Stage, name: string): Promise<void> {
  await page.keyboard.press('Control+i');
  await tab(page, name).click();
  await expect(tab(page, name)).toHaveAttribute('aria-selected', 'true');
}

/** Chooses a node and scrolls its drawer into view. */
export async function openNode({ page }: Stage, title: string): Promise<void> {
  const node = page.getByRole('article', { name: `Step ${title}` });
  await page
    .getByRole('complementary', { name: 'Inspector' })
    .getByRole('button', { name: title })
    .first()
    .click();
  await node.evaluate((article) => article.scrollIntoView());
}

/** The card on which a step's calls wait. */
export const approval = (page: Page, title: string) =>
  page.getByRole('article').getByRole('group', { name: `Approval needed: ${title}` });
