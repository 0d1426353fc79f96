import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleCommands } from '../../../testing/sample-control-plane';
import { created, sent } from '../../../testing/sample-routing';
import { openTestWindow, pretendLayout } from '../../../testing/test-window';
import { hasSlash } from '../../store/slash-lines';
import { isFinished, nameOptions, slashStage } from './slash-text';

const rows = sampleCommands.filter(hasSlash);

async function open() {
  const window = await openTestWindow({ talk: [created, sent('hello')] });
  const type = (text: string) => act(async () => void window.type(text));
  const options = () =>
    within(screen.getByRole('listbox', { name: 'Commands' }))
      .getAllByRole('option')
      .map(({ textContent }) => textContent);
  return { ...window, type, options, list: () => screen.queryByRole('listbox', { name: 'Commands' }) };
}

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

describe('a slash at the beginning of a line', () => {
  it('[WIN-slash] lists names with descriptions, and Tab continues with the items', async () => {
    const { type, press, options, field } = await open();
    await type('/');
    expect(options()).toHaveLength(rows.length);
    await type('/mo');
    expect(options()).toEqual([expect.stringContaining('Switch mode')]);
    await press('Tab');
    expect(field.value).toBe('/mode ');
    expect(options()).toEqual([expect.stringContaining('General'), expect.stringContaining('DDR authoring')]);
    expect(field.getAttribute('aria-activedescendant')).toBe(screen.getAllByRole('option')[0]?.id);
    await press('ArrowDown');
    await press('Enter');
    expect(field.value).toBe('/mode ddr_authoring');
  });

  it('[WIN-slash-bounded] lists the exact name first, and of thousands only the first hundred', () => {
    const [row] = rows;
    if (!row) throw new Error('There is no row.');
    const many = Array.from({ length: 2_000 }, (_, at) => ({
      ...row,
      commandId: `C${at}`,
      slash: `run-${String(at).padStart(4, '0')}`,
    }));
    expect(nameOptions('run', [...many, { ...row, slash: 'run' }]).map(({ name }) => name)).toHaveLength(100);
    expect(nameOptions('run', [...many, { ...row, slash: 'run' }])[0]?.name).toBe('/run');
  });

  it('[WIN-slash-best] lists the best match first, and equally good ones in the order of their toolbox', () => {
    const [row] = rows;
    if (!row) throw new Error('There is no row.');
    const named = (slash: string, displayName: string) => ({ ...row, commandId: slash, slash, displayName });
    const listed = [
      named('mode', 'Switch mode'),
      named('run-mode', 'Choose a run mode'),
      named('apply', 'Apply instructions'),
      named('moderate', 'Moderate'),
    ];
    const names = (prefix: string) => nameOptions(prefix, listed).map(({ name }) => name);
    expect(names('')).toEqual(['/mode', '/run-mode', '/apply', '/moderate']);
    expect(names('mode')).toEqual(['/mode', '/moderate', '/run-mode']);
    expect(names('switch')).toEqual(['/mode']);
    expect(names('other')).toEqual([]);
  });

  it('[WIN-slash] completes other names of a command, and accepts them as a whole name', () => {
    const [row] = rows;
    if (!row) throw new Error('There is no row.');
    const settings = {
      ...row,
      slash: 'settings',
      slashAliases: ['preferences'],
      displayName: 'Open settings',
    };
    const [option] = nameOptions('pref', [settings]);
    expect(option).toMatchObject({ name: '/preferences', note: 'Open settings' });
    expect(nameOptions('', [settings])[0]?.name).toBe('/settings');
    expect(isFinished({ stage: 'name', prefix: 'preferences' }, [settings], null)).toBe(true);
    expect(slashStage('/preferences x', [settings])).toMatchObject({ stage: 'item', rest: 'x' });
  });

  it('[WIN-slash] sends with Enter when it names a command, or an item by id, name or alias', async () => {
    const { type, press, lines } = await open();
    for (const line of ['/mode', '/mode ddr', '/template tpl-123', '/template  q1 CFO outreach']) {
      await type(line);
      await press('Enter');
    }
    expect(lines()).toEqual(['/mode', '/mode ddr', '/template tpl-123', '/template  q1 CFO outreach']);
  });

  it('[WIN-slash] closes on Escape; the text stays', async () => {
    const { type, press, list, field } = await open();
    await type('/mo');
    await press('Escape');
    expect(list()).toBeNull();
    expect(field.value).toBe('/mo');
  });

  it.each([
    '/usr/bin/env node',
    '//  a comment',
    '/^a+$/',
    'see /mode',
    '/nothing ddr',
    '/mode\nddr',
    '/ mode',
  ])('[WIN-slash] ignores ordinary text: %s', (text) => expect(slashStage(text, rows)).toBeNull());

  it('[WIN-slash] offers no items for a launcher, which opens its list', () => {
    expect(slashStage('/templates ', rows)).toBeNull();
  });
});

describe('the palette', () => {
  const palette = () => within(screen.getByRole('dialog', { name: 'Command palette' }));
  const openPalette = (app: Awaited<ReturnType<typeof open>>['app']) =>
    act(async () => app.view.set({ dialog: { kind: 'palette' } }));

  it('[WIN-palette] offers every active command and list', async () => {
    const { app } = await open();
    await openPalette(app);
    for (const { displayName } of rows) expect(palette().getAllByText(displayName).length).toBeGreaterThan(0);
    for (const name of ['Modes', 'Personas', 'Mailer lists']) expect(palette().getByText(name)).toBeTruthy();
  });

  it('[WIN-palette] opens the picker from a command and from a launcher, and the choice is a line', async () => {
    const { app, lines } = await open();
    await openPalette(app);
    await act(async () => void fireEvent.click(palette().getByText('Open email templates')));
    const field = screen.getByRole('combobox', { name: 'Search email templates' });
    await act(async () => void fireEvent.keyDown(field, { key: 'Enter' }));
    expect(lines()).toEqual(['/template TPL-123']);
  });
});
