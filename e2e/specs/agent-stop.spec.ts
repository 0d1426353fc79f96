import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { planOf, scriptNode } from '../fixtures/command-line';
import { turn } from '../fixtures/conversation';
import {
  allowEndlessRuns,
  cancelRun,
  isAlive,
  patinaProcesses,
  planReply,
  restless,
  runCard,
  runOver,
  someCalls,
} from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { send, switchMode } from '../fixtures/window';

const write =
  "await tools.filesystem.write_file({ path: 'new.txt', content: 'new' }); return { summary: 'written' };";
const writing = planOf([scriptNode('write', write, ['mcp://filesystem.write_file'])], 'Written.');
const running = planOf([scriptNode('loop', restless.code, restless.tools)]);
const counting = planOf(
  [scriptNode('sum', 'return { summary: "counted", state: { sum: 40 + 2 } };')],
  'It is {{sum.sum}}.',
);

test('[AGENT-cancel] cancel ends a run during planning, during a node, and while it waits for an approval', async ({
  startModel,
  launchOn,
  project,
}) => {
  allowEndlessRuns(project);
  const model = await startModel({
    replies: [
      { match: 'Plan for ever', fault: { type: 'hang', beforeHeaders: true } },
      planReply('Run for ever', running),
      planReply('Write it', writing),
      planReply('Count', counting),
    ],
  });
  const { page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');

  await send(page, 'Plan for ever');
  const planning = await model.chat(0);
  await expect(runCard(page, 1)).toContainText('Planning');
  await cancelRun(page, 1);
  await expect(await runOver(page, 1)).toContainText('Cancelled. Nothing was done.');
  expect(await planning.over).toBe('aborted');

  await send(page, 'Run for ever');
  await expect(runCard(page, 2)).toContainText(someCalls);
  await cancelRun(page, 2);
  await expect(await runOver(page, 2)).toContainText('Cancelled.');
  await expect(runCard(page, 2)).not.toContainText('Failed');

  await send(page, 'Write it');
  await expect(turn(page, 3).getByRole('button', { name: 'Approve' })).toBeVisible();
  await cancelRun(page, 3);
  await runOver(page, 3);
  await expect(turn(page, 3).getByRole('button', { name: 'Approve' })).toBeHidden();
  expect(existsSync(join(project, 'new.txt'))).toBe(false);

  await send(page, 'Count');
  await expect(await runOver(page, 4)).toContainText('It is 42.');
});

test('[BOX-cpu] [BOX-crash] an endless script and a killed worker end with a typed error, and the next run works', async ({
  startModel,
  launchOn,
}) => {
  const endless = { ...scriptNode('spin', 'while (true) {}'), budgets: { cpu_ms: 200 } };
  const model = await startModel({
    replies: [
      planReply('Spin', planOf([endless])),
      planReply('Run for ever', running),
      planReply('Count', counting),
    ],
  });
  const { app, page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Spin');
  const spun = await runOver(page, 1);
  await expect(spun.getByRole('region', { name: 'A script computed for too long' })).toContainText(
    'BUDGET/CPU_LIMIT',
  );

  await send(page, 'Run for ever');
  await expect(runCard(page, 2)).toContainText(someCalls);
  const killSandboxes = async () => {
    const pids = await app.evaluate(({ app: self }) =>
      self.getAppMetrics().flatMap(({ name, pid }) => (name === 'Patina sandbox' ? [pid] : [])),
    );
    const alive = pids.filter(isAlive);
    for (const pid of alive) process.kill(pid, 'SIGKILL');
    return alive;
  };
  const calls = async () =>
    Number(/(\d+) calls?/.exec((await runCard(page, 2).textContent()) ?? '')?.[1] ?? 0);
  const killed = await killSandboxes();
  expect(killed.length).toBeGreaterThan(0);
  // The step had only read, so it is retried once, in another worker; the second crash ends it.
  await expect(runCard(page, 2)).toContainText('Attempt 1 failed.');
  // The window's count lags a moment, so one more call might still belong to the earlier attempt.
  const crashAgain = async () => {
    const before = await calls();
    await expect.poll(calls, { timeout: 30_000 }).toBeGreaterThan(before + 5);
    await killSandboxes();
  };
  await crashAgain();
  // The model plans the same step again; once that has crashed twice too, the run ends with the crash.
  const again = runCard(page, 2).getByRole('region', { name: 'Stage 2' });
  await expect(again).toBeVisible();
  await crashAgain();
  await expect(again).toContainText('Attempt 1 failed.');
  await crashAgain();
  const crashed = await runOver(page, 2);
  await expect(crashed.getByRole('region', { name: 'The sandbox stopped unexpectedly' })).toContainText(
    'SANDBOX/PROC_CRASH',
  );
  await send(page, 'Count');
  await expect(await runOver(page, 3)).toContainText('It is 42.');
  expect(killed).not.toContain((await patinaProcesses(app)).get('Patina sandbox'));
});
