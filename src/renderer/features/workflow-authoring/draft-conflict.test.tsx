import { act, cleanup, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { click, createAuthoringWindow, write } from '../../../testing/authoring-window';
import { pretendLayout } from '../../../testing/test-window';

let rig: ReturnType<typeof createAuthoringWindow>;

beforeEach(async () => {
  window.localStorage.clear();
  pretendLayout();
  rig = createAuthoringWindow();
  await rig.draftNew();
});
afterEach(() => {
  cleanup();
  rig.desk.tree.remove();
});

/** Somebody else's change, of which the window has not heard. */
const theirs = (fields: Record<string, string>) =>
  rig.desk.user('update_workflow', { workflowId: 'review_pulls', fields });
const title = () => rig.draftOf('review_pulls')['Title'];
const field = (label: string) => rig.panel().getByLabelText<HTMLInputElement>(label);
const choice = () => rig.panel().findByRole('group', { name: 'Title: two texts' });

async function conflict() {
  const opened = await rig.open();
  await rig.choose(/Review pulls/);
  await theirs({ Title: 'Theirs' });
  await write(field('Title'), 'Mine');
  return { ...opened, group: within(await choice()) };
}

describe('[T6-10-panel-conflict] a field that two change at once', () => {
  it('shows both texts and saves neither over the other; mine, once chosen, is saved', async () => {
    const { group } = await conflict();
    expect(group.getByRole('region', { name: 'What you typed' }).textContent).toBe('Mine');
    expect(group.getByRole('region', { name: 'What the draft has now' }).textContent).toBe('Theirs');
    expect(field('Title').value).toBe('Mine');
    expect(title()).toBe('Theirs');
    expect(await rig.panel().findByText(/1 field not in the draft yet/)).toBeTruthy();
    await click(group.getByRole('button', { name: 'Keep mine' }));
    await waitFor(() => expect(title()).toBe('Mine'));
    expect(await rig.panel().findByText('Saved in the draft.')).toBeTruthy();
    expect(rig.panel().queryByRole('group', { name: 'Title: two texts' })).toBeNull();
  });

  it('takes theirs when that is chosen', async () => {
    const { group } = await conflict();
    await click(group.getByRole('button', { name: 'Take the draft’s' }));
    await waitFor(() => expect(field('Title').value).toBe('Theirs'));
    expect(title()).toBe('Theirs');
    expect(await rig.panel().findByText('Saved in the draft.')).toBeTruthy();
  });

  it('is still to be decided after the window was closed, and waits for no publishing', async () => {
    const { app } = await conflict();
    await act(async () => app.view.set({ dialog: null }));
    await act(async () => app.view.set({ dialog: { kind: 'workflows' } }));
    await rig.choose(/Theirs/);
    expect(await choice()).toBeTruthy();
    await rig.tab('Changes');
    expect(rig.panel().getByRole<HTMLButtonElement>('button', { name: /^Publish/ }).disabled).toBe(true);
    expect(rig.panel().getByText(/1 field not in the draft yet/)).toBeTruthy();
  });

  it('another field is no conflict: both changes are in the draft', async () => {
    await rig.open();
    await rig.choose(/Review pulls/);
    await theirs({ Description: 'Theirs.' });
    await write(field('Title'), 'Mine');
    await waitFor(() =>
      expect(rig.draftOf('review_pulls')).toMatchObject({ Title: 'Mine', Description: 'Theirs.' }),
    );
    expect(rig.panel().queryByRole('group', { name: /two texts/ })).toBeNull();
    expect(await rig.panel().findByText(/Changed while this was open.*: Description\./)).toBeTruthy();
  });

  it('what was typed into a draft that is discarded does not come back with the next one', async () => {
    await rig.open();
    await rig.choose(/Review a change/);
    await click(rig.panel().getByRole('button', { name: 'Edit as a new version' }));
    await waitFor(() => expect(rig.locked()).toBe(false));
    await write(field('Version'), 'two');
    expect(await rig.panel().findByText(/1 field not in the draft yet/)).toBeTruthy();
    await click(rig.panel().getByRole('button', { name: 'Discard draft' }));
    await click(rig.panel().getByRole('button', { name: 'Discard for good' }));
    await waitFor(() => expect(rig.locked()).toBe(true));
    await click(rig.panel().getByRole('button', { name: 'Edit as a new version' }));
    await waitFor(() => expect(rig.locked()).toBe(false));
    expect(field('Version').value).toBe('1.0.0');
  });
});
