import type { SessionFact } from '#shared/session-event';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { created } from '../../testing/sample-routing';
import { askFacts } from '../../testing/sample-session';
import { openTestWindow, pretendLayout } from '../../testing/test-window';

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

const cause = { commandId: 'SetMode' };
const mode = (key: string): SessionFact => ({
  type: 'mode-changed',
  from: '',
  to: `${key.toUpperCase()}0000`,
  cause,
  reason: '',
});
const focus = (header: { id: string; displayName: string } | null): SessionFact => ({
  type: 'context-changed',
  context: header && { domain: 'mail', entityType: 'email_template', entityHeader: header },
  cause,
  reason: '',
});
const line = (turn: number) => askFacts({ turn, reply: `Reply ${turn}.`, outcome: 'done' });
const outreach = { id: 'TPL-123', displayName: 'Q1 CFO Outreach' };

const turnOf = (number: number) => within(screen.getByRole('article', { name: `Turn ${number}` }));

it('[TREE-sent-in] each line says in which mode and with which focus it was sent', async () => {
  await openTestWindow({
    talk: [created, ...line(0), mode('ddr_authoring'), focus(outreach), ...line(1), mode('general')],
  });
  expect(turnOf(1).getByTitle('Sent in: General')).toBeDefined();
  expect(turnOf(2).getByTitle('Sent in: DDR authoring · Q1 CFO Outreach').textContent).toBe(
    'DDR authoring · Q1 CFO Outreach',
  );
});

it('[TREE-sent-in] no line says so in a session that has only had the default mode', async () => {
  await openTestWindow({ talk: [created, ...line(0)] });
  expect(screen.queryByTitle(/^Sent in/u)).toBeNull();
});

it('[TREE-place] going back offers the commands that restore the mode and the focus, and sends them in order', async () => {
  const { app, main, lines } = await openTestWindow({
    talk: [
      created,
      ...line(0),
      mode('general'),
      focus(outreach),
      ...line(1),
      ...line(2),
      mode('ddr_authoring'),
      focus(null),
      ...line(3),
    ],
  });
  const restore = () => screen.queryByRole('button', { name: 'Restore' });
  expect(restore()).toBeNull();
  await act(async () => {
    await app.commands.goBackTo(1);
    await main.drained();
  });
  expect(
    screen.getByText('Here, the session was in: mode General, working on Q1 CFO Outreach'),
  ).toBeDefined();
  await act(async () => {
    fireEvent.click(restore() ?? document.body);
    await expect.poll(() => lines().length).toBe(2);
    await main.drained();
  });
  expect(lines()).toEqual(['/mode general', '/template TPL-123']);
});
