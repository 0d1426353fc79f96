import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { defaultBudgets } from '../../testing/agent-harness';
import { createManualClock } from '../../testing/manual-clock';
import { createTokenEstimate } from '../tools/model-usage';
import { createRunMeter, type MeteredCall } from './run-meter';

const call: MeteredCall = { part: 'plan', model: { providerId: 'p', model: 'm' } };
const usage = (inputTokens: number, outputTokens: number) => ({ modelTurns: 1, inputTokens, outputTokens });
const limits = { ...defaultBudgets.run, tool_calls: 3, tokens: 100 };
const busy = appError('LLM', 'RATE_LIMITED', 'Busy.');

function metered() {
  const { clock, advance } = createManualClock();
  const calls: object[] = [];
  const delays: string[] = [];
  const meter = createRunMeter({
    estimate: createTokenEstimate(),
    clock,
    onCall: (_call, spent) => calls.push(spent),
    onDelay: (_error, waitMs) => (delays.push(`wait ${waitMs}`), () => void delays.push('end')),
  });
  return { meter, advance, calls, delays };
}

describe('the meter of a run', () => {
  it('has no limit while the plan is made, and then counts all that was used', () => {
    const { meter } = metered();
    meter.countCall();
    meter.callBegan(call).ended(usage(10, 5));
    expect([meter.callsLeft(), meter.tokensLeft()]).toEqual([Infinity, Infinity]);
    meter.limit(limits);
    expect([meter.callsLeft(), meter.tokensLeft()]).toEqual([2, 85]);
    meter.limit(limits, usage(20, 30));
    expect(meter.tokensLeft()).toBe(35);
    expect(meter.usage()).toEqual(usage(10, 5));
    meter.callBegan(call).ended(usage(1, 1));
    expect(meter.usage()).toEqual({ modelTurns: 2, inputTokens: 11, outputTokens: 6 });
  });

  it('names the tokens that are used up, and what the next call needs', () => {
    const { meter } = metered();
    meter.limit(limits, usage(90, 5));
    expect(meter.outOfTokens()).toBe(false);
    expect(meter.tokenBreach()).toMatchObject({
      kind: 'BUDGET',
      code: 'TOKEN_LIMIT',
      message: 'The run has used 95 of its 100 model tokens.',
      hint: expect.stringContaining('The run may use tokens: 100.') as string,
    });
    expect(meter.tokenBreach({ needed: 7 }).message).toBe(
      'The run has used 95 of its 100 model tokens, and the input of the next model call needs about 7.',
    );
    expect(meter.outOfTokens()).toBe(true);
  });

  it('measures when a reply began and how long the model thought', () => {
    const { meter, advance, calls } = metered();
    const reply = meter.callBegan(call);
    advance(10);
    reply.replied(true);
    advance(5);
    reply.replied(true);
    advance(2.25);
    expect(reply.thoughtMs()).toBe(7);
    reply.replied(false);
    advance(100);
    expect(reply.thoughtMs()).toBe(7);
    reply.replied(true);
    advance(3);
    expect(reply.thoughtMs()).toBe(10);
    reply.ended(usage(1, 2), busy);
    expect(calls).toEqual([{ usage: usage(1, 2), ms: 120.25, firstMs: 10, failure: 'LLM/RATE_LIMITED' }]);
  });

  it('says nothing of a first piece or a failure where there was none', () => {
    const { meter, calls } = metered();
    const reply = meter.callBegan(call);
    expect(reply.thoughtMs()).toBe(0);
    reply.ended(usage(1, 2));
    expect(calls).toStrictEqual([{ usage: usage(1, 2), ms: 0 }]);
  });

  it('ends a delay with the next one, with the reply, and with the call', () => {
    const { meter, delays } = metered();
    const reply = meter.callBegan(call);
    reply.delayed(busy, 1);
    reply.delayed(busy, 2);
    expect(delays).toEqual(['wait 1', 'end', 'wait 2']);
    reply.replied(false);
    expect(delays).toHaveLength(4);
    const other = meter.callBegan(call);
    other.delayed(busy, 3);
    other.ended(usage(0, 0));
    expect(delays.slice(4)).toEqual(['wait 3', 'end']);
  });

  it('reports each attempt that the provider refused for now', () => {
    const { meter, advance, calls } = metered();
    const reply = meter.callBegan(call);
    advance(4);
    reply.delayed(busy, 30);
    advance(30);
    reply.ended(usage(1, 2));
    const failedAttempts = [{ ms: 4, failure: 'LLM/RATE_LIMITED', waitMs: 30 }];
    expect(calls).toStrictEqual([{ usage: usage(1, 2), ms: 34, failedAttempts }]);
  });

  it('needs nobody that listens', () => {
    const meter = createRunMeter();
    const reply = meter.callBegan(call);
    reply.delayed(busy, 1);
    reply.ended(usage(2, 3));
    expect(meter.usage()).toEqual(usage(2, 3));
  });
});
