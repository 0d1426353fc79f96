import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPeer, toolsOf } from '../../../testing/mcp-peers/open-peers';
import type { Elicit } from '../../../core/ports/elicit';
import { createElicitationScope } from './elicitation-scope';
import { startCallClock } from './call-tool';

describe('the time limit of a call', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const start = () => {
    const over = vi.fn();
    return { over, clock: startCallClock({ quietMs: 100, totalMs: 250 }, over) };
  };

  it('[MCP-call-clock] is reached after its full time without a message', () => {
    const { over } = start();
    vi.advanceTimersByTime(99);
    expect(over).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(over).toHaveBeenCalledOnce();
  });

  it('[MCP-call-clock] restarts with each message of the server, up to a maximum', () => {
    const { over, clock } = start();
    for (let heard = 0; heard < 4; heard += 1) {
      vi.advanceTimersByTime(60);
      clock.heard();
    }
    expect(over).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10);
    expect(over).toHaveBeenCalledOnce();
  });

  it('[MCP-call-clock] pauses while the user is asked, until the last question is answered', () => {
    const { over, clock } = start();
    vi.advanceTimersByTime(90);
    const [first, second] = [clock.pause(), clock.pause()];
    vi.advanceTimersByTime(3_600_000);
    clock.heard();
    first();
    first();
    vi.advanceTimersByTime(3_600_000);
    expect(over).not.toHaveBeenCalled();
    second();
    vi.advanceTimersByTime(99);
    expect(over).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(over).toHaveBeenCalledOnce();
  });

  it('[MCP-call-clock] is never reached once the call has ended', () => {
    const { over, clock } = start();
    const answered = clock.pause();
    clock.end();
    answered();
    clock.heard();
    vi.advanceTimersByTime(1_000);
    expect(over).not.toHaveBeenCalled();
  });
});

describe('the calls of a server that waits for the user', () => {
  it('[MCP-call-clock] all pause, including those that start during the wait', async () => {
    const heard: string[] = [];
    const clockOf = (call: string) => () => {
      heard.push(`${call} waits`);
      return () => heard.push(`${call} goes on`);
    };
    let answer = (): void => undefined;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const asking = createElicitationScope(
      () => new Promise((resolve) => (answer = () => resolve({ action: 'decline' }))),
    );
    const first = asking.duringCall(clockOf('first'), () => ended);
    const asked = asking.elicit?.({} as Parameters<Elicit>[0], new AbortController().signal);
    const second = asking.duringCall(clockOf('second'), () => ended);
    expect(heard).toEqual(['first waits', 'second waits']);
    answer();
    await asked;
    expect(heard.slice(2)).toEqual(['first goes on', 'second goes on']);
    end();
    await Promise.all([first, second]);
  });
});

describe.each([
  ['stateless', 'ask'],
  ['stateful', 'trigger-elicitation-request'],
] as const)('a %s server that waits for the user', (era, tool) => {
  it('[MCP-call-clock] may exceed the limit of its calls', { timeout: 30_000 }, async () => {
    const { entry, close } = await openPeer(era, 'stdio');
    const never = new AbortController().signal;
    const wait = era === 'stateless' ? 'wait' : 'trigger-long-running-operation';
    const other = toolsOf({ other: entry }, { timeouts: { callMs: 1_000 } });
    // The outcome of a call that exceeds its limit: the user answers only after that.
    const tooLong = () => other.call(`mcp://other.${wait}`, { duration: 30, steps: 1 }, never);
    await other.list();
    let passed: Awaited<ReturnType<typeof tooLong>> | null = null;
    const tools = toolsOf(
      { peer: entry },
      {
        timeouts: { callMs: 1_000 },
        elicit: async () => {
          passed = await tooLong();
          return { action: 'decline' };
        },
      },
    );
    const result = await tools.call(`mcp://peer.${tool}`, {}, never);
    expect(passed).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } });
    expect(result.ok).toBe(true);
    await Promise.all([tools.release(), other.release()]);
    close();
  });
});
