import { afterEach, expect, it } from 'vitest';
import { turnAt } from '#shared/session-state';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { askCommand } from '../cli/commands/ask';
import type { Terminal } from '../cli/output';

let harness: MainHarness;
afterEach(() => harness.close());

it('[ASK-thinking] thinking is stored with the reply, and sent back with the calls that it led to', async () => {
  const call = { id: 'c1', name: 'agent_list_modes', arguments: {} };
  harness = await startMain({
    replies: [
      { thinking: 'THINKINGWORDS about modes', toolCalls: [call] },
      { thinking: 'and more', text: 'The answer.' },
      { text: 'Later.' },
    ],
  });
  await harness.say('hello');
  await harness.say('again');
  const state = harness.app.log.state(harness.sessionId);
  const reply = state && turnAt(state, 0)?.reply;
  expect(reply?.text).toBe('The answer.');
  expect(reply?.thinking?.text).toBe('THINKINGWORDS about modes\n\nand more');
  const [, second, third] = harness.model.chats().map(({ body }) => body.toString());
  expect(second).toContain('"reasoning_content":"THINKINGWORDS about modes"');
  expect(third).not.toContain('THINKINGWORDS');
});

it('[ASK-thinking] patina ask --json prints thinking as reasoning, and no such member without any', async () => {
  harness = await startMain({
    replies: [{ thinking: 'THINKINGWORDS', text: 'The answer.' }, { text: 'Later.' }],
  });
  const printed: string[] = [];
  const write = (piece: string) => void printed.push(piece);
  const parts = {
    interactive: false,
    json: true,
    out: write,
    log: write,
    onInterrupt: () => () => undefined,
  };
  const terminal = parts as Partial<Terminal> as Terminal;
  expect(await askCommand(harness.app, terminal, 'hello', {})).toBe(0);
  expect(await askCommand(harness.app, terminal, 'again', {})).toBe(0);
  const [first, second] = printed.map((line) => JSON.parse(line) as object);
  expect(first).toMatchObject({ text: 'The answer.', reasoning: 'THINKINGWORDS' });
  expect(second).toMatchObject({ text: 'Later.' });
  expect(second).not.toHaveProperty('reasoning');
});
