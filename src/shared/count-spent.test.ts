import { describe, expect, it } from 'vitest';
import { runFacts, sampleBudgets, sampleHash, sampleUsage, sessionOf } from '../testing/sample-session';
import { workedMs } from './run-spent';
import type { SessionFact } from './session-event';
import { turnAt } from './session-state';

const run = { turn: 0, runId: 'run-0' };

/** Facts are one second apart. */
function runAfter(...facts: readonly SessionFact[]) {
  const state = turnAt(sessionOf([...runFacts(0, sampleBudgets), ...facts]), 0)?.run;
  if (!state?.spent) throw new Error('The sample counts nothing.');
  return { ...state, spent: state.spent };
}

const answered: SessionFact = {
  type: 'approval-answered',
  ...run,
  approvalId: 'approval-1',
  approved: true,
  hash: sampleHash,
};
const ended: SessionFact = { type: 'run-ended', ...run, outcome: 'done', answer: '', usage: sampleUsage };

describe('the usage of a run', () => {
  it('[AGX-budgets-seen] includes its calls and, with its end, every token', () => {
    expect(runAfter().spent).toMatchObject({ calls: 1, tokens: 0 });
    expect(runAfter(answered, ended).spent).toMatchObject({ calls: 1, tokens: 1_540 });
  });

  it('[AGX-budgets-seen] excludes the time spent waiting for a person', () => {
    const waiting = runAfter();
    const since = waiting.spent.since;
    const asked = waiting.spent.waitingSince ?? 0;
    expect(workedMs(waiting.spent, asked + 60_000)).toBe(asked - since);
    const paused: SessionFact[] = [
      answered,
      { type: 'run-paused', ...run },
      { type: 'run-continued', ...run },
      ended,
    ];
    const over = runAfter(...paused);
    // Ten facts from the run's start to its end, including a one-second wait for an approval and an equally
    // long pause.
    expect(workedMs(over.spent, over.endedAt ?? 0)).toBe((over.endedAt ?? 0) - since - 2_000);
  });

  it('[AGX-budgets-seen] starts from zero for a resumed run', () => {
    const more: SessionFact = { type: 'run-resumed', ...run, kept: [], budgets: sampleBudgets };
    const resumed = runAfter(answered, ended, more);
    expect(resumed.spent).toMatchObject({ calls: 0, tokens: 0, waitedMs: 0 });
    expect(resumed.spent.since).toBeGreaterThan(resumed.startedAt);
  });

  it('is empty for a run whose budgets were not recorded', () => {
    expect(turnAt(sessionOf(runFacts()), 0)?.run).not.toHaveProperty('spent');
  });
});
