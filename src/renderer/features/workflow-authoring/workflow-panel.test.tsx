import { act, cleanup, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { click, createAuthoringWindow, write } from '../../../testing/authoring-window';
import { pretendLayout } from '../../../testing/test-window';

let harness: ReturnType<typeof createAuthoringWindow>;

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
  harness = createAuthoringWindow();
});
afterEach(() => {
  cleanup();
  harness.harness.tree.remove();
});

describe('the authoring panel', () => {
  it('[T6-10-panel-list] lists published workflows and drafts with status, version and visibility', async () => {
    await harness.draftNew();
    await harness.open();
    const panel = harness.panel();
    const list = await panel.findByRole('list', { name: 'Workflows' });
    const texts = within(list)
      .getAllByRole('button')
      .map(({ textContent }) => textContent);
    expect(texts).toEqual([
      'Look insidelook_insidePublished1.0.0hidden',
      'Review a changereview_changePublished1.0.0',
      'Review pullsreview_pullsDraft1.0.0',
    ]);
  });

  it('[T6-10-panel-draft] starts a draft, and shows problems at their fields', async () => {
    await harness.open();
    const panel = harness.panel();
    await click(panel.getByRole('button', { name: 'New draft' }));
    await write(panel.getByLabelText('Id'), 'Not An Id');
    await write(panel.getByLabelText('Title'), 'Tidy up');
    await click(panel.getByRole('button', { name: 'Create draft' }));
    expect(await panel.findByText(/workflowId must be 3 to 64 lowercase letters/)).toBeTruthy();
    await write(panel.getByLabelText('Id'), 'tidy_up');
    await write(panel.getByLabelText('Description'), 'Tidies.');
    await click(panel.getByRole('button', { name: 'Create draft' }));
    expect(await panel.findByRole('heading', { name: 'Tidy up' })).toBeTruthy();
    expect(harness.draftOf('tidy_up')).toMatchObject({ Title: 'Tidy up' });
  });

  it('[T6-10-panel-form] saves edits, and shows each finding at its field while it exists', async () => {
    await harness.draftNew();
    await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review pulls/);
    const field = panel.getByLabelText<HTMLTextAreaElement>('Instructions');
    await write(field, 'Call agent_ddr_manager.');
    const found = await panel.findByText(/The steps name agent_ddr_manager/, { selector: 'ul[id] li' });
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(field.getAttribute('aria-describedby')).toContain(found.parentElement?.id);
    expect(harness.draftOf('review_pulls')['InstructionText']).toBe('Call agent_ddr_manager.');
    await write(field, 'Read the difference with mcp://project.git_diff.');
    expect(await panel.findByText('Nothing is missing.')).toBeTruthy();
    expect(field.getAttribute('aria-invalid')).toBeNull();
  });

  it('[T6-10-panel-form] keeps what the draft does not accept, also when the panel is closed, and saves the rest', async () => {
    await harness.draftNew();
    const { app } = await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review pulls/);
    await write(panel.getByLabelText('Version'), 'two');
    await write(panel.getByLabelText('Title'), 'Review the pulls');
    expect(await panel.findByText(/1 field is not saved in the draft yet/)).toBeTruthy();
    await waitFor(() =>
      expect(harness.draftOf('review_pulls')).toMatchObject({ Title: 'Review the pulls', Version: '1.0.0' }),
    );
    await act(async () => app.view.set({ dialog: null }));
    await act(async () => app.view.set({ dialog: { kind: 'workflows' } }));
    const again = harness.panel();
    await harness.choose(/Review the pulls/);
    expect(again.getByLabelText<HTMLInputElement>('Version').value).toBe('two');
    await write(again.getByLabelText('Version'), '2.0.0');
    await waitFor(() => expect(harness.draftOf('review_pulls')['Version']).toBe('2.0.0'));
  });

  it('[T6-10-panel-form] edits lists of inputs, approvals and criteria as rows', async () => {
    await harness.draftNew();
    await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review pulls/);
    await click(panel.getByRole('button', { name: 'Add an input' }));
    const row = within(panel.getByRole('group', { name: 'input 1' }));
    await write(row.getByLabelText('Name'), 'branch');
    await write(row.getByLabelText('Question'), 'Which branch?');
    await write(row.getByLabelText('Type'), 'choice');
    await write(row.getByLabelText('Options'), 'main\nnext');
    await waitFor(() =>
      expect(harness.draftOf('review_pulls')['RequiredInputs']).toEqual([
        {
          name: 'branch',
          question: 'Which branch?',
          type: 'choice',
          required: true,
          validation: { options: ['main', 'next'] },
        },
      ]),
    );
    await click(panel.getByRole('button', { name: 'Remove input 1' }));
    await waitFor(() => expect(harness.draftOf('review_pulls')['RequiredInputs']).toEqual([]));
  });

  it('[T6-10-panel-form] shows a finding at the field inside a row that it is about', async () => {
    await harness.draftNew();
    await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review pulls/);
    await click(panel.getByRole('button', { name: 'Add an input' }));
    const row = within(panel.getByRole('group', { name: 'input 1' }));
    await write(row.getByLabelText('Name'), 'branch');
    await write(row.getByLabelText('Question'), 'Which branch?');
    await waitFor(() => expect(panel.queryByRole('region', { name: 'Findings' })).toBeNull());
    await write(row.getByLabelText('Name'), 'The Branch');
    const name = row.getByLabelText('Name');
    await waitFor(() => expect(name.getAttribute('aria-invalid')).toBe('true'));
    const found = row.getByText('must look like ddr_title.');
    expect(name.getAttribute('aria-describedby')).toContain(found.parentElement?.id);
    expect(row.getByLabelText('Question').getAttribute('aria-invalid')).toBeNull();
  });

  it('[T6-10-panel-form] offers the statuses of a design record as check boxes, and a check only if one is chosen', async () => {
    await harness.draftNew();
    await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review pulls/);
    const row = within(panel.getByRole('group', { name: 'criterion 1' }));
    const criteria = () => harness.draftOf('review_pulls')['CompletionCriteria'];
    const text = row.getByLabelText<HTMLInputElement>('Criterion').value;
    await write(row.getByLabelText('Checked by'), 'ddr');
    await write(row.getByLabelText('Design record'), 'WFL-001');
    await click(row.getByRole('checkbox', { name: 'Approved' }));
    const check = { kind: 'ddr', ddr: 'WFL-001', statuses: ['approved'] };
    await waitFor(() => expect(criteria()).toEqual([{ text, check }]));
    await write(row.getByLabelText('Checked by'), '');
    await waitFor(() => expect(criteria()).toEqual([{ text }]));
  });

  it('[T6-3-2-inside] shows whether a precondition requires a completed or a running workflow', async () => {
    await harness.draftNew();
    await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review pulls/);
    await click(panel.getByRole('button', { name: 'Add a precondition' }));
    const row = within(panel.getByRole('group', { name: 'precondition 1' }));
    await write(row.getByLabelText('Requires'), 'workflow');
    await write(row.getByLabelText('Workflow'), 'review_change');
    await write(row.getByLabelText('Required state'), 'active');
    await waitFor(() =>
      expect(harness.draftOf('review_pulls')['Preconditions']).toEqual([
        { kind: 'workflow', workflowId: 'review_change', state: 'active' },
      ]),
    );
  });

  it('[T6-10-4-published-untouched] shows a published version read-only until a new version is started', async () => {
    await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review a change/);
    expect(harness.locked()).toBe(true);
    await click(panel.getByRole('button', { name: 'Edit as a new version' }));
    await waitFor(() => expect(harness.locked()).toBe(false));
    await write(panel.getByLabelText('Title'), 'Review any change');
    await waitFor(() => expect(harness.draftOf('review_change')['Title']).toBe('Review any change'));
    expect(harness.publishedOf('review_change')?.definition.Title).toBe('Review a change');
  });

  it('[T6-10-panel-discard] discards a draft after a second click', async () => {
    await harness.draftNew();
    await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review pulls/);
    await click(panel.getByRole('button', { name: 'Discard draft' }));
    expect(harness.draftOf('review_pulls')).not.toEqual({});
    expect(document.activeElement?.textContent).toBe('Keep draft');
    await click(panel.getByRole('button', { name: 'Discard permanently' }));
    await waitFor(() => expect(harness.draftOf('review_pulls')).toEqual({}));
  });

  it('[T6-10-panel-elsewhere] shows changes by a model or the command line, and keeps the user’s edits', async () => {
    await harness.draftNew();
    const { main } = await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review pulls/);
    await write(panel.getByLabelText('Version'), 'two');
    await write(panel.getByLabelText('Description'), 'Mine.');
    await waitFor(() => expect(harness.draftOf('review_pulls')['Description']).toBe('Mine.'));
    expect(panel.queryByText(/Changed by a model/)).toBeNull();
    await harness.harness.user('update_workflow', {
      workflowId: 'review_pulls',
      fields: { Title: 'Theirs' },
    });
    await act(async () => main.push({ type: 'workflows-changed' }));
    expect(await panel.findByText(/Changed by a model or on the command line: Title\./)).toBeTruthy();
    expect(panel.getByLabelText<HTMLInputElement>('Title').value).toBe('Theirs');
    expect(panel.getByLabelText<HTMLInputElement>('Version').value).toBe('two');
    expect(await within(panel.getByRole('list', { name: 'Workflows' })).findByText('Theirs')).toBeTruthy();
  });

  it('[T6-8-4-bundled] begins the history with the bundled version', async () => {
    await harness.open();
    await harness.choose(/Review a change/);
    await harness.tab('Status and history');
    const versions = within(await harness.panel().findByRole('region', { name: 'Versions' }));
    expect(versions.getByText('Built in')).toBeTruthy();
    expect(versions.getByText('It came with Patina.')).toBeTruthy();
  });
});
