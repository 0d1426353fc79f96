import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { askFacts } from '../../testing/sample-session';
import { created } from '../../testing/sample-routing';
import { placeSummaries } from '../store/mirror-state';
import { openTestWindow, pretendLayout } from '../../testing/test-window';

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

it('[STO-window] marks the place of unreadable events, continues after it, and repairs it', async () => {
  const facts = askFacts({ turn: 0, reply: 'An answer.', outcome: 'done' });
  const { app, main } = await openTestWindow({ talk: [created, ...facts] });
  expect(screen.queryByRole('note', { name: 'Events that could not be read' })).toBeNull();

  const gaps = [{ fromSeq: 3, toSeq: 4, turn: 0 }];
  await act(async () => app.mirror.adopt({ ...main.session('talk'), gaps }));
  const note = screen.getByRole('note', { name: 'Events that could not be read' });
  expect(note.textContent).toContain('2 stored events could not be read here (3–4).');
  // A stored gap is not a gap in the pushed events, so the window requests no snapshot.
  const asked = main.calls.filter(({ name }) => name === 'session-snapshot').length;
  await act(async () => main.addSession('talk', askFacts({ turn: 1, reply: 'More.', outcome: 'done' })));
  expect(main.calls.filter(({ name }) => name === 'session-snapshot')).toHaveLength(asked);

  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Repair from a copy' })));
  expect(main.calls).toContainEqual({ name: 'session-repair', input: { sessionId: 'talk' } });
  await waitFor(() =>
    expect(screen.queryByRole('note', { name: 'Events that could not be read' })).toBeNull(),
  );
});

it('[STO-no-repair] offers no repair when no copy contains the events', async () => {
  const facts = askFacts({ turn: 0, reply: 'An answer.', outcome: 'done' });
  const { app, main } = await openTestWindow({ talk: [created, ...facts] }, { restorable: 0 });
  const gaps = [{ fromSeq: 3, toSeq: 4, turn: 0 }];
  await act(async () => app.mirror.adopt({ ...main.session('talk'), gaps }));
  const note = screen.getByRole('note', { name: 'Events that could not be read' });
  await waitFor(() => expect(note.textContent).toContain('No daily copy contains them'));
  expect(screen.queryByRole('button', { name: 'Repair from a copy' })).toBeNull();
});

it('[STO-list-mark] marks a damaged session in the list, keeps the mark when the session changes, and removes it after a repair', async () => {
  const { app, main } = await openTestWindow({ talk: [created], other: [created] });
  const known = app.mirror.store.getState().summaries['talk']!;
  expect(screen.queryByText(/cannot be read/)).toBeNull();
  await act(async () =>
    app.mirror.store.setState((state) => placeSummaries(state, [{ ...known, damaged: 1 }]), true),
  );
  expect(screen.getAllByText('1 event cannot be read')).toHaveLength(1);
  await act(async () => main.addSession('talk', askFacts({ turn: 0, reply: 'More.', outcome: 'done' })));
  expect(screen.getByText('1 event cannot be read').closest('li')?.textContent).toContain(known.title);
  await act(async () => app.commands.repairSession('talk'));
  expect(screen.queryByText(/cannot be read/)).toBeNull();
});
