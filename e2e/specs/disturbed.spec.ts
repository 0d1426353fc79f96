import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { timesOf } from '../../src/testing/full-counts';
import { launchElectron } from '../../scripts/lib/launch-electron.mjs';
import { ask, newestSession, settled, turn } from '../fixtures/conversation';
import { test, type Ran } from '../fixtures/command-line';
import { expect } from '../fixtures/patina';
import { allProcesses, isStopped } from '../fixtures/run';
import { composer, send } from '../fixtures/window';

const rounds = timesOf(1, 20);

async function expectEqualReplay(patina: (args: readonly string[]) => Promise<Ran>, sessionId: string) {
  const replay = await patina(['--json', 'session', 'replay', sessionId]);
  expect(replay.json()).toMatchObject({ equal: true });
}

test(`[STO-three-starts] ${rounds} times three starts at once on one home: one window stays, the others leave it the home`, async ({
  launch,
  home,
  project,
  patina,
}) => {
  test.setTimeout(rounds * 90_000 + 60_000);
  const { app, page } = await launch();
  for (let round = 0; round < rounds; round += 1) {
    const starts = Array.from({ length: 3 }, () => {
      const { executablePath, args, env } = launchElectron({
        args: ['--project', project],
        env: { ...process.env, PATINA_HOME: home },
      });
      return once(spawn(executablePath, args, { env, stdio: 'ignore' }), 'exit');
    });
    const lines = Array.from({ length: 3 }, (_, n) =>
      patina(['--json', 'ask', `From outside ${round} ${n}`]),
    );
    await send(page, `In the window ${round}`);
    await settled(page, round + 1);
    expect((await Promise.all(starts)).map(([code]) => code as number)).toEqual([0, 0, 0]);
    for (const line of await Promise.all(lines)) expect(line.code).toBe(0);
  }
  expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  const sessions = await ask(page, 'session-list', { archived: false });
  expect(sessions).toHaveLength(1 + 3 * rounds);
  await app.close();
  for (const { id } of sessions) await expectEqualReplay(patina, id);
});

test(`[STO-stopped] ${rounds} times each process of the app is stopped in a reply and goes on: the reply is whole`, async ({
  startModel,
  launchOn,
  patina,
}) => {
  test.setTimeout(rounds * 120_000 + 60_000);
  const model = await startModel({
    replies: [{ match: /^Go/, text: ['first ', 'second ', 'third.'], gated: true }],
  });
  const { app, page } = await launchOn(model);
  let sent = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const pid of await allProcesses(app)) {
      sent += 1;
      await send(page, `Go ${sent}`);
      model.release(1);
      await expect(turn(page, sent)).toContainText('first');
      const written = model.written();
      process.kill(pid, 'SIGSTOP');
      await expect.poll(() => isStopped(pid)).toBe(true);
      model.release(1);
      await expect.poll(() => model.written()).toBe(written + 1);
      expect(isStopped(pid)).toBe(true);
      process.kill(pid, 'SIGCONT');
      model.release(1);
      await expect(await settled(page, sent)).toContainText('first second third.');
    }
  }
  await expect(page.getByRole('region', { name: 'Notices' })).toHaveCount(0);
  const sessionId = await newestSession(page);
  await app.close();
  await expectEqualReplay(patina, sessionId);
});

test('[STO-clock-back] a clock that is set back by a day, in a reply and between lines, changes no order and no state', async ({
  startModel,
  launchOn,
  patina,
}) => {
  const model = await startModel({
    replies: [
      { text: ['before ', 'after.'], gated: true },
      { match: /^Line/, text: 'Answered.' },
    ],
  });
  const first = await launchOn(model);
  const jump = (hours: number) =>
    first.app.evaluate((_electron, by) => {
      const real = Date.now.bind(Date);
      Date.now = () => real() + by * 3_600_000;
    }, hours);
  await send(first.page, 'The first line');
  model.release(1);
  await expect(turn(first.page, 1)).toContainText('before');
  await jump(-24);
  model.release(1);
  await expect(await settled(first.page, 1)).toContainText('before after.');
  await send(first.page, 'Line two');
  await settled(first.page, 2);
  await jump(48);
  await send(first.page, 'Line three');
  await settled(first.page, 3);
  const sessionId = await newestSession(first.page);
  await first.app.close();
  await expectEqualReplay(patina, sessionId);

  const second = await launchOn(model);
  await expect(turn(second.page, 1)).toContainText('The first line');
  await expect(turn(second.page, 2)).toContainText('Line two');
  await expect(turn(second.page, 3)).toContainText('Line three');
  await composer(second.page).waitFor();
});

test('[APP-fault] uncaught errors in main are logged and shown in one message, and the app continues', async ({
  launch,
  home,
}) => {
  const { app, page } = await launch();
  await app.evaluate(({ dialog }) => {
    const messages: string[] = [];
    Object.assign(globalThis, { messages });
    const show = dialog.showMessageBox.bind(dialog) as (...args: unknown[]) => Promise<never>;
    dialog.showMessageBox = (...args: unknown[]) => {
      messages.push((args[0] as { readonly detail: string }).detail);
      return show(...args);
    };
    for (const what of ['one', 'two'])
      process.nextTick(() => {
        throw new Error(`fault ${what}`);
      });
  });
  await send(page, 'Are you there?');
  await settled(page, 1);
  const messages = () => app.evaluate(() => (globalThis as unknown as { messages: string[] }).messages);
  await expect.poll(messages).toEqual([expect.stringContaining('Error: fault one')]);
  await app.close();
  const logs = readdirSync(join(home, 'logs')).map((name) => readFileSync(join(home, 'logs', name), 'utf8'));
  for (const what of ['one', 'two']) expect(logs.join('')).toContain(`fault ${what}`);
});
