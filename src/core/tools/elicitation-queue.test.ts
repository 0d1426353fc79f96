import { describe, expect, it } from 'vitest';
import type { Elicitation } from '#shared/elicitation';
import { ok } from '#shared/result';
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

  it('are declined at once when nobody can answer, and cancelled when their call has ended', async () => {
    const { queue } = setUp();
    expect(await queue.elicit(asked('shop'), never)).toEqual({ action: 'decline' });
    const asks: string[] = [];
    queue.subscribe({ onAsked: ({ id }) => asks.push(id), over: () => undefined });
    expect(await queue.elicit(asked('shop'), AbortSignal.abort())).toEqual({ action: 'cancel' });
    expect([asks, queue.open()]).toEqual([[], []]);
  });

  it('are cancelled when their call ends, and reported to every listener', async () => {
    const { queue } = setUp();
    const [stop, seen]: [AbortController, string[]] = [new AbortController(), []];
    for (const who of ['a', 'b'])
      queue.subscribe({
        onAsked: ({ id, request }) => seen.push(`${who} ${id} ${request.server}`),
        over: (id) => seen.push(`${who} over ${id}`),
      });
    const answer = queue.elicit(asked('shop'), stop.signal);
    expect(queue.open()).toEqual([{ id: 'eli_1', request: asked('shop') }]);
    stop.abort();
    expect(await answer).toEqual({ action: 'cancel' });
    expect(seen).toEqual(['a eli_1 shop', 'b eli_1 shop', 'a over eli_1', 'b over eli_1']);
    expect(queue.open()).toEqual([]);
  });

  it('stay open until the last listener leaves', async () => {
    const { queue } = setUp();
    const listener = () => queue.subscribe({ onAsked: () => undefined, over: () => undefined });
    const [first, last] = [listener(), listener()];
    const answer = queue.elicit(asked('shop'), never);
    first();
    expect(queue.open()).toHaveLength(1);
    last();
    expect(queue.open()).toHaveLength(0);
    expect(await answer).toEqual({ action: 'cancel' });
  });

  it('[MCP-elicit-clock] stop the clock once per open question, also of several at once', () => {
    const { queue, clock, watch } = setUp();
    queue.subscribe({ onAsked: () => undefined, over: () => undefined });
    const end = watch('shop');
    void queue.elicit(asked('shop'), never);
    void queue.elicit(asked('shop'), never);
    queue.answer('eli_1', { action: 'cancel' });
    end();
    queue.answer('eli_2', { action: 'cancel' });
    expect(clock).toEqual(['shop stops', 'shop stops', 'shop goes on', 'shop goes on']);
  });

  it('are answered once, and only with an answer that fits their form', async () => {
    const { queue } = setUp();
    queue.subscribe({ onAsked: () => undefined, over: () => undefined });
    const field = {
      name: 'n',
      label: 'N',
      description: '',
      required: true,
      kind: 'number' as const,
      whole: true,
    };
    const answer = queue.elicit({ ...asked('shop'), fields: [field] }, never);
    expect(queue.answer('eli_1', { action: 'accept', content: { n: 1.5 } })).toMatchObject({
      error: {
        ...{ kind: 'HOST', code: 'INVALID_INPUT', message: 'Some fields are not right yet.' },
        problems: [{ file: 'answer', field: 'n', rule: 'form', reason: 'Type a whole number.' }],
      },
    });
    expect(queue.answer('eli_1', { action: 'accept', content: { n: 2 } })).toEqual(ok(null));
    expect(await answer).toEqual({ action: 'accept', content: { n: 2 } });
    expect(queue.answer('eli_1', { action: 'decline' })).toMatchObject({
      error: { kind: 'HOST', code: 'STATE', message: 'That question is no longer open.' },
    });
  });

  it('leave no listener on the signal of a call that goes on', async () => {
    const { queue } = setUp();
    queue.subscribe({ onAsked: () => undefined, over: () => undefined });
    const stop = new AbortController();
    const [first, second] = [queue.elicit(asked('shop'), stop.signal), queue.elicit(asked('shop'), never)];
    queue.answer('eli_1', { action: 'decline' });
    stop.abort();
    expect(await first).toEqual({ action: 'decline' });
    expect(queue.open().map(({ id }) => id)).toEqual(['eli_2']);
    queue.close();
    await second;
  });
});
