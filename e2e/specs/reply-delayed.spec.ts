import { expect } from '@playwright/test';
import { settled, turn } from '../fixtures/conversation';
import { test as commandTest, onModel } from '../fixtures/command-line';
import { test } from '../fixtures/scripted';
import { send } from '../fixtures/window';

const limited = (seconds: number) =>
  ({
    type: 'status',
    status: 429,
    message: 'slow down',
    headers: { 'retry-after': String(seconds) },
  }) as const;

test('[LLM-delay-shown] a rate limit is shown during the wait, and the reply can be stopped', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ fault: limited(20) }] });
  const { page } = await launchOn(model);
  await send(page, 'hello');
  await expect(turn(page, 1)).toContainText('accepts no more requests right now');
  await expect(turn(page, 1)).toContainText(/Tries again in \d+ s/);
  await turn(page, 1).getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(await settled(page, 1)).not.toContainText('Tries again');
});

test('[LLM-delay-shown] the message about the wait disappears once the reply begins', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ fault: limited(1) }, { text: 'Here it is.' }] });
  const { page } = await launchOn(model);
  await send(page, 'hello');
  await expect(await settled(page, 1)).toContainText('Here it is.');
  await expect(turn(page, 1)).not.toContainText('Tries again');
});

commandTest('[LLM-delay-shown] the terminal says it, too', async ({ startModel, patina }) => {
  const env = onModel(await startModel({ replies: [{ fault: limited(1) }, { text: 'Here it is.' }] }));
  const { code, stdout, stderr } = await patina(['ask', 'hello'], { env });
  expect(code).toBe(0);
  expect(stdout).toContain('Here it is.');
  expect(stderr).toContain('Trying again in 1 s.');
});
