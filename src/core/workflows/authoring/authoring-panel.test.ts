import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { completeFields, createAuthoringHarness } from '../../../testing/authoring-harness';
import { sampleWorkflow } from '../../../testing/sample-workflows';
import { must } from '../../../testing/stored-session';

const workflowId = 'review_pr';
let harness: ReturnType<typeof createAuthoringHarness>;

beforeEach(async () => {
  harness = createAuthoringHarness();
  await harness.user('draft_workflow', { workflowId, title: 'Review', description: 'Reviews.' });
});
afterEach(() => harness.tree.remove());

const draft = () => {
  const drafts = harness.store.drafts();
  const [one] = drafts.ok ? drafts.value : [];
  return { revision: one?.hash ?? '', fields: one?.fields ?? {} };
};
const save = (revision: string, fields: Record<string, string | null>) =>
  harness.authoring.panel.save({ workflowId, revision, fields });

it('[T6-10-panel-conflict] saves into the draft that was shown, and into no other', async () => {
  const shown = draft().revision;
  expect(await save(shown, { Title: 'Mine' })).toEqual({
    ok: true,
    value: { kind: 'saved', fields: { Title: 'Mine' } },
  });
  expect(await save(shown, { Title: 'Mine again' })).toEqual({
    ok: true,
    value: { kind: 'changed-meanwhile' },
  });
  expect(draft().fields['Title']).toBe('Mine');
  expect(await save(draft().revision, { Title: 'Mine again' })).toMatchObject({ value: { kind: 'saved' } });
});

it('[T6-10-panel-conflict] names the version that a save raised, so that it is no change by somebody else', async () => {
  const published = sampleWorkflow();
  harness = createAuthoringHarness({ bundled: [published] });
  const id = { workflowId: published.WorkflowId };
  await harness.user('update_workflow', { ...id, fields: { Title: published.Title } });
  const edit = (fields: Record<string, string>) =>
    harness.authoring.panel.save({ ...id, revision: draft().revision, fields });
  expect(await edit({ Notes: 'A note.' })).toMatchObject({
    value: { fields: { Notes: 'A note.', Version: '1.0.1' } },
  });
  expect(await edit({ Notes: 'Another.' })).toEqual({
    ok: true,
    value: { kind: 'saved', fields: { Notes: 'Another.' } },
  });
});

it('[T6-10-panel-conflict] of two concurrent saves from one revision, one is written and the other is refused', async () => {
  const { revision } = draft();
  const both = await Promise.all([save(revision, { Title: 'One' }), save(revision, { Title: 'Other' })]);
  const kinds = both.map((answer) => (answer.ok ? answer.value.kind : answer.error.message));
  expect(kinds.toSorted()).toEqual(['changed-meanwhile', 'saved']);
  expect(draft().fields['Title']).toBe(kinds[0] === 'saved' ? 'One' : 'Other');
});

it('[T6-10-panel-conflict] invalid fields are refused by field; a deleted draft is not created again', async () => {
  const { revision } = draft();
  expect(await save(revision, { Title: null })).toMatchObject({
    value: { kind: 'refused', errors: [{ field: 'Title' }] },
  });
  await harness.store.removeDraft(workflowId, revision);
  expect(await save(revision, { Title: 'Mine' })).toMatchObject({ value: { kind: 'changed-meanwhile' } });
  expect(harness.store.drafts()).toMatchObject({ value: [] });
});

it('[T6-10-2-operations] a draft with an invalid file is reported with file and reason, not as unknown', async () => {
  writeFileSync(join(harness.folder, 'drafts/half_done.json'), '{');
  symlinkSync('half_done.json', join(harness.folder, 'drafts/linked_one.json'));
  const listed = await harness.user('list_authoring_workflows');
  expect(listed).toMatchObject({ ok: true, workflows: [{ workflowId }] });
  expect(listed.ok ? listed.messages : []).toEqual([
    expect.stringMatching(/half_done\.json: It is not JSON/),
    expect.stringMatching(/linked_one\.json: It is a link/),
  ]);
  const { problems } = must(harness.authoring.panel.list());
  expect(problems).toMatchObject([{ rule: 'json' }, { rule: 'link' }]);
  for (const operation of ['get_workflow', 'validate_workflow', 'publish_workflow']) {
    const answer = await harness.user(operation, { workflowId: 'half_done' });
    expect(answer).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STORAGE' } });
  }
});

const panelOf = () => harness.authoring.panel;
/** The hashes of what is on the screen now. */
const shown = (id = workflowId) => {
  const { draft: one, published } = must(panelOf().view(id));
  return { draft: one?.hash ?? null, published: published?.hash ?? null };
};
const changed = {
  ok: false,
  errors: [
    {
      field: 'workflowId',
      message: 'It has changed since it was shown. Review it again, then decide.',
    },
  ],
};
const storageError = {
  ok: false,
  error: { kind: 'HOST', code: 'STORAGE', message: 'The disk is full.', retryable: false },
} as const;

