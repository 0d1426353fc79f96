import { describe, expect, it } from 'vitest';
import { createApprovals } from './approvals';

const fact = ({ approved }: { readonly approved: boolean }) => ({
  type: 'approval-answered' as const,
  turn: 0,
  runId: 'r',
  approvalId: 'a',
  hash: 'h',
  approved,
});
const question = (recorded: boolean) => ({
  id: 'a',
  hash: () => 'h',
  record: () => recorded,
  answered: fact,
});
const answer = (approved: boolean) => ({ approvalId: 'a', hash: 'h', approved });

describe('an open approval', () => {
  it('[AGP-answer-recorded] is not acted on when its answer could not be recorded', async () => {
    const [approvals, stop] = [createApprovals(), new AbortController()];
    const asked = approvals.ask(question(false), stop.signal);
    expect(approvals.answer([answer(true)])).toBe(false);
    stop.abort();
    expect(await asked).toEqual({ type: 'withdrawn' });
  });

  it('[AGP-answer-recorded] refuses two answers at once, and then accepts one', async () => {
    const approvals = createApprovals();
    const asked = approvals.ask(question(true), new AbortController().signal);
    expect(approvals.answer([answer(true), answer(false)])).toBe(false);
    expect(approvals.answer([answer(false)])).toBe(true);
    expect(await asked).toEqual({ type: 'denied' });
  });

  it('leaves no listener behind when it is answered', async () => {
    const { signal } = new AbortController();
    const listening = new Set<unknown>();
    const watched = Object.assign(Object.create(signal) as AbortSignal, {
      addEventListener: (_type: string, listener: unknown) => void listening.add(listener),
      removeEventListener: (_type: string, listener: unknown) => void listening.delete(listener),
    });
    Object.defineProperty(watched, 'aborted', { value: false });
    const approvals = createApprovals();
    const asked = approvals.ask(question(true), watched);
    expect(listening.size).toBe(1);
    approvals.answer([answer(true)]);
    expect(await asked).toEqual({ type: 'approved' });
    expect(listening.size).toBe(0);
  });
});
