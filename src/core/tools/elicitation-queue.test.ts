import { describe, expect, it } from 'vitest';
import type { Elicitation } from '#shared/elicitation';
import { createElicitationQueue } from './elicitation-queue';

const asked = (server: string): Elicitation => ({ server, message: 'Which?', fields: [] });
const never = new AbortController().signal;

function setUp() {
  let made = 0;
  const queue = createElicitationQueue({ next: (prefix) => `${prefix}_${(made += 1)}` });
  const clock: string[] = [];
  const watch = (server: string) =>
    queue.watchWaiting(server, () => {
      clock.push(`${server} stops`);
      return () => clock.push(`${server} goes on`);
    });
  return { queue, clock, watch };
}

describe('questions from servers', () => {
  it('[MCP-elicit-clock] pause the clock of a call while its own server waits for the user', async () => {
    const { queue, clock, watch } = setUp();
    queue.subscribe({ onAsked: () => undefined, over: () => undefined });
    watch('shop');
    watch('bank');
    const answer = queue.elicit(asked('shop'), never);
    expect(clock).toEqual(['shop stops']);
    queue.answer('eli_1', { action: 'decline' });
    expect(await answer).toEqual({ action: 'decline' });
    expect(clock).toEqual(['shop stops', 'shop goes on']);
  });

  it('[MCP-elicit-clock] resume the clock when the call ends first, and do not stop it for later questions', () => {
    const { queue, clock, watch } = setUp();
    queue.subscribe({ onAsked: () => undefined, over: () => undefined });
    const end = watch('shop');
    void queue.elicit(asked('shop'), never);
    end();
    void queue.elicit(asked('shop'), never);
    expect(clock).toEqual(['shop stops', 'shop goes on']);
  });

  it('[MCP-elicit-ends] are all cancelled in order when the app ends', async () => {
    const { queue } = setUp();
    const over: string[] = [];
    queue.subscribe({ onAsked: () => undefined, over: (id) => over.push(id) });
    const both = [queue.elicit(asked('shop'), never), queue.elicit(asked('bank'), never)];
    expect(queue.open().map(({ id }) => id)).toEqual(['eli_1', 'eli_2']);
    queue.close();
    expect(await Promise.all(both)).toEqual([{ action: 'cancel' }, { action: 'cancel' }]);
    expect(over).toEqual(['eli_1', 'eli_2']);
  });
});
