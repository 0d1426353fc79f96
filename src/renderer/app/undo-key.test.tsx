import type { SessionFact } from '#shared/session-event';
import { act, cleanup, createEvent, fireEvent } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { created, routed, sent } from '../../testing/sample-routing';
import { askFacts } from '../../testing/sample-session';
import { openTestWindow, pretendLayout } from '../../testing/test-window';

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

/** A line that switched the mode, and offers to switch it back. */
const switched = (turn: number, from: string, to: string): readonly SessionFact[] => [
  sent(`/mode ${to}`, turn),
  routed({ type: 'invoke-command', commandId: 'SetMode', resolvedId: to }, {}, turn),
  {
    type: 'command-invoked',
    turn,
    commandId: 'SetMode',
    displayName: 'Switch mode',
    item: { id: to, displayName: to },
  },
  {
    type: 'command-ended',
    turn,
    outcome: 'done',
    summary: `Mode: ${to}`,
    undo: { commandId: 'SetMode', id: from },
  },
];
const answered = (turn: number) => askFacts({ turn, reply: `Reply ${turn}.`, outcome: 'done' });

async function open(...facts: readonly SessionFact[]) {
  const opened = await openTestWindow({ talk: [created, ...facts] });
  const { app, main, field, lines } = opened;
  /** Presses the keys of Undo; returns whether the browser may act on them, too. */
  const undo = async (): Promise<boolean> => {
    const event = createEvent.keyDown(field, { key: 'z', ctrlKey: true, bubbles: true, cancelable: true });
    await act(async () => {
      fireEvent(field, event);
      await main.drained();
    });
    return !event.defaultPrevented;
  };
  const goBackTo = (turn: number) =>
    act(async () => {
      await app.commands.goBackTo(turn);
      await main.drained();
    });
  const record = (...more: readonly SessionFact[]) =>
    act(async () => {
      main.record('talk', more);
      await main.drained();
    });
  return { ...opened, undo, goBackTo, record, head: () => main.session('talk').head, lines };
}

describe('[TREE-undo] Undo in an empty composer', () => {
  it('takes back moves of the head, the newest first', async () => {
    const { app, undo, goBackTo, head } = await open(...answered(0), ...answered(1), ...answered(2));
    await goBackTo(1);
    await goBackTo(0);
    expect(await undo()).toBe(false);
    expect(head()).toBe(1);
    expect(app.view.store.getState().toasts.at(-1)?.text).toBe(
      'Back to where you were. Nothing was deleted.',
    );
    await undo();
    expect(head()).toBe(2);
    expect(await undo()).toBe(true);
    expect(head()).toBe(2);
  });

  it('leaves a move alone that was taken back otherwise, or that the conversation went on from', async () => {
    const { app, undo, goBackTo, head, record } = await open(...answered(0), ...answered(1), ...answered(2));
    await goBackTo(1);
    await act(async () => app.view.store.getState().toasts.at(-1)?.action?.run());
    expect(head()).toBe(2);
    expect(await undo()).toBe(true);
    await goBackTo(0);
    await record({ ...sent('another way', 3), parent: 0 } as SessionFact, ...answered(3).slice(1));
    expect(await undo()).toBe(true);
    expect(head()).toBe(3);
  });

  it('takes back commands and moves in the order in which they came', async () => {
    const { undo, goBackTo, head, record, lines } = await open(
      ...answered(0),
      ...switched(1, 'general', 'ddr_authoring'),
    );
    await goBackTo(0);
    await record(
      { ...sent('/mode general', 2), parent: 0 } as SessionFact,
      ...switched(2, 'ddr_authoring', 'general').slice(1),
    );
    await undo();
    expect(lines()).toEqual(['/mode ddr_authoring']);
    // The line that took it back is a command itself, and no step of its own.
    await record(...switched(3, 'general', 'ddr_authoring').slice(1));
    await undo();
    expect(head()).toBe(1);
    await undo();
    expect(lines()).toEqual(['/mode ddr_authoring', '/mode general']);
  });

  it('leaves a text to the browser, and one that was just deleted', async () => {
    const { undo, type, lines } = await open(...answered(0), ...switched(1, 'general', 'ddr_authoring'));
    type('half a line');
    expect(await undo()).toBe(true);
    type('');
    expect(await undo()).toBe(true);
    expect(lines()).toEqual([]);
    expect(await undo()).toBe(false);
    expect(lines()).toEqual(['/mode general']);
  });

  it('never takes back a write', async () => {
    const { undo, main } = await open(...answered(0));
    expect(await undo()).toBe(true);
    expect(main.calls.some(({ name }) => name === 'run-undo')).toBe(false);
  });
});
