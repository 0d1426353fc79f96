import { appError } from '#shared/app-error';
import type { Action } from '#shared/route';
import type { SessionFact } from '#shared/session-event';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { created, routed, sent } from '../../testing/sample-routing';
import { openTestWindow, pretendLayout } from '../../testing/test-window';

const pickTemplates: Action = {
  type: 'open-picker',
  commandId: 'SetActiveEmailTemplate',
  source: { catalogId: 'email_templates' },
  prefilterText: 'email templates',
  highlightId: 'TPL-124',
};

const focused: SessionFact = {
  type: 'context-changed',
  context: {
    entityType: 'email_template',
    entityHeader: { id: 'TPL-123', displayName: 'Q1 CFO Outreach' },
    relatedEntities: [
      { entityType: 'persona', header: { id: 'PERS-22', displayName: 'CFO - MidMarket' }, role: 'audience' },
    ],
  },
  cause: { commandId: 'SetActiveEmailTemplate' },
  reason: 'The user chose it.',
};

const talk = (...facts: readonly SessionFact[]) => openTestWindow({ talk: [created, ...facts] });
const bar = () => within(screen.getByRole('group', { name: 'Working on' }));
const modeChip = (name: string) => screen.getByRole('button', { name });
const dialog = () => within(screen.getByRole('dialog'));
const search = () => dialog().getByRole<HTMLInputElement>('combobox');
const click = (element: HTMLElement) => act(async () => void fireEvent.click(element));
const key = (element: HTMLElement, name: string) =>
  act(async () => void fireEvent.keyDown(element, { key: name }));

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

describe('the chips', () => {
  it('[WIN-chips] show the mode, the focus and its related entities, each once', async () => {
    await talk(sent('/template TPL-123'), focused);
    expect(modeChip('Session mode: General')).toBeTruthy();
    expect(
      bar().getByRole('button', { name: /^Working on: email template TPL-123 Q1 CFO Outreach/ }),
    ).toBeTruthy();
    expect(bar().getByRole('button', { name: /^Related persona: audience CFO - MidMarket/ })).toBeTruthy();
  });

  it('[WIN-lines] send the related persona and the ✕ as the lines that a user would type', async () => {
    const { lines } = await talk(sent('/template TPL-123'), focused);
    await click(bar().getByRole('button', { name: /^Related persona/ }));
    await click(bar().getByRole('button', { name: 'Stop working on Q1 CFO Outreach' }));
    expect(lines()).toEqual(['/persona PERS-22', '/focus TPL-123']);
  });

  it('[WIN-lines] list the modes; the choice is sent as a line, in Agent Mode also without a folder', async () => {
    const { lines, app } = await talk(sent('hello'));
    await act(async () => app.commands.setRunMode('agent'));
    await click(modeChip('Session mode: General'));
    await key(search(), 'ArrowDown');
    await key(search(), 'Enter');
    expect(lines()).toEqual(['/mode ddr_authoring']);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('[WIN-follow] request the active commands again when the mode changes', async () => {
    const { main } = await talk(sent('hello'));
    const cause = { commandId: 'SetMode' };
    const changed: SessionFact = {
      type: 'mode-changed',
      from: 'GENERAL0000',
      to: 'DDR_AUTHORING0000',
      cause,
      reason: 'The user chose it.',
    };
    await act(async () => {
      main.record('talk', [changed]);
      await main.drained();
    });
    expect(modeChip('Session mode: DDR authoring')).toBeTruthy();
  });

  it('[WIN-follow] say that the mode is unknown, and request it again when pressed', async () => {
    const { main, app } = await talk(sent('hello'));
    main.failNext('control-plane', appError('HOST', 'STATE', 'Not now.'));
    await act(async () => app.commands.readControlPlane());
    await click(modeChip('Mode unknown'));
    expect(modeChip('Session mode: General')).toBeTruthy();
  });
});

describe('a line that led to a list', () => {
  it('[WIN-picker-turn] opens its picker automatically, highlights the best item, and the choice belongs to the turn', async () => {
    const { main } = await talk(sent('hello'));
    await act(async () => {
      main.record('talk', [sent('work on email templates', 1), routed(pickTemplates, {}, 1)]);
      await main.drained();
    });
    expect(search().value).toBe('');
    const best = await waitFor(() => dialog().getByRole('option', { selected: true }));
    expect(best.textContent).toContain('Renewal reminder');
    await key(search(), 'Enter');
    expect(main.calls.at(-1)).toEqual({
      name: 'picker-choose',
      input: { sessionId: 'talk', turn: 1, id: 'TPL-124' },
    });
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText('Renewal reminder was chosen.')).toBeTruthy();
  });

  it('[WIN-picker-turn] can be sent to the model instead, from the card and from the dialog', async () => {
    const { main } = await talk(sent('work on email templates'), routed(pickTemplates));
    // Opening a session shows its card without opening a dialog.
    expect(screen.queryByRole('dialog')).toBeNull();
    const card = within(screen.getByRole('region', { name: 'Choose: Work on an email template' }));
    await click(card.getByRole('button', { name: 'Choose…' }));
    await click(dialog().getByRole('button', { name: 'Send to the model instead' }));
    expect(main.calls.at(-1)).toMatchObject({ name: 'picker-close', input: { then: 'model' } });
    expect(screen.queryByRole('region', { name: /^Choose/ })).toBeNull();
  });

  it('[WIN-picker-turn] does not say that several entries match a name that fits none', async () => {
    await talk(sent('/template zebra'), routed({ ...pickTemplates, prefilterText: 'zebra' }));
    const card = screen.getByRole('region', { name: 'Choose: Work on an email template' });
    expect(card.textContent).toContain('“zebra” does not name exactly one of the email templates.');
  });

  it('[WIN-picker-turn] does not interrupt a user who is typing', async () => {
    const { main, type } = await talk(sent('hello'));
    type('half a thought');
    await act(async () => {
      main.record('talk', [sent('work on email templates', 1), routed(pickTemplates, {}, 1)]);
      await main.drained();
    });
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});
