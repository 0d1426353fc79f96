import { appError } from '#shared/app-error';
import type { ControlPlaneView, PickerPage } from '#shared/control-plane';
import type { IpcInput } from '#shared/ipc';
import type { ResolverItem } from '#shared/resolver';
import { err, ok, type Result } from '#shared/result';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleControlPlane } from '../../../testing/sample-control-plane';
import { pickerItems } from '../../../testing/seed-rows';
import { formatDate } from '../../ui/format';
import { created, sent } from '../../../testing/sample-routing';
import { openTestWindow, pretendLayout } from '../../../testing/test-window';

type Asked = IpcInput<'picker-page'>;
type Answer = (asked: Asked) => Result<PickerPage>;

const item = (at: number, changes: Partial<ResolverItem> = {}): ResolverItem => ({
  header: { id: `T-${at}`, displayName: `Template ${at}` },
  aliases: [],
  keywords: [],
  ...changes,
});

/** A source of `total` items that serves the requested pages. */
const listOf =
  (total: number): Answer =>
  ({ offset, limit, text }) => {
    const fitting = text === '' ? total : 0;
    const items = Array.from({ length: Math.min(limit, Math.max(0, fitting - offset)) }, (_, at) =>
      item(offset + at),
    );
    return ok({ items, offset, total: fitting, status: { state: 'ready' } });
  };

/** The sample catalog, version 1.0.0, in which every command has the given picker type. */
function viewWith(pickerType: string, modeId: string | null): ControlPlaneView {
  const view = sampleControlPlane(modeId);
  return {
    ...view,
    commands: view.commands.map((row) => ({ ...row, pickerType })),
    sources: view.sources.map((row) => ({ ...row, version: '1.0.0' })),
  };
}

async function openPicker(page: Answer, pickerType = 'list') {
  const asked: Asked[] = [];
  const window = await openTestWindow(
    { talk: [created, sent('hello')] },
    {
      controlPlane: {
        view: (modeId) => viewWith(pickerType, modeId),
        page: (input) => {
          asked.push(input);
          return page(input);
        },
      },
    },
  );
  const dialog = { kind: 'picker', commandId: 'SetActiveEmailTemplate' } as const;
  await act(async () => window.app.view.set({ dialog }));
  const panel = within(screen.getByRole('dialog', { name: 'Work on an email template' }));
  const field = panel.getByRole<HTMLInputElement>('combobox');
  const key = (name: string) => act(async () => void fireEvent.keyDown(field, { key: name }));
  const type = (value: string) => act(async () => void fireEvent.change(field, { target: { value } }));
  const active = () => document.getElementById(field.getAttribute('aria-activedescendant') ?? '');
  return { ...window, asked, panel, field, key, type, active };
}

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

