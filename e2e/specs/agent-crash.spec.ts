import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type ElectronApplication, type Page } from '@playwright/test';
import { planOf, scriptNode } from '../fixtures/command-line';
import { turn } from '../fixtures/conversation';
import { allProcesses, isAlive, patinaProcesses, planReply, runCard, runOver } from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { send, switchMode } from '../fixtures/window';

const write =
  "await tools.filesystem.write_file({ path: 'new.txt', content: 'new' }); return { summary: 'written' };";
const writing = planOf([scriptNode('write', write, ['mcp://filesystem.write_file'])], 'Written.');

/**
 * Approves the first turn's write while its server is suspended, and returns the server's process id: the server
 * accepts the call and does nothing, so the write is announced, in progress, and has no outcome.
 */
async function startHeldWrite(app: ElectronApplication, page: Page): Promise<number> {
  const approve = turn(page, 1).getByRole('button', { name: 'Approve' });
  await approve.waitFor();
  const server = (await patinaProcesses(app)).get('Patina filesystem server') ?? 0;
  process.kill(server, 'SIGSTOP');
  await approve.click();
  await expect(runCard(page, 1)).not.toContainText('Needs you');
  await expect(runCard(page, 1)).toContainText('Running');
  return server;
}

/** How many runs the trace file says were interrupted. */
function interruptedRuns(home: string): number {
  const file = join(home, 'traces/runs.jsonl');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.filter((line) => line.includes('"patina.run.outcome":"interrupted"')).length;
}

test('[H60] a server killed during a write: the error is typed, and no process outlives the app', async ({
  startModel,
  launchOn,
  project,
}) => {
  const model = await startModel({ replies: [planReply('Write it', writing)] });
  const { app, page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Write it');
  const server = await startHeldWrite(app, page);
  process.kill(server, 'SIGKILL');
  const failed = await runOver(page, 1);
  await expect(failed.getByRole('region', { name: 'Outcome unknown' })).toContainText('TOOL/UNAVAILABLE');
  expect(existsSync(join(project, 'new.txt'))).toBe(false);
  const pids = await allProcesses(app);
  expect(pids.length).toBeGreaterThan(2);
  await app.close();
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

test('[H58] [TEL-interrupted] kill -9 during a write: the run is interrupted, the write unknown and not repeated', async ({
  startModel,
  launchOn,
  project,
  home,
}) => {
  const model = await startModel({ replies: [planReply('Write it', writing)] });
  const first = await launchOn(model);
  await switchMode(first.page, 'Agent Mode');
  await send(first.page, 'Write it');
  const server = await startHeldWrite(first.app, first.page);
  const gone = once(first.app.process(), 'exit');
  // The app first: if it learned that its server is gone, the outcome of the write would be known.
  first.app.process().kill('SIGKILL');
  await gone;
  process.kill(server, 'SIGKILL');

  const second = await launchOn(model);
  const interrupted = turn(second.page, 1);
  await expect(interrupted).toContainText('Interrupted: Patina was closed during this run');
  await expect(interrupted).toContainText(
    'The outcome of this write is unknown, so Patina does not repeat it.',
  );
  await expect(interrupted).toContainText('"path": "new.txt"');
  expect([...(await patinaProcesses(second.app)).keys()]).toEqual([]);
  expect(existsSync(join(project, 'new.txt'))).toBe(false);
  expect(model.chats()).toHaveLength(1);

  await expect.poll(() => interruptedRuns(home)).toBe(1);
  await second.app.close();
  const third = await launchOn(model);
  await expect(turn(third.page, 1)).toContainText('Interrupted: Patina was closed during this run');
  expect(interruptedRuns(home)).toBe(1);
});
