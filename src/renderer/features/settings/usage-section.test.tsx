import type { UsageReport } from '#shared/usage-report';
import { noCost, nothingSpent, type Cost } from '#shared/spent';
import { act, cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { openTestWindow } from '../../../testing/test-window';

afterEach(cleanup);

/** Settings, Usage, in a month that cost this. */
async function openUsage(cost: Cost) {
  const usage: UsageReport = {
    ...{ by: 'day', from: '2026-12-01', to: '2026-12-01', lines: [] },
    total: { ...nothingSpent, cost: noCost },
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
