import { Settings } from '#shared/settings';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sampleControlPlane } from '../../testing/sample-control-plane';
import { created, sent } from '../../testing/sample-routing';
import { openTestWindow, pretendLayout } from '../../testing/test-window';

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

/** The window over a control plane whose lists leave out sources until `use` is called. */
async function open(unlisted: readonly string[]) {
  let left = unlisted;
  const view = (modeId: string | null) => ({ ...sampleControlPlane(modeId), unlisted: left });
  const opened = await openTestWindow({ talk: [created, sent('hello')] }, { controlPlane: { view } });
  const use = (source: string) =>
    act(async () => {
      left = left.filter((id) => id !== source);
      const settings = Settings.parse({ lastSessionId: 'talk', usedSources: [source] });
      opened.main.push({ type: 'settings-changed', settings });
      await opened.main.drained();
    });
  return { ...opened, use };
}

const palette = () => within(screen.getByRole('dialog', { name: 'Command palette' }));
const search = (text: string) =>
  act(async () => void fireEvent.change(palette().getByRole('combobox'), { target: { value: text } }));
const openPalette = ({ app }: Awaited<ReturnType<typeof open>>) =>
  act(async () => app.view.set({ dialog: { kind: 'palette' } }));

it('[LIST-palette] the palette finds what it does not list only by its own name', async () => {
  const opened = await open(['email_templates']);
  await openPalette(opened);
  expect(palette().queryByText('Open email templates')).toBeNull();
  expect(palette().queryByText('Email templates')).toBeNull();
  expect(palette().getByText('Work on a persona')).toBeTruthy();
  for (const text of ['work on', 'open', 'em', 'focus']) {
    await search(text);
    expect(palette().queryByText(/email template/i), text).toBeNull();
  }
  for (const text of ['email', 'work on an email template', '/templates']) {
    await search(text);
    expect(palette().getAllByText(/email template/i).length, text).toBeGreaterThan(0);
  }
});

it('[LIST-palette] an action of the window that shows an unlisted source is found by how its name begins', async () => {
  const opened = await open(['ddrs']);
  await openPalette(opened);
  const row = /^Design records \(DDRs\):/;
  expect(palette().queryByText(row)).toBeNull();
  await search('approve');
  expect(palette().queryByText(row)).toBeNull();
  for (const name of ['ddr', 'design rec', 'records']) {
    await search(name);
    expect(palette().getByText(row), name).toBeTruthy();
  }
});

it('[LIST-first-use] palette and slash menu list a source as soon as it was used', async () => {
  const opened = await open(['email_templates']);
  const options = () =>
    within(screen.getByRole('listbox', { name: 'Commands' }))
      .getAllByRole('option')
      .map(({ textContent }) => textContent ?? '');
  await act(async () => void opened.type('/'));
  expect(options().filter((name) => name.startsWith('/template'))).toEqual([]);
  await act(async () => void opened.type(''));

  await opened.use('email_templates');
  await act(async () => void opened.type('/'));
  expect(options().filter((name) => name.startsWith('/template'))).toHaveLength(2);
  await openPalette(opened);
  expect(palette().getByText('Open email templates')).toBeTruthy();
});

it('[LIST-slash] the whole name of an unlisted command still completes its items', async () => {
  const { type, field, press } = await open(['email_templates']);
  await act(async () => void type('/temp'));
  expect(screen.queryByRole('listbox', { name: 'Commands' })).toBeNull();
  await act(async () => void type('/template '));
  await press('Tab');
  expect(field.value).toBe('/template TPL-123');
});
