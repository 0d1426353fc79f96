import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { ask, newestSession, settled, turn } from '../fixtures/conversation';
import type { Launched } from '../fixtures/patina';
import { test } from '../fixtures/scripted';
import {
  answer,
  dropWorkflows,
  notes,
  question,
  says,
  startNotes,
  workflowCard,
} from '../fixtures/workflow-window';

async function kill({ app }: Launched): Promise<void> {
  const process_ = app.process();
  const gone = once(process_, 'exit');
  process_.kill('SIGKILL');
  await gone;
}

async function reopen(page: Page): Promise<void> {
  const row = page.getByRole('button', { name: /write the meeting minutes/ });
  await row.first().click();
  await expect(workflowCard(page)).toContainText('Write the notes');
}

test('[T6-7-7-standing] an approval that is open when Patina is killed is restored, and its yes makes one write', async ({
  home,
  project,
  startModel,
  launchOn,
}) => {
  dropWorkflows(home);
  const model = await startModel({
    replies: [notes.begin, notes.ask, notes.write, notes.write, says('Written once.')],
  });
  const first = await launchOn(model);
  await startNotes(first.page);
  await expect(question(first.page)).toContainText('Write notes.md');
  const sessionId = await newestSession(first.page);
  const before = await ask(first.page, 'session-open', { sessionId });
  await kill(first);
  expect(existsSync(join(project, 'notes.md'))).toBe(false);

  const { page } = await launchOn(model);
  await reopen(page);
  await expect(question(page)).toContainText('Write notes.md');
  await expect(question(page)).toContainText('"content": "Hello.\\n"');
  const after = await ask(page, 'session-open', { sessionId });
  const callIn = (state: typeof after) =>
    state.blocks.flatMap((block) => block.flatMap(({ questions = [] }) => questions)).at(-1)?.call;
  expect(callIn(after)?.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(callIn(after)).toEqual(callIn(before));

  await answer(page, 'Approve');
  await settled(page, 2);
  await expect(turn(page, 2)).toContainText('Written once.');
  expect(readFileSync(join(project, 'notes.md'), 'utf8')).toBe('Hello.\n');
  const { workflow } = await ask(page, 'session-open', { sessionId });
  expect(workflow).toMatchObject({
    approvals: [{ action: 'Write notes.md', approved: true, used: true }],
    steps: [{ tool: 'mcp://filesystem.write_file', outcome: 'done' }],
  });
});

test('[T6-6-4-cards] an open approval closes with its workflow, and shows what happened to it', async ({
  home,
  project,
  startModel,
  launchOn,
}) => {
  dropWorkflows(home);
  const model = await startModel({ replies: [notes.begin, notes.ask] });
  const first = await launchOn(model);
  await startNotes(first.page);
  await expect(question(first.page)).toContainText('Write notes.md');
  await kill(first);

  const { page } = await launchOn(model);
  await reopen(page);
  await expect(question(page)).toContainText('Write notes.md');
  await workflowCard(page).getByRole('button', { name: 'Cancel workflow' }).click();
  await expect(workflowCard(page)).toHaveCount(0);
  await expect(question(page)).toHaveCount(0);
  await expect(turn(page, 1)).toContainText('The workflow ended before you answered. Nothing was done.');
  expect(existsSync(join(project, 'notes.md'))).toBe(false);
});
