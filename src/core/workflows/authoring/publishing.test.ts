import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { WorkflowDefinition } from '#shared/workflow';
import {
  completeFields,
  createAuthoringHarness,
  type AuthoringHarnessOptions,
} from '../../../testing/authoring-harness';
import { sampleWorkflow } from '../../../testing/sample-workflows';
import { canonicalHash } from '../../tools/canonical-hash';

let harness: ReturnType<typeof createAuthoringHarness>;
afterEach(() => harness.tree.remove());

const workflowId = 'review_pr';
const words = { workflowId, title: 'Review a pull request', description: 'Reads it and reports.' };
const published = sampleWorkflow();
const start = (options: AuthoringHarnessOptions = {}) => (harness = createAuthoringHarness(options));

async function drafted(fields: object = completeFields): Promise<void> {
  await harness.user('draft_workflow', words);
  const answer = await harness.user('update_workflow', { workflowId, fields: { ...fields } });
  if (!answer.ok) throw new Error(JSON.stringify(answer.errors));
}

describe('publishing', () => {
  it('[T6-10-2-publish] [T6-8-2-approval] moves a valid draft into the registry and its hash into the record', async () => {
    start();
    await drafted();
    expect(await harness.user('publish_workflow', { workflowId })).toMatchObject({ ok: true });
    const rows = harness.store.published();
    const row = rows.ok ? rows.value.rows[0] : undefined;
    expect(row).toMatchObject({ definition: { WorkflowId: workflowId }, layer: { kind: 'home' } });
    expect(harness.ddrs.get('WFL-001')?.workflows).toEqual({ [workflowId]: row?.hash });
    expect(row?.hash).toBe(canonicalHash(WorkflowDefinition.parse(row?.definition)));
    expect(harness.store.drafts()).toEqual({ ok: true, value: [] });
    expect(harness.store.history(workflowId)).toMatchObject({
      value: [{ what: 'published', decision: { by: 'Ada Lovelace', ddr: 'WFL-001' } }],
    });
  });

  it('[T6-10-2-publish] refuses an invalid draft and names its fields', async () => {
    start();
    await harness.user('draft_workflow', words);
    const answer = await harness.user('publish_workflow', { workflowId });
    const fields = answer.ok ? [] : answer.errors.map(({ field }) => field);
    expect(fields).toEqual(['UserIntentPatterns', 'InstructionText', 'CompletionCriteria', 'Ddr']);
    expect(answer).toMatchObject({
      errors: expect.arrayContaining([
        { field: 'InstructionText', message: 'InstructionText is missing.' },
      ]) as unknown[],
    });
  });

  it('[T6-8-2-approval] needs an approved and unchanged design record', async () => {
    start();
    await drafted({ ...completeFields, Ddr: 'WFL-002' });
    const refusal = { ok: false, errors: [{ field: 'Ddr' }] };
    expect(await harness.user('publish_workflow', { workflowId })).toMatchObject(refusal);
    const record = harness.ddrs.get('WFL-002')!;
    harness.ddrs.set('WFL-002', { ...record, status: 'approved', changedSinceApproval: true });
    expect(await harness.user('publish_workflow', { workflowId })).toMatchObject(refusal);
    harness.ddrs.set('WFL-002', { ...record, status: 'approved' });
    expect(await harness.user('publish_workflow', { workflowId })).toMatchObject({ ok: true });
  });

  it('[T6-8-4-step] refuses too small a version step and names the fields; then keeps both versions', async () => {
    start({ bundled: [published] });
    const id = { workflowId: 'create_ddr' };
    const change = (fields: object) => harness.user('update_workflow', { ...id, fields: { ...fields } });
    await change({ InstructionText: '1. Something else.', Title: 'Another', Version: '1.0.1' });
    expect(await harness.user('publish_workflow', id)).toMatchObject({
      ok: false,
      errors: [
        { field: 'Version', message: 'Version must be 2.0.0 or later; 1.0.0 is published.' },
        { field: 'InstructionText', message: 'This change requires a major version: the steps changed.' },
      ],
    });
    await change({ Version: '2.0.0' });
    expect(await harness.user('publish_workflow', id)).toMatchObject({ ok: true });
    await change({ Title: 'A third', Version: '2.0.1' });
    expect(await harness.user('publish_workflow', id)).toMatchObject({ ok: true });
    const history = harness.store.history('create_ddr');
    const versions = history.ok ? history.value.map(({ definition }) => definition.Version) : [];
    expect(versions).toEqual(['1.0.0', '2.0.0', '2.0.1']);
    const first = canonicalHash(published);
    expect(harness.store.definition(first)).toMatchObject({ value: { Version: '1.0.0' } });
  });

  it('[T6-8-4-filled] raises the version as required, and adds the reason to the history', async () => {
    start({ bundled: [published] });
    const id = { workflowId: 'create_ddr' };
    const change = (fields: object) => harness.user('update_workflow', { ...id, fields: { ...fields } });
    expect(await change({ Title: 'Another' })).toMatchObject({
      workflow: { Version: '1.0.1' },
      messages: expect.arrayContaining(['Its version is now 1.0.1, as the change requires.']) as unknown,
    });
    expect(await change({ InstructionText: '1. Something else.' })).toMatchObject({
      workflow: { Version: '2.0.0' },
    });
    expect(await change({ Notes: 'A note.' })).toMatchObject({ workflow: { Version: '2.0.0' } });
    const reason = 'The steps were wrong.';
    expect(await harness.user('publish_workflow', { ...id, reason })).toMatchObject({ ok: true });
    expect(await change({ Notes: 'Another.' })).toMatchObject({ workflow: { Version: '2.0.1' } });
    expect(await harness.user('publish_workflow', id)).toMatchObject({ ok: true });
    const history = harness.store.history('create_ddr');
    const reasons = history.ok ? history.value.map(({ decision }) => decision.reason) : [];
    expect(reasons.slice(1)).toEqual([reason, 'Version 2.0.1']);
  });

  it('[T6-6-6-advice] tells the author during validation which criteria prove little', async () => {
    start();
    const CompletionCriteria = [
      { text: 'It is read', check: { kind: 'tool-called', tool: 'mcp://project.git_diff' } },
      { text: 'It is there', check: { kind: 'file', path: 'notes.md' } },
      { text: 'The user agrees' },
    ];
    await drafted({ ...completeFields, CompletionCriteria });
    const answer = await harness.user('validate_workflow', { workflowId });
    const advice = answer.ok ? (answer.messages ?? []).filter((one) => one.startsWith('Consider: ')) : [];
    expect(advice).toEqual([
      'Consider: “It is read” is met by any successful call of mcp://project.git_diff; name the arguments that matter.',
      'Consider: “It is there”: if the file exists and has not changed since the start, the user has to confirm it.',
    ]);
  });

  it('[T6-10-4-publish-asks] asks the user each time with the difference; without a yes nothing is published', async () => {
    let yes = false;
    start({ answer: () => yes });
    await drafted();
    expect(await harness.model('publish_workflow', { workflowId })).toMatchObject({ ok: false });
    expect(harness.ddrs.get('WFL-001')?.workflows).toEqual({});
    expect(harness.store.published()).toMatchObject({ value: { rows: [] } });
    yes = true;
    expect(await harness.model('publish_workflow', { workflowId })).toMatchObject({ ok: true });
    expect(harness.asked.map(({ text }) => text)).toEqual(
      Array(2).fill(`Publish ‘${workflowId}’ 1.0.0? Your yes approves exactly this definition in WFL-001.`),
    );
    expect(harness.asked[0]?.detail).toContain('+   1. Read the difference');
  });

  it('[T6-10-4-publish-asks] does not publish a draft that changed while the question was open', async () => {
    start({
      answer: async () => {
        await harness.user('update_workflow', {
          workflowId,
          fields: { InstructionText: 'Delete everything.' },
        });
        return true;
      },
    });
    await drafted();
    expect(await harness.model('publish_workflow', { workflowId })).toMatchObject({
      ok: false,
      errors: [{ field: 'workflowId', message: 'The draft changed in the meantime. Review it again.' }],
    });
    expect(harness.store.published()).toMatchObject({ value: { rows: [] } });
  });

  it('[T6-8-8-settle] lets a person resolve drift by publishing the current definition', async () => {
    start({ bundled: [published] });
    const record = harness.ddrs.get('WFL-001')!;
    harness.ddrs.set('WFL-001', { ...record, workflows: { create_ddr: 'f'.repeat(64) } });
    expect(await harness.user('publish_workflow', { workflowId: 'create_ddr' })).toMatchObject({ ok: true });
    expect(harness.ddrs.get('WFL-001')?.workflows).toEqual({ create_ddr: canonicalHash(published) });
  });

  it('[T6-8-7-store] leaves the record unchanged when a write fails, and says why', async () => {
    start({ files: { workflows: 'a file stands where the folder would' } });
    expect(await harness.user('draft_workflow', words)).toMatchObject({
      ok: false,
      error: { kind: 'HOST', code: 'STORAGE' },
    });
    expect(readFileSync(path.join(harness.tree.root, 'workflows'), 'utf8')).toContain('a file');
  });

  const storage = { ok: false, error: appError('HOST', 'STORAGE', 'The disk is full.') } as const;
  const refusal = { ok: false, errors: [{ field: '', message: 'The disk is full.' }], error: storage.error };

  it('[T6-8-7-store] restores the hash in the record when the definition cannot be stored', async () => {
    const recorded: (string | null)[] = [];
    start({ bundled: [published], onRecord: (hash) => void recorded.push(hash) });
    const id = { workflowId: 'create_ddr' };
    await harness.user('update_workflow', { ...id, fields: { Notes: 'A note.' } });
    const before = harness.ddrs.get('WFL-001')?.workflows;
    harness.store.publish = () => Promise.resolve(storage);
    expect(await harness.user('publish_workflow', id)).toEqual(refusal);
    expect(harness.ddrs.get('WFL-001')?.workflows).toEqual(before);
    expect(recorded).toEqual([expect.not.stringMatching(canonicalHash(published)), canonicalHash(published)]);
    expect(harness.store.drafts()).toMatchObject({ value: [{ workflowId: 'create_ddr' }] });
  });

  it('[T6-8-7-store] stores nothing when the record cannot be written', async () => {
    start({ bundled: [published], onRecord: () => storage });
    const id = { workflowId: 'create_ddr' };
    await harness.user('update_workflow', { ...id, fields: { Notes: 'A note.' } });
    expect(await harness.user('publish_workflow', id)).toEqual(refusal);
    expect(harness.store.published()).toMatchObject({ value: { rows: [{ definition: published }] } });
  });

  it('[T6-8-2-approval] says what is wrong with the design record', async () => {
    start();
    const messages = async (Ddr: string) => {
      await harness.user('update_workflow', { workflowId, fields: { Ddr } });
      const answer = await harness.user('publish_workflow', { workflowId });
      return answer.ok ? [] : answer.errors.map(({ message }) => message);
    };
    await drafted();
    expect(await messages('WFL-002')).toEqual(['WFL-002 is not approved. Have it approved first.']);
    const record = harness.ddrs.get('WFL-002')!;
    harness.ddrs.set('WFL-002', { ...record, status: 'approved', changedSinceApproval: true });
    expect(await messages('WFL-002')).toEqual([
      'WFL-002 was changed after its approval. Approve it again first.',
    ]);
    expect(await messages('WFL-009')).toEqual(['There is no design record WFL-009. Create it first.']);
  });

  it('[T6-8-4-step] refuses a draft without changes, and one of an earlier published version', async () => {
    start({ bundled: [published] });
    const id = { workflowId: 'create_ddr' };
    const refused = (field: string, message: string) => ({ ok: false, errors: [{ field, message }] });
    await harness.user('update_workflow', { ...id, fields: { Title: published.Title } });
    expect(await harness.user('publish_workflow', id)).toEqual(
      refused('', 'There are no changes since the published version 1.0.0.'),
    );
    const draft = harness.store.draft('create_ddr');
    if (!draft.ok || !draft.value) throw new Error('There is no draft.');
    await harness.store.writeDraft({ ...draft.value, basedOn: null }, draft.value.hash);
    expect(await harness.user('publish_workflow', id)).toEqual(
      refused(
        'workflowId',
        'The published version changed since this draft was started. Compare the two, then discard the draft and start again.',
      ),
    );
  });

  it('[T6-8-8-settle] asks about the published definition as it is, and publishes no second version', async () => {
    start({ bundled: [published], answer: () => true });
    const id = { workflowId: 'create_ddr' };
    harness.ddrs.set('WFL-001', { ...harness.ddrs.get('WFL-001')!, workflows: { create_ddr: 'x' } });
    expect(await harness.model('publish_workflow', id)).toMatchObject({ ok: true });
    expect(harness.asked.map(({ detail }) => detail)).toEqual(['The published definition, unchanged.']);
    expect(harness.store.history('create_ddr')).toMatchObject({ value: [{ what: 'bundled' }] });
  });

  it('[T6-10-4-publish-asks] does not publish when the published version changed while the question was open', async () => {
    start({
      bundled: [published],
      answer: () => {
        const now = harness.store.published();
        const rows = now.ok ? now.value.rows : [];
        harness.store.published = () => ({
          ok: true,
          value: { rows: rows.map((row) => ({ ...row, hash: 'other' })), problems: [] },
        });
        return true;
      },
    });
    await harness.user('update_workflow', { workflowId: 'create_ddr', fields: { Notes: 'A note.' } });
    expect(await harness.model('publish_workflow', { workflowId: 'create_ddr' })).toMatchObject({
      errors: [{ field: 'workflowId', message: 'The draft changed in the meantime. Review it again.' }],
    });
  });

  it('keeps a reason without spaces and at most 1,000 characters long', async () => {
    start();
    await drafted();
    await harness.user('publish_workflow', { workflowId, reason: `  ${'x'.repeat(1_200)} ` });
    expect(harness.store.history(workflowId)).toMatchObject({
      value: [{ decision: { reason: 'x'.repeat(1_000) } }],
    });
  });

  it('[T6-10-2-validate] lists what is left to do before a valid draft is published', async () => {
    start({ bundled: [published] });
    const fields = { InstructionText: 'Other.', Version: '1.0.0', Ddr: 'WFL-002' };
    await harness.user('update_workflow', { workflowId: 'create_ddr', fields });
    expect(await harness.user('validate_workflow', { workflowId: 'create_ddr' })).toEqual({
      ok: true,
      messages: [
        'The definition is valid.',
        'Before publishing: Version must be 2.0.0 or later; 1.0.0 is published.',
        'Before publishing: InstructionText: This change requires a major version: the steps changed.',
        'Before publishing: Ddr: WFL-002 is not approved. Have it approved first.',
      ],
    });
  });
});
