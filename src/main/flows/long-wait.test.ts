import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { RunMode } from '#shared/run-mode';
import { turnAt } from '#shared/session-state';
import { startMain, type MainHarness, type MainHarnessOptions } from '../../testing/main-harness';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function main(options: MainHarnessOptions): Promise<MainHarness> {
  const harness = await startMain(options);
  closing.push(harness.close);
  return harness;
}

const limited = {
  fault: { type: 'status', status: 429, message: 'Slow down.', headers: { 'retry-after': '300' } },
} as const;
const modes: readonly RunMode[] = ['ask', 'agent'];
const delayed = { error: { code: 'RATE_LIMITED', retryAfterMs: 300_000 } };

it.each(modes)(
  '[LLM-long-wait] %s: the window counts down five minutes, and Stop ends it',
  async (runMode) => {
    const harness = await main({ kind: 'app', replies: [limited] });
    const waits = harness.next('reply-delayed');
    const line = await harness.send('hello', { runMode });
    await waits;
    const { reply, run } = harness.turn(line.turn);
    const { startedAt = NaN, ...shown } = { ...reply, ...run };
    expect(shown).toMatchObject({ delayed });
    expect(shown.delayed?.retryAt).toBeGreaterThanOrEqual(startedAt + 300_000);
    harness.app.conversation.stop(harness.sessionId, line.turn);
    await line.done;
    const { reply: stopped, run: cancelled } = harness.turn(line.turn);
    expect(stopped?.status ?? cancelled?.status).toBe(runMode === 'ask' ? 'stopped' : 'cancelled');
    expect(harness.model.chats()).toHaveLength(1);
  },
);

it.each(modes)(
  '[LLM-long-wait] %s: the command line ends with an error that names the wait',
  async (runMode) => {
    const harness = await main({ replies: [limited] });
    const { reply, run } = await harness.say('hello', { runMode });
    expect((reply ?? run)?.error).toMatchObject({
      code: 'RATE_LIMITED',
      hint: 'Send again in 5 minutes, or choose another model.',
    });
  },
);

it('[LLM-long-wait] closing the app during the wait loses neither the line nor the queue', async () => {
  const home = mkdtempSync(join(tmpdir(), 'patina-wait-'));
  closing.push(() => rmSync(home, { recursive: true, force: true }));
  const first = await main({ kind: 'app', at: home, replies: [limited] });
  const waits = first.next('reply-delayed');
  const line = await first.send('hello');
  await waits;
  await first.send('and then this');
  await first.app.close();
  await line.done;
  const { app } = await main({ kind: 'app', at: home });
  const opened = app.log.open(first.sessionId);
  const state = opened.ok ? opened.value.state : null;
  const turn = state && turnAt(state, 0);
  expect(turn?.reply?.status).toBe('stopped');
  expect(turn?.reply?.delayed).toBeUndefined();
  expect(state?.queue?.lines).toMatchObject([{ text: 'and then this' }]);
});
