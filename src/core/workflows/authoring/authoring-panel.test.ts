import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAuthoringHarness } from '../../../testing/authoring-harness';
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
