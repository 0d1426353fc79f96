import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { ask, newestSession, settled, turn } from '../fixtures/conversation';
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

test('[T6-7-7-standing] an approval that is open when Patina is killed stands again, and its yes is one write', async ({
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
  const app = first.app.process();
  const gone = once(app, 'exit');
  app.kill('SIGKILL');
  await gone;
  expect(existsSync(join(project, 'notes.md'))).toBe(false);

  const { page } = await launchOn(model);
  await page
    .getByRole('button', { name: /write the meeting minutes/ })
    .first()
    .click();
  await expect(workflowCard(page)).toContainText('Write the notes');
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
