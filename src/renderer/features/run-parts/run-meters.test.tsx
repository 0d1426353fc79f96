import { cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { appError, type AppError } from '#shared/app-error';
import type { SessionFact } from '#shared/session-event';
import { turnAt } from '#shared/session-state';
import { runFacts, sampleBudgets, sampleUsage, sessionOf } from '../../../testing/sample-session';
import { nodeRows } from './budget-rows';
import { RunMeters } from './run-meters';

afterEach(cleanup);

const run = { turn: 0, runId: 'run-0' };
const failed = (error: AppError): readonly SessionFact[] => [
  { type: 'node-ended', ...run, nodeId: 'write', status: 'failed', summary: '', cached: false, error },
  { type: 'run-ended', ...run, outcome: 'partial', answer: '', usage: sampleUsage, error },
];

function runOf(facts: readonly SessionFact[], budgets = sampleBudgets) {
  const state = turnAt(sessionOf([...runFacts(0, budgets), ...facts]), 0)?.run;
  if (!state) throw new Error('The sample has no run.');
  return state;
}

const draw = (...sample: Parameters<typeof runOf>) => {
  render(<RunMeters run={runOf(...sample)} />);
  return screen.getByLabelText('Limits of the run');
};

const callsUp = appError('BUDGET', 'TOOL_CALLS', 'No more calls.');
const few = { ...sampleBudgets, run: { ...sampleBudgets.run, tool_calls: 1 } };

describe('RunMeters', () => {
  it('[AGX-budgets-seen] shows used, allowed and remaining amounts of every budget of the run', () => {
    const shown = draw(failed(appError('TOOL', 'FAILED', 'No.')));
    for (const name of ['Steps', 'Time', 'Calls', 'Tokens'])
      expect(within(shown).getByText(name)).toBeTruthy();
    expect(shown.textContent).toContain('3 of 32 · 29 left');
    expect(shown.textContent).toContain('1 of 200 · 199 left');
    expect(shown.textContent).toContain('1,540 of 10,000 · 8,460 left');
    expect(shown.textContent).not.toContain('used up');
  });

  it('[AGX-budgets-seen] marks the budget that ended the run, in words', () => {
    const shown = draw(failed(callsUp), few);
    expect(within(shown).getByText('limit reached').closest('dd')?.previousSibling?.textContent).toBe(
      'Calls',
    );
    expect(shown.textContent).not.toContain('BUDGET/');
  });

  it('[RUN-budgets-quiet] names a budget on the card only once 70 % of it is used', () => {
    const calls = (limit: number) => ({ ...sampleBudgets, run: { ...sampleBudgets.run, tool_calls: limit } });
    const { rerender } = render(<RunMeters run={runOf([], calls(2))} onlyTight />);
    expect(screen.queryByLabelText('Limits of the run')).toBeNull();
    rerender(<RunMeters run={runOf([], calls(1))} onlyTight />);
    expect(screen.getByLabelText('Limits of the run').textContent).toMatch(/^Calls1 of 1/);
  });

  it("[AGX-budgets-seen] marks a node's own limit at the node, not at the run", () => {
    expect(draw(failed(callsUp)).textContent).not.toContain('limit reached');
    const cpu = runOf(failed(appError('BUDGET', 'CPU_LIMIT', 'Too long.')));
    const broken = cpu.nodes.flatMap((node) => nodeRows(cpu, node).filter(({ breached }) => breached));
    expect(broken).toMatchObject([{ name: 'CPU', limit: 5_000, breached: true }]);
  });

  it('draws nothing for a run whose budgets were not recorded', () => {
    const bare = turnAt(sessionOf(runFacts()), 0)?.run;
    if (bare) render(<RunMeters run={bare} />);
    expect(screen.queryByLabelText('Limits of the run')).toBeNull();
  });
});