describe('a picker', () => {
  it('[WIN-picker-many] of 100,000 items draws one screen of them and reaches every one by keyboard', async () => {
    const { panel, key, active, asked, lines } = await openPicker(listOf(100_000));
    expect(panel.getByRole('status').textContent).toBe('100,000 items');
    expect(panel.getAllByRole('option').length).toBeLessThan(60);
    expect(active()?.getAttribute('aria-setsize')).toBe('100000');
    await key('PageDown');
    expect(active()?.textContent).toContain('Template 8');
    await key('ArrowDown');
    await key('ArrowUp');
    await key('PageUp');
    expect(active()?.textContent).toContain('Template 0');
    await key('End');
    expect(active()?.getAttribute('aria-posinset')).toBe('100000');
    await waitFor(() => expect(active()?.textContent).toContain('Template 99999'));
    expect(asked.map(({ offset }) => offset)).toContain(99_900);
    // Only pages that came into view were requested.
    expect(asked.length).toBeLessThan(6);
    await key('Enter');
    expect(lines()).toEqual(['/template T-99999']);
  });

  it('[WIN-picker-shows] shows ids, descriptions and aliases, isolated and truncated, never as markup', async () => {
    const name = `<img src=x onerror=alert(1)>\u202E${'long '.repeat(2_000)}`;
    const hostile = item(1, {
      header: { id: 'T-1', displayName: name },
      description: 'A first contact.',
      aliases: ['cfo outreach'],
    });
    const { panel } = await openPicker(() =>
      ok({ items: [hostile], offset: 0, total: 1, status: { state: 'ready' } }),
    );
    const row = panel.getByRole('option');
    expect(row.querySelector('img')).toBeNull();
    expect(row.querySelector('bdi')?.textContent.length).toBeLessThan(300);
    for (const text of ['T-1', 'A first contact.', 'cfo outreach']) expect(row.textContent).toContain(text);
  });

  it('[AGN14-3-role-hints-shown] shows for each mode its purpose and what a person does in it', async () => {
    const items = pickerItems({ description: 'For talk.', humanRoleHints: ['Asking questions.'] });
    const { panel } = await openPicker(() => ok({ items, offset: 0, total: 1, status: { state: 'ready' } }));
    expect(panel.getByRole('option').textContent).toContain('For talk. Asking questions.');
  });

  it('[AGN37-6-picker-type] shows count, version and use in its header, and follows its picker type', async () => {
    const used = item(1, {
      description: 'A first contact.',
      usageStats: { count: 3, lastUsedAt: '2026-01-02T12:00:00Z' },
    });
    const odd = item(2, { description: 'A second one.', usageStats: { count: 'many', lastUsedAt: 'once' } });
    const page: Answer = () => ok({ items: [used, odd], offset: 0, total: 2, status: { state: 'ready' } });
    const full = await openPicker(page);
    const dialog = screen.getByRole('dialog');
    await waitFor(() => expect(dialog.textContent).toContain('used'));
    expect(dialog.textContent).toContain(
      `2 items · version 1.0.0 · used 3 times · last used ${formatDate(Date.parse('2026-01-02T12:00:00Z'))}`,
    );
    expect(full.panel.getAllByRole('option')[0]?.textContent).toContain('A first contact.');
    await full.key('ArrowDown');
    expect(dialog.textContent).toContain('2 items · version 1.0.0');
    expect(dialog.textContent).not.toMatch(/used (3|many|once)/);
    cleanup();
    const compact = await openPicker(page, 'compact');
    const [row] = compact.panel.getAllByRole('option');
    expect(row?.textContent).toContain('Template 1');
    expect(row?.textContent).not.toContain('A first contact.');
  });

  it('[WIN-picker-states] says when the list is empty, and when nothing matches', async () => {
    const empty = await openPicker(listOf(0));
    expect(empty.panel.getByText('There are no email templates yet.')).toBeTruthy();
    await empty.type('rhino');
    expect(empty.panel.getByText(/Nothing matches/).textContent).toContain('rhino');
  });

  it('[WIN-picker-states] says why a source failed, and reads it again on demand', async () => {
    let broken = true;
    const { panel, asked } = await openPicker((input) =>
      broken
        ? ok({ items: [], offset: 0, total: 0, status: { state: 'failed', reason: 'No answer.' } })
        : listOf(2)(input),
    );
    expect(panel.getByText(/could not be read: No answer/)).toBeTruthy();
    broken = false;
    await act(async () => void fireEvent.click(panel.getByRole('button', { name: 'Retry' })));
    expect(asked.at(-1)?.refresh).toBe(true);
    expect(panel.getAllByRole('option')).toHaveLength(2);
  });

  it('[WIN-picker-states] marks an outdated list, and still offers it', async () => {
    const { panel } = await openPicker(() =>
      ok({ items: [item(1)], offset: 0, total: 1, status: { state: 'stale', refreshedAt: 0 } }),
    );
    expect(panel.getByText(/may be out of date/)).toBeTruthy();
    expect(panel.getByRole('button', { name: 'Refresh' })).toBeTruthy();
    expect(panel.getByRole('option').textContent).toContain('Template 1');
  });

  it('[SRC-files-cut] says what a list omits', async () => {
    const missing = 'This folder has more files than are listed here.';
    const { panel } = await openPicker((asked) => {
      const page = listOf(2)(asked);
      return page.ok ? ok({ ...page.value, missing }) : page;
    });
    expect(panel.getByRole('note').textContent).toBe(missing);
    expect(panel.getAllByRole('option')).toHaveLength(2);
  });

  it('[WIN-picker-states] says when the list could not be requested', async () => {
    const { panel } = await openPicker(() => err(appError('HOST', 'STATE', 'Still starting.')));
    expect(panel.getByText(/could not be loaded: Still starting/)).toBeTruthy();
  });

  it('[WIN-picker-newest] never chooses from the answer to an older text', async () => {
    let release = (): void => undefined;
    const window = await openTestWindow(
      { talk: [created, sent('hello')] },
      {
        controlPlane: {
          page: async (input) => {
            if (input.text !== '') await new Promise<void>((resolve) => (release = resolve));
            return listOf(3)({ ...input, text: '' });
          },
        },
      },
    );
    await act(async () =>
      window.app.view.set({ dialog: { kind: 'picker', commandId: 'SetActiveEmailTemplate' } }),
    );
    const field = screen.getByRole<HTMLInputElement>('combobox');
    await act(async () => void fireEvent.change(field, { target: { value: 'third' } }));
    await act(async () => void fireEvent.keyDown(field, { key: 'Enter' }));
    expect(window.lines()).toEqual([]);
    await act(async () => release());
    await act(async () => void fireEvent.keyDown(field, { key: 'Enter' }));
    expect(window.lines()).toEqual(['/template T-0']);
  });

  it('[WIN-picker-newest] with an early Enter chooses the only item left, unless more was typed since', async () => {
    const releases: (() => void)[] = [];
    const window = await openTestWindow(
      { talk: [created, sent('hello')] },
      {
        controlPlane: {
          page: async (input) => {
            if (input.text !== '') await new Promise<void>((resolve) => releases.push(resolve));
            return listOf(1)({ ...input, text: '' });
          },
        },
      },
    );
    await act(async () =>
      window.app.view.set({ dialog: { kind: 'picker', commandId: 'SetActiveEmailTemplate' } }),
    );
    const input = screen.getByRole<HTMLInputElement>('combobox');
    await act(async () => void fireEvent.change(input, { target: { value: 'thi' } }));
    await act(async () => void fireEvent.keyDown(input, { key: 'Enter' }));
    await act(async () => void fireEvent.change(input, { target: { value: 'third' } }));
    await act(async () => releases.forEach((release) => release()));
    await waitFor(() => expect(releases.length).toBe(2));
    await act(async () => releases.forEach((release) => release()));
    expect(window.lines()).toEqual([]);
    await act(async () => void fireEvent.change(input, { target: { value: 'third one' } }));
    await act(async () => void fireEvent.keyDown(input, { key: 'Enter' }));
    expect(window.lines()).toEqual([]);
    await act(async () => releases.forEach((release) => release()));
    await waitFor(() => expect(window.lines()).toEqual(['/template T-0']));
  });
});

it('shows the other names of an item, and not the id under which files store it', async () => {
  const aliases = ['A9E1F9C15A0C4F8D9AF51F3E8B2A6D22', 'ddr'];
  await openPicker(({ offset }) =>
    ok({ items: [item(0, { aliases })], offset, total: 1, status: { state: 'ready' } }),
  );
  const row = await screen.findByRole('option', { name: /Template 0/ });
  expect(row.textContent).toMatch(/also\s+ddr/);
  expect(row.textContent).not.toContain('A9E1');
});
