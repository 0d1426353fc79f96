import { ok } from '#shared/result';
import type { ImportReport } from '#shared/session-file';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { openTestWindow } from '../../../testing/test-window';

afterEach(cleanup);

const preview: ImportReport = { source: 'chatgpt', sessions: 2, turns: 3, present: 0, skipped: [] };

it('[IMPORT-long] a long import says that it goes on, offers no Cancel, and reports its end after the settings closed', async () => {
  let finish = (): void => undefined;
  const ended = new Promise<void>((resolve) => (finish = resolve));
  const { app } = await openTestWindow(
    {},
    {
      handlers: {
        'pack-list': () => ok({ packs: [], removed: [] }),
        'chats-choose': () => ok({ file: 'export.zip', preview }),
        'chats-import': () => ended.then(() => ok(preview)),
      },
    },
  );
  await act(async () => app.view.set({ dialog: { kind: 'settings', section: 'data' } }));
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Choose a file…' })));
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeTruthy();
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Import 2 sessions' })));
  expect(screen.getByRole('button', { name: 'Importing…' })).toHaveProperty('disabled', true);
  expect(screen.queryByRole('button', { name: 'Cancel' })).toBeNull();
  await act(async () => app.view.set({ dialog: null }));
  await act(async () => finish());
  expect(await screen.findByText('Imported 2 sessions with 3 turns.')).toBeTruthy();
});

/** The page of the settings with a chosen file, whose button had the focus. */
async function openPreview(found: ImportReport) {
  const { app } = await openTestWindow(
    {},
    {
      handlers: {
        'pack-list': () => ok({ packs: [], removed: [] }),
        'chats-choose': () => ok({ file: 'export.zip', preview: found }),
        'chats-import': () => ok(found),
      },
    },
  );
  await act(async () => app.view.set({ dialog: { kind: 'settings', section: 'data' } }));
  const press = async (name: string) => {
    const button = await screen.findByRole('button', { name });
    await act(async () => button.focus());
    await act(async () => void fireEvent.click(button));
  };
  await press('Choose a file…');
  return press;
}

it.each(['Cancel', 'Import 2 sessions'])(
  '[SET-focus-back] the button that chose a file of conversations has the focus again after “%s”',
  async (end) => {
    const press = await openPreview(preview);
    expect(document.activeElement).toBe(screen.getByRole('group', { name: 'Conversations in the file' }));
    await press(end);
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Choose a file…' })),
    );
  },
);

it('[IMPORT-window] names what an import leaves out', async () => {
  await openPreview({ ...preview, skipped: [{ what: 'tool call', count: 1_200 }] });
  expect(screen.getByText('Tool calls: 1,200')).toBeTruthy();
});
