import type { UsageReport } from '#shared/usage-report';
import { noCost, nothingSpent, type Cost } from '#shared/spent';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { openTestWindow } from '../../../testing/test-window';

afterEach(cleanup);

/** Settings, Usage, in a month that cost this; with calls of one day, the report has them. */
async function openUsage(cost: Cost, calls = 0) {
  const spent = { ...nothingSpent, calls, inputTokens: 300 * calls };
  const day = { ...spent, key: '2026-12-01', name: '', cost, parts: [{ ...spent, model: 'lab/big', cost }] };
  const usage: UsageReport = {
    ...{ by: 'day', from: '2026-12-01', to: '2026-12-01', lines: calls === 0 ? [] : [day] },
    total: { ...spent, cost },
    month: { month: '2026-12', cost, limit: null },
  };
  const { app } = await openTestWindow({}, { usage });
  await act(async () => app.view.set({ dialog: { kind: 'settings', section: 'usage' } }));
  return (await screen.findByText(/^in December 2026/)).parentElement?.textContent;
}

it('[USE-month-unknown] a month whose calls have no known price has an unknown cost, not $0.00', async () => {
  expect(await openUsage({ usd: 0, unpriced: 2 })).toMatch(/^price unknown/);
});

it('[USE-month-unknown] known costs are summed beside calls without a price, and no calls cost nothing', async () => {
  expect(await openUsage({ usd: 1.5, unpriced: 2 })).toMatch(/^\$1\.50/);
  cleanup();
  expect(await openUsage(noCost)).toMatch(/^\$0\.00/);
});

it('[USE-plot-unknown] without a known price the plot shows tokens, and by cost it says why it is empty', async () => {
  await openUsage({ usd: 0, unpriced: 2 }, 2);
  expect(screen.getByRole('img', { name: /^600 tokens from/ })).toBeTruthy();
  expect(screen.getByText(/Set a price in the list of models/)).toBeTruthy();
  fireEvent.change(screen.getByRole('combobox', { name: 'Plot' }), { target: { value: 'cost' } });
  expect(screen.queryByRole('img')).toBeNull();
  expect(screen.getByText(/^No price is known for the models/)).toBeTruthy();
  cleanup();
  await openUsage({ usd: 1.5, unpriced: 2 }, 3);
  expect(screen.getByRole('img', { name: /^\$1\.50 from/ })).toBeTruthy();
});
