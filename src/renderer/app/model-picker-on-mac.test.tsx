import { act, cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { openTestWindow } from '../../testing/test-window';

// The keys are named when their module is loaded.
vi.hoisted(() => Object.defineProperty(navigator, 'platform', { value: 'MacIntel', configurable: true }));
afterEach(cleanup);

it('[MDL-picker-keys] names the shortcuts of this computer under the list of models', async () => {
  const { app } = await openTestWindow({}, {});
  await act(async () => app.view.set({ modelPickerOpen: true }));
  expect(screen.getByText(/marks a favourite/).textContent).toBe(
    '⌘ D marks a favourite, ⌘ E edits what is known of a model.',
  );
});
