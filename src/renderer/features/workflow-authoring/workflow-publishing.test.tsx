import type { JsonObject } from '#shared/json';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
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

describe('publishing in the panel', () => {
  it('[T6-10-panel-publish] shows the difference and the required version; the click publishes exactly that', async () => {
    await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review a change/);
    await click(panel.getByRole('button', { name: 'Edit as a new version' }));
    await waitFor(() => expect(harness.locked()).toBe(false));
    await write(panel.getByLabelText('Instructions'), 'Read it twice.');
    await waitFor(() => expect(harness.draftOf('review_change')['InstructionText']).toBe('Read it twice.'));
    await harness.tab('Changes');
    const difference = within(panel.getByRole('region', { name: 'Difference' }));
    expect(difference.getByText(/Read it twice/).parentElement?.textContent).toContain('Added: ');
    expect(difference.getByText(/Read the difference/).parentElement?.textContent).toContain('Removed: ');
    expect(await panel.findByText('2.0.0', { selector: '[aria-label=Version] *' })).toBeTruthy();
    expect(panel.queryByText(/changed while this was open/i)).toBeNull();
    await write(panel.getByLabelText('Reason for this version'), 'Once was not enough.');
    const publish = await panel.findByRole<HTMLButtonElement>('button', { name: 'Publish 2.0.0' });
    await waitFor(() => expect(publish.disabled).toBe(false));
    await click(publish);
    await waitFor(() => expect(harness.publishedOf('review_change')?.definition.Version).toBe('2.0.0'));
    const row = harness.publishedOf('review_change');
    expect(harness.harness.ddrs.get('WFL-001')?.workflows['review_change']).toBe(row?.hash);
    await harness.tab('Status and history');
    expect(panel.getByRole('region', { name: 'Versions' }).textContent).toContain(
      '2.0.0Publishedby Ada Lovelace',
    );
    expect(panel.getByRole('region', { name: 'Versions' }).textContent).toContain('Once was not enough.');
  });

  it('[T6-10-panel-publish] refuses when the shown draft has changed', async () => {
    await harness.draftNew();
    const shown = { draft: 'another', published: null };
    expect(await harness.harness.authoring.panel.publish('review_pulls', shown)).toMatchObject({
      ok: false,
      errors: [{ message: expect.stringContaining('has changed since it was shown') as string }],
    });
    expect(harness.publishedOf('review_pulls')).toBeUndefined();
  });

  it('[T6-10-panel-try] shows which sentences would start the draft, with rank, score and reason', async () => {
    await harness.draftNew();
    await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review pulls/);
    await harness.tab('Test phrases');
    await write(panel.getByLabelText('Phrases to test'), 'review the open pull request\nwhat time is it?');
    expect(await panel.findByText('1 of 2 start this workflow first.')).toBeTruthy();
    const first = within(panel.getByRole('list', { name: 'What “review the open pull request” starts' }));
    expect(first.getAllByRole('listitem')[0]?.textContent).toMatch(
      /^1review_pullsfrom the draftscore 0\.\d\dLike “Review the open/,
    );
    expect(panel.getByText(/Starts no workflow/)).toBeTruthy();
    expect(harness.publishedOf('review_pulls')).toBeUndefined();
  });

  it('[T6-10-panel-status] [T6-8-9-removal] disables by a shown version, then removes with a reason that stays in the history', async () => {
    await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review a change/);
    await harness.tab('Status and history');
    expect(panel.queryByRole('button', { name: /^Remove/ })).toBeNull();
    await click(panel.getByRole('button', { name: 'Disable' }));
    const publish = await panel.findByRole<HTMLButtonElement>('button', { name: 'Publish 2.0.0' });
    expect(harness.publishedOf('review_change')?.definition.Status).toBe('active');
    await waitFor(() => expect(publish.disabled).toBe(false));
    await click(publish);
    await waitFor(() => expect(harness.publishedOf('review_change')?.definition.Status).toBe('disabled'));
    await harness.tab('Status and history');
    await write(panel.getByLabelText('Reason for the removal'), 'Nobody used it.');
    await click(panel.getByRole('button', { name: 'Remove review_change' }));
    await waitFor(() => expect(harness.publishedOf('review_change')).toBeUndefined());
    expect(await panel.findByText('Nobody used it.')).toBeTruthy();
    expect(panel.getByRole('list', { name: 'Removed workflows' }).textContent).toContain('review_change');
  });

  it('[T6-10-panel-use] starts a published workflow in the open session', async () => {
    const { lines } = await harness.open();
    await harness.choose(/Review a change/);
    await click(harness.panel().getByRole('button', { name: 'Start' }));
    expect(lines()).toEqual(['use workflow: review_change']);
    expect(screen.queryByRole('dialog', { name: 'Workflows' })).toBeNull();
  });

  it('[T6-10-panel-use] offers no start of a draft', async () => {
    await harness.draftNew();
    await harness.open();
    await harness.choose(/Review pulls/);
    expect(harness.panel().queryByRole('button', { name: 'Start' })).toBeNull();
  });

  it('[T6-10-panel-use] copies a workflow into a draft with a new id', async () => {
    await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review a change/);
    await click(panel.getByRole('button', { name: 'Duplicate' }));
    await write(panel.getByLabelText('Id'), 'review_docs');
    await write(panel.getByLabelText('Title'), 'Review the docs');
    await click(panel.getByRole('button', { name: 'Create draft' }));
    expect(await panel.findByRole('heading', { name: 'Review the docs' })).toBeTruthy();
    expect(harness.draftOf('review_docs')).toMatchObject({
      WorkflowId: 'review_docs',
      Title: 'Review the docs',
      Version: '1.0.0',
      InstructionText: 'Read the difference.',
      PermittedTools: ['mcp://project.git_diff'],
    });
  });

  const importFile = async (name: string, content: string) => {
    const input = document.querySelector<HTMLInputElement>('input[data-import]');
    if (!input) throw new Error('There is no file field.');
    const files = [new File([content], name, { type: 'application/json' })];
    await act(async () => void fireEvent.change(input, { target: { files } }));
  };

  it('[T6-10-panel-files] saves a workflow as a file, and creates the draft of a new one from it', async () => {
    const { main } = await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review a change/);
    await click(panel.getByRole('button', { name: 'Export' }));
    const saved = main.calls.find(({ name }) => name === 'text-save')?.input as { content: string };
    expect(saved).toMatchObject({ name: 'review_change.json' });
    const fields = JSON.parse(saved.content) as JsonObject;
    expect(fields).toMatchObject({ WorkflowId: 'review_change', InstructionText: 'Read the difference.' });

    await importFile(
      'moved.json',
      JSON.stringify({ ...fields, WorkflowId: 'review_more', Version: '2.3.0' }),
    );
    expect((await panel.findByLabelText<HTMLInputElement>('Id')).value).toBe('review_more');
    await click(panel.getByRole('button', { name: 'Create draft' }));
    expect(await panel.findByRole('heading', { name: 'Review a change' })).toBeTruthy();
    expect(harness.draftOf('review_more')).toEqual({
      ...fields,
      WorkflowId: 'review_more',
      Version: '2.3.0',
    });
  });

  it('[T6-10-panel-files] a file of a published workflow becomes its next version', async () => {
    await harness.open();
    const panel = harness.panel();
    const published = harness.publishedOf('review_change')?.definition;
    await importFile('next.json', JSON.stringify({ ...published, InstructionText: 'Read it twice.' }));
    await click(await panel.findByRole('button', { name: 'Create draft' }));
    await panel.findByRole('heading', { name: 'Review a change' });
    expect(harness.draftOf('review_change')).toMatchObject({ InstructionText: 'Read it twice.' });
    expect(harness.publishedOf('review_change')?.definition).toEqual(published);
  });

  it.each([
    ['a file that is no JSON', '{ "half": ', /notes\.json is not valid JSON/],
    ['a file with something else', '[1, 2]', /notes\.json does not contain the fields/],
  ])('[T6-10-panel-files] says that %s is not a workflow', async (_what, content, said) => {
    await harness.open();
    await importFile('notes.json', content);
    expect(await screen.findByText(said)).toBeTruthy();
    expect(harness.panel().queryByRole('button', { name: 'Create draft' })).toBeNull();
  });

  it('[T6-10-panel-files] leaves no draft when its fields are not accepted', async () => {
    await harness.open();
    const panel = harness.panel();
    const fields = { WorkflowId: 'odd_one', Title: 'Odd', Description: 'Odd.', PermittedTools: 7 };
    await importFile('odd.json', JSON.stringify(fields));
    await click(await panel.findByRole('button', { name: 'Create draft' }));
    expect((await panel.findByRole('alert')).textContent).toContain('PermittedTools');
    expect(harness.draftOf('odd_one')).toEqual({});
  });

  it('[T6-10-panel-restore] drafts an earlier version again, without the fields that it lacked', async () => {
    await harness.harness.user('draft_workflow', {
      workflowId: 'review_change',
      title: 'Review it all',
      description: 'Reviews.',
    });
    const fields = { InstructionText: 'Read it twice.', Notes: 'New.', Version: '2.0.0' };
    await harness.harness.user('update_workflow', { workflowId: 'review_change', fields });
    const drafted = harness.harness.authoring.panel.view('review_change');
    const { draft, published } = drafted.ok ? drafted.value : {};
    const shown = { draft: draft?.hash ?? null, published: published?.hash ?? null };
    expect(await harness.harness.authoring.panel.publish('review_change', shown)).toMatchObject({ ok: true });

    await harness.open();
    const panel = harness.panel();
    await harness.choose(/Review it all/);
    await harness.tab('Status and history');
    expect(panel.queryByRole('button', { name: 'Use 2.0.0 again' })).toBeNull();
    await click(panel.getByRole('button', { name: 'Use 1.0.0 again' }));
    await panel.findByRole('region', { name: 'Difference' });
    const restored = harness.draftOf('review_change');
    expect(restored).toMatchObject({ Title: 'Review a change', InstructionText: 'Read the difference.' });
    expect(restored['Notes']).not.toBe('New.');
    expect(harness.publishedOf('review_change')?.definition.Version).toBe('2.0.0');
  });
});
