import { expect, type Page } from '@playwright/test';
import { turn } from '../fixtures/conversation';
import { goals, prepareGoal, repliesOf, type GoalLine } from '../fixtures/goals';
import { runCard } from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { send, switchMode } from '../fixtures/window';

/** Types the line, approves what it writes, and reads the answer. */
async function follow(page: Page, n: number, { line, answer, writes = 0, undoes }: GoalLine): Promise<void> {
  await send(page, line);
  if (undoes) {
    await turn(page, n).getByRole('button', { name: 'Yes', exact: true }).click();
  }
  if (writes > 0)
    await turn(page, n)
      .getByRole('button', { name: /^Approve/ })
      .click();
  for (const part of answer) await expect(turn(page, n)).toContainText(part);
  await expect(runCard(page, n).getByRole('button', { name: 'Cancel', exact: true })).toHaveCount(0);
  const listed = turn(page, n).getByRole('region', { name: 'Writes' });
  await expect(listed).toHaveCount(writes > 0 ? 1 : 0);
}

for (const goal of goals) {
  test(`${goal.title}, in the window`, async ({ startModel, launchOn, project }) => {
    prepareGoal(project, goal);
    const model = await startModel({ replies: repliesOf(goal) });
    const { page } = await launchOn(model);
    await switchMode(page, 'Agent Mode');
    for (const [index, row] of goal.lines.entries()) {
      await follow(page, index + 1, row);
      row.after?.(project);
    }
    goal.received?.(model);
    expect(model.chats()).toHaveLength(repliesOf(goal).length);
  });
}