it('[T6-10-panel-discard] discards the draft that was shown, and only that', async () => {
  const before = shown();
  expect(await panelOf().discard({ workflowId, shown: { ...before, draft: 'x' } })).toEqual(changed);
  expect(await panelOf().discard({ workflowId, shown: { ...before, published: 'x' } })).toEqual(changed);
  const { removeDraft } = harness.store;
  harness.store.removeDraft = () => Promise.resolve(storageError);
  expect(await panelOf().discard({ workflowId, shown: before })).toMatchObject({ error: storageError.error });
  harness.store.removeDraft = removeDraft;
  expect(await panelOf().discard({ workflowId, shown: before })).toEqual({
    ok: true,
    messages: ['The draft was discarded.'],
  });
  expect(harness.store.drafts()).toMatchObject({ value: [] });
  expect(await panelOf().discard({ workflowId, shown: before })).toEqual({
    ok: false,
    errors: [{ field: 'workflowId', message: 'There is no draft of ‘review_pr’.' }],
  });
  expect(await panelOf().discard({ workflowId: '../x', shown: before })).toMatchObject({
    errors: [{ field: 'workflowId' }],
  });
});

it('[T6-10-panel-publish] publishes exactly what was shown, with the reason for the history', async () => {
  await harness.user('update_workflow', { workflowId, fields: completeFields });
  const before = shown();
  const other = { ...before, draft: 'x' };
  expect(await panelOf().publish(workflowId, other, 'New.')).toEqual(changed);
  expect(await panelOf().publish(workflowId, before, 'New.')).toMatchObject({ ok: true });
  expect(harness.asked).toEqual([]);
  expect(must(panelOf().view(workflowId)).history).toMatchObject([{ reason: 'New.' }]);
  await panelOf().call({ operation: 'update_workflow', workflowId, fields: { Notes: 'A note.' } });
  expect(await panelOf().publish(workflowId, shown())).toMatchObject({ ok: true });
  expect(must(panelOf().view(workflowId)).history[0]).toMatchObject({ reason: 'Version 1.0.1' });
});

it('[T6-8-9-removal] removes the disabled workflow that was shown', async () => {
  harness = createAuthoringHarness({ bundled: [sampleWorkflow({ Status: 'disabled' })] });
  const removal = { workflowId: 'create_ddr', reason: ' Old. ', shown: shown('create_ddr') };
  const other = { ...removal, shown: { draft: null, published: 'x' } };
  expect(await panelOf().remove(other)).toEqual(changed);
  expect(await panelOf().remove(removal)).toEqual({
    ok: true,
    messages: [
      '‘create_ddr’ 1.0.0 was removed. No session can start it; a session that runs it now can finish it.',
    ],
  });
  expect(must(panelOf().view('create_ddr')).history[0]).toMatchObject({ what: 'removed', reason: 'Old.' });
});

it('names the tools in order, the modes and the workflows that a definition may use', async () => {
  harness = createAuthoringHarness({ bundled: [sampleWorkflow()] });
  expect(must(await panelOf().names())).toEqual({
    tools: [
      'agent_ddr_manager',
      'agent_workflow_authoring',
      'mcp://filesystem.write_file',
      'mcp://project.git_diff',
      'request_user_approval',
    ],
    modes: ['general', 'ddr_authoring'],
    workflows: ['create_ddr'],
  });
  harness.store.published = () => storageError;
  expect(await panelOf().names()).toEqual(storageError);
});

it('[T6-10-panel-conflict] takes the draft of another process for a change, and a full disk for an error', async () => {
  const { revision } = draft();
  for (const kind of ['STATE', 'STORAGE'] as const) {
    const error = { ...storageError.error, code: kind };
    harness.store.writeDraft = () => Promise.resolve({ ok: false, error });
    expect(await save(revision, { Title: 'Mine' })).toEqual(
      kind === 'STATE' ? { ok: true, value: { kind: 'changed-meanwhile' } } : { ok: false, error },
    );
  }
  harness.store.published = () => storageError;
  expect(await save(revision, { Title: 'Mine' })).toEqual(storageError);
});

it('[T6-10-4-ask-draft] a draft that the user ended needs the user’s yes again before a model begins one', async () => {
  const words = { title: 'Review', description: 'Reviews.' };
  const begin = async (id: string) => {
    harness.asked.length = 0;
    await harness.model('update_workflow', { workflowId: id, fields: { Title: 'By a model' } });
    await harness.model('draft_workflow', { workflowId: id, ...words });
    return harness.asked.length;
  };
  harness = createAuthoringHarness({ answer: () => true });
  expect(await begin(workflowId)).toBe(1);
  expect(await begin(workflowId)).toBe(0);
  await harness.model('draft_workflow', { workflowId: 'more_pr', ...words });
  await panelOf().discard({ workflowId, shown: { draft: 'x', published: null } });
  expect(await begin(workflowId)).toBe(0);
  await panelOf().discard({ workflowId, shown: shown() });
  expect(await begin(workflowId)).toBe(1);
  expect(await begin('more_pr')).toBe(0);
  await harness.model('update_workflow', { workflowId, fields: completeFields });
  await harness.model('publish_workflow', { workflowId });
  expect(await begin(workflowId)).toBe(1);
});
