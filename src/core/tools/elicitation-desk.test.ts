import { describe, expect, it } from 'vitest';
import type { Elicitation } from '#shared/elicitation';
import { createElicitationDesk } from './elicitation-desk';

const asked = (server: string): Elicitation => ({ server, message: 'Which?', fields: [] });
const never = new AbortController().signal;

function setUp() {
  let made = 0;
  const desk = createElicitationDesk({ next: (prefix) => `${prefix}_${(made += 1)}` });
  const clock: string[] = [];
  const watch = (server: string) =>
    desk.whileAsked(server, () => {
      clock.push(`${server} stops`);
      return () => clock.push(`${server} goes on`);
    });
  return { desk, clock, watch };
}

describe('questions of servers', () => {
  it('[MCP-elicit-clock] the clock of a call stands still while its own server waits for the user', async () => {
    const { desk, clock, watch } = setUp();
    desk.attend({ asked: () => undefined, over: () => undefined });
    watch('shop');
    watch('bank');
    const answer = desk.elicit(asked('shop'), never);
    expect(clock).toEqual(['shop stops']);
    desk.answer('eli_1', { action: 'decline' });
    expect(await answer).toEqual({ action: 'decline' });
    expect(clock).toEqual(['shop stops', 'shop goes on']);
  });

  it('[MCP-elicit-clock] it goes on when the call ends first, and is stopped for no later question', () => {
    const { desk, clock, watch } = setUp();
    desk.attend({ asked: () => undefined, over: () => undefined });
    const end = watch('shop');
    void desk.elicit(asked('shop'), never);
    end();
    void desk.elicit(asked('shop'), never);
    expect(clock).toEqual(['shop stops', 'shop goes on']);
  });

  it('[MCP-elicit-ends] the end of the app cancels what is open, each in its order', async () => {
    const { desk } = setUp();
    const over: string[] = [];
    desk.attend({ asked: () => undefined, over: (id) => over.push(id) });
    const both = [desk.elicit(asked('shop'), never), desk.elicit(asked('bank'), never)];
    expect(desk.open().map(({ id }) => id)).toEqual(['eli_1', 'eli_2']);
    desk.close();
    expect(await Promise.all(both)).toEqual([{ action: 'cancel' }, { action: 'cancel' }]);
    expect(over).toEqual(['eli_1', 'eli_2']);
  });
});
