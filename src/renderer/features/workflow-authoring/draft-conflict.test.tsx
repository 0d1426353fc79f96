import { act, cleanup, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { click, createAuthoringWindow, write } from '../../../testing/authoring-window';
import { pretendLayout } from '../../../testing/test-window';

let harness: ReturnType<typeof createAuthoringWindow>;

beforeEach(async () => {
  window.localStorage.clear();
  pretendLayout();
  harness = createAuthoringWindow();
  await harness.draftNew();
});
afterEach(() => {
  cleanup();
  harness.harness.tree.remove();
});

/** A remote change that the window has not received. */
const theirs = (fields: Record<string, string>) =>
  harness.harness.user('update_workflow', { workflowId: 'review_pulls', fields });
const title = () => harness.draftOf('review_pulls')['Title'];
const field = (label: string) => harness.panel().getByLabelText<HTMLInputElement>(label);
const choice = () => harness.panel().findByRole('group', { name: 'Title: conflicting edits' });

async function conflict() {
  const opened = await harness.open();
  await harness.choose(/Review pulls/);
  await theirs({ Title: 'Theirs' });
  await write(field('Title'), 'Mine');
  return { ...opened, group: within(await choice()) };
}

describe('[T6-10-panel-conflict] a field that two people change at the same time', () => {
  it('shows both texts and overwrites neither; mine is saved once chosen', async () => {
    const { group } = await conflict();
    expect(group.getByRole('region', { name: 'Your version' }).textContent).toBe('Mine');
    expect(group.getByRole('region', { name: 'The version in the draft' }).textContent).toBe('Theirs');
    expect(field('Title').value).toBe('Mine');
    expect(title()).toBe('Theirs');
    expect(await harness.panel().findByText(/1 field is not saved in the draft yet/)).toBeTruthy();
    await click(group.getByRole('button', { name: 'Keep mine' }));
    await waitFor(() => expect(title()).toBe('Mine'));
    expect(await harness.panel().findByText('Saved in the draft.')).toBeTruthy();
    expect(harness.panel().queryByRole('group', { name: 'Title: conflicting edits' })).toBeNull();
  });

  it('takes theirs when that is chosen', async () => {
    const { group } = await conflict();
    await click(group.getByRole('button', { name: 'Use the draft’s' }));
    await waitFor(() => expect(field('Title').value).toBe('Theirs'));
    expect(title()).toBe('Theirs');
    expect(await harness.panel().findByText('Saved in the draft.')).toBeTruthy();
  });

  it('still needs a decision after the window was closed, and blocks no publishing', async () => {
    const { app } = await conflict();
    await act(async () => app.view.set({ dialog: null }));
    await act(async () => app.view.set({ dialog: { kind: 'workflows' } }));
    await harness.choose(/Theirs/);
    expect(await choice()).toBeTruthy();
    await harness.tab('Changes');
    expect(harness.panel().getByRole<HTMLButtonElement>('button', { name: /^Publish/ }).disabled).toBe(true);
    expect(harness.panel().getByText(/1 field is not saved in the draft yet/)).toBeTruthy();
  });

  it('does not conflict with another field: both changes are in the draft', async () => {
    await harness.open();
    await harness.choose(/Review pulls/);
    await theirs({ Description: 'Theirs.' });
    await write(field('Title'), 'Mine');
    await waitFor(() =>
      expect(harness.draftOf('review_pulls')).toMatchObject({ Title: 'Mine', Description: 'Theirs.' }),
    );
    expect(harness.panel().queryByRole('group', { name: /conflicting edits/ })).toBeNull();
    expect(
      await harness.panel().findByText(/Changed by a model or on the command line: Description\./),
    ).toBeTruthy();
  });

  it('does not conflict with the version that a slow save of another field raised', async () => {
    const { panel } = harness.harness.authoring;
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await harness.open({
      ...panel,
      save: async (edit) => {
        const saved = await panel.save(edit);
        await held;
        return saved;
      },
    });
    await harness.choose(/Review a change/);
    await click(harness.panel().getByRole('button', { name: 'Edit as a new version' }));
    await waitFor(() => expect(harness.locked()).toBe(false));
    await write(harness.panel().getByLabelText(/^Notes/), 'A note.');
    await waitFor(() => expect(harness.draftOf('review_change')['Version']).toBe('1.0.1'));
    await write(field('Version'), '9.0.0');
    await act(async () => answer());
    await waitFor(() => expect(harness.draftOf('review_change')['Version']).toBe('9.0.0'));
    expect(harness.panel().queryByRole('group', { name: /conflicting edits/ })).toBeNull();
  });

  it('does not return in the next draft after the draft was discarded', async () => {
    await harness.open();
    await harness.choose(/Review a change/);
    await click(harness.panel().getByRole('button', { name: 'Edit as a new version' }));
    await waitFor(() => expect(harness.locked()).toBe(false));
    await write(field('Version'), 'two');
    expect(await harness.panel().findByText(/1 field is not saved in the draft yet/)).toBeTruthy();
    await click(harness.panel().getByRole('button', { name: 'Discard draft' }));
    await click(harness.panel().getByRole('button', { name: 'Discard permanently' }));
    await waitFor(() => expect(harness.locked()).toBe(true));
    await click(harness.panel().getByRole('button', { name: 'Edit as a new version' }));
    await waitFor(() => expect(harness.locked()).toBe(false));
    expect(field('Version').value).toBe('1.0.0');
  });
});
