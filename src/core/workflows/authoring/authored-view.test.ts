import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import {
  completeFields,
  createAuthoringHarness,
  type AuthoringHarnessOptions,
} from '../../../testing/authoring-harness';
import { contextOf } from '../../../testing/ddr-harness';
import { sampleWorkflow } from '../../../testing/sample-workflows';
import { must } from '../../../testing/stored-session';
import { canonicalHash } from '../../tools/canonical-hash';

let harness: ReturnType<typeof createAuthoringHarness>;
afterEach(() => harness.tree.remove());

const create = sampleWorkflow();
const id = { workflowId: 'create_ddr' };
const start = (options: AuthoringHarnessOptions = {}) =>
  (harness = createAuthoringHarness({ bundled: [create], ...options }));
const change = (fields: JsonObject) => harness.user('update_workflow', { ...id, fields });
const view = (workflowId = 'create_ddr') => must(harness.authoring.panel.view(workflowId));
const drift = (hash = 'f'.repeat(64)) => {
  const record = harness.ddrs.get('WFL-001');
  if (record) harness.ddrs.set('WFL-001', { ...record, workflows: { create_ddr: hash } });
};
const added = (
  hunks: readonly { readonly lines: readonly { readonly kind: string; readonly text: string }[] }[],
) => hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === 'added').map(({ text }) => text));
const noStep = { step: 'none', demands: [], minVersion: null };
const storageError = {
  ok: false,
  error: { kind: 'HOST', code: 'STORAGE', message: 'x', retryable: false },
} as const;

describe('one workflow for its author', () => {
  it('is the published definition where there is no draft', () => {
    start();
    expect(view()).toEqual({
      workflowId: 'create_ddr',
      fields: JSON.parse(JSON.stringify(create)) as unknown,
      draft: null,
      published: {
        version: '1.0.0',
        status: 'published',
        hash: canonicalHash(create),
        layer: 'seed',
        halted: null,
      },
      change: null,
      ddr: { id: 'WFL-001', title: 'Workflows', status: 'approved' },
      history: [expect.objectContaining({ what: 'bundled', version: '1.0.0', hunks: [] })],
    });
  });

  it('[T6-8-4-step] is the draft where there is one, with what it changes and the step that this requires', async () => {
    start();
    await change({ InstructionText: '1. Something else.', Ddr: 'WFL-002' });
    const { draft, fields, change: changed, ddr } = view();
    expect(draft).toEqual({ hash: expect.any(String) as string, outdated: false });
    expect(fields).toMatchObject({ InstructionText: '1. Something else.', Version: '2.0.0' });
    expect(changed).toMatchObject({
      step: 'major',
      minVersion: '2.0.0',
      demands: [{ field: 'InstructionText', step: 'major' }, { field: 'Ddr' }],
    });
    expect(added(changed?.hunks ?? [])).toEqual(['  1. Something else.', '  2.0.0', '  WFL-002']);
    expect(ddr).toMatchObject({ id: 'WFL-002', status: 'draft' });
  });

  it('is a new draft, of which nothing is published and no step is required', async () => {
    start();
    const words = { workflowId: 'review_pr', title: 'Review', description: 'Reads it.' };
    await harness.user('draft_workflow', words);
    const shown = view('review_pr');
    expect(shown).toMatchObject({ published: null, ddr: null, history: [], change: noStep });
    expect(added(shown.change?.hunks ?? []).slice(0, 4)).toEqual([
      'WorkflowId',
      '  review_pr',
      'Title',
      '  Review',
    ]);
  });

  it('[T6-8-8-drift] says of an outdated draft and of a halted workflow what they are', async () => {
    start();
    await change({ Notes: 'A note.' });
    const stored = must(harness.store.draft('create_ddr'));
    if (!stored) throw new Error('There is no draft.');
    await harness.store.writeDraft({ ...stored, basedOn: 'x' }, stored.hash);
    drift();
    expect(view()).toMatchObject({
      draft: { outdated: true },
      published: {
        halted: 'Workflow ‘create_ddr’ is halted: the definition in use is not the one approved in WFL-001.',
      },
    });
  });

  it('[T6-8-8-settle] shows how the published definition differs from the approved one', async () => {
    start();
    await change({ Title: 'Another' });
    await harness.user('publish_workflow', id);
    drift(canonicalHash(create));
    const { change: drifted } = view();
    expect(drifted).toMatchObject(noStep);
    expect(added(drifted?.hunks ?? [])).toEqual(['  Another', '  1.0.1']);
    drift();
    expect(added(view().change?.hunks ?? []).slice(0, 2)).toEqual(['WorkflowId', '  create_ddr']);
  });

  it('[T6-8-2-ddr] says why the published definition is not approved', () => {
    start({ bundled: [sampleWorkflow({ Ddr: 'WFL-002' })] });
    expect(view().published?.halted).toBe(
      'Workflow requires approval before use. Now its design record WFL-002 is not approved.',
    );
    expect(view().change).toMatchObject(noStep);
  });

  it('has its history, newest first, each with what it changed', async () => {
    start();
    await change({ Title: 'Another' });
    await harness.user('publish_workflow', { ...id, reason: 'A better name.' });
    const [newest, bundled, ...others] = view().history;
    expect(others).toEqual([]);
    expect(newest).toMatchObject({
      what: 'published',
      version: '1.0.1',
      by: 'Ada Lovelace',
      at: '2026-03-04T05:06:07+01:00',
      reason: 'A better name.',
      ddr: 'WFL-001',
      fields: { Title: 'Another' },
    });
    expect(added(newest?.hunks ?? [])).toEqual(['  Another', '  1.0.1']);
    expect(bundled).toMatchObject({ what: 'bundled', by: 'Patina', hunks: [] });
  });

  it('[T6-8-9-removal] is only the history of a removed one, and unknown without any', async () => {
    start({ bundled: [sampleWorkflow({ Status: 'disabled' })] });
    await harness.authoring.remove({ ...id, reason: 'Nobody uses it.' }, contextOf('user'));
    expect(view()).toMatchObject({
      fields: null,
      draft: null,
      published: null,
      change: null,
      ddr: null,
      history: [{ what: 'removed', reason: 'Nobody uses it.', hunks: [] }, { what: 'bundled' }],
    });
    expect(harness.authoring.panel.view('no_such_one')).toMatchObject({
      error: { kind: 'HOST', code: 'NOT_FOUND', message: 'Unknown workflow ‘no_such_one’.' },
    });
  });

  it('is not shown while the store cannot be read', () => {
    start();
    const { panel } = harness.authoring;
    harness.store.history = () => storageError;
    expect(panel.view('create_ddr')).toEqual(storageError);
    harness.store.published = () => storageError;
    expect(panel.view('create_ddr')).toEqual(storageError);
  });
});

describe('the list for authors', () => {
  it('[T6-10-2-operations] has published and drafted workflows by id, why some are halted, and removed ones', async () => {
    const gone = sampleWorkflow({ WorkflowId: 'old_way', Status: 'disabled' });
    const later = sampleWorkflow({ WorkflowId: 'zz_last', Status: 'deprecated', Visibility: 'hidden' });
    start({ bundled: [later, create, gone] });
    await harness.authoring.remove({ workflowId: 'old_way', reason: 'Old.' }, contextOf('user'));
    await harness.user('draft_workflow', { workflowId: 'review_pr', title: 'Review', description: 'Reads.' });
    await change({ Title: 'Another' });
    const { rows, removed, problems } = must(harness.authoring.panel.list());
    expect(rows.map(({ workflowId, status }) => [workflowId, status])).toEqual([
      ['create_ddr', 'published'],
      ['create_ddr', 'draft'],
      ['review_pr', 'draft'],
      ['zz_last', 'deprecated'],
    ]);
    expect(rows.some((row) => 'halted' in row)).toBe(false);
    expect(removed).toMatchObject([{ workflowId: 'old_way', status: 'disabled' }]);
    expect(problems).toEqual([]);
    drift();
    expect(must(harness.authoring.panel.list()).rows[0]?.halted).toContain('is halted');
  });

  it('is not shown while the store cannot be read', () => {
    start();
    const { panel } = harness.authoring;
    harness.store.removed = () => storageError;
    expect(panel.list()).toEqual(storageError);
    harness.store.drafts = () => storageError;
    expect(panel.list()).toEqual(storageError);
    harness.store.published = () => storageError;
    expect(panel.list()).toEqual(storageError);
    expect(harness.authoring.file.compare({ ...id, WorkflowId: 'create_ddr' })).toEqual(storageError);
  });
});

describe('a definition in a file', () => {
  const fields = JSON.parse(JSON.stringify(create)) as JsonObject;
  const review: JsonObject = {
    ...fields,
    ...completeFields,
    WorkflowId: 'review_pr',
    Title: 'Review',
    Description: 'Reads it.',
  };
  const file = () => harness.authoring.file;

  it('is compared with the published one', () => {
    start();
    expect(must(file().compare(fields))).toEqual({
      workflowId: 'create_ddr',
      published: '1.0.0',
      change: null,
    });
    const changed = must(file().compare({ ...fields, InstructionText: 'Other.' }));
    expect(changed.change).toMatchObject({ step: 'major', minVersion: '2.0.0' });
    expect(must(file().compare({ ...fields, InstructionText: 7 })).change).toMatchObject(noStep);
    expect(must(file().compare(review))).toMatchObject({
      workflowId: 'review_pr',
      published: null,
      change: noStep,
    });
    for (const WorkflowId of ['../x', 7])
      expect(file().compare({ ...fields, WorkflowId })).toMatchObject({
        error: {
          code: 'INVALID_INPUT',
          message: 'WorkflowId must be 3 to 64 lowercase letters, digits and underscores, like create_ddr.',
        },
      });
  });

  it('is read from the published version or the draft', async () => {
    start();
    expect(must(file().published('create_ddr'))).toEqual(fields);
    expect(must(file().published('review_pr'))).toBeNull();
    expect(must(file().draft('create_ddr'))).toBeNull();
    await change({ Notes: 'A note.' });
    expect(must(file().draft('create_ddr'))).toMatchObject({ Notes: 'A note.' });
    harness.store.published = () => storageError;
    harness.store.draft = () => storageError;
    expect(file().published('create_ddr')).toEqual(storageError);
    expect(file().draft('create_ddr')).toEqual(storageError);
  });

  it('[T6-10-2-validate] is checked like a draft, and stored nowhere', async () => {
    start();
    expect(await file().check(fields)).toEqual({
      ok: true,
      messages: ['The definition is valid, and it is the published one.'],
    });
    expect(await file().check({ ...fields, InstructionText: 'Other.' })).toEqual({
      ok: true,
      messages: [
        'The definition is valid.',
        'Before publishing: Version must be 2.0.0 or later; 1.0.0 is published.',
        'Before publishing: InstructionText: This change requires a major version: the steps changed.',
      ],
    });
    expect(await file().check({ ...review, Ddr: 'WFL-009' })).toMatchObject({
      ok: true,
      messages: expect.arrayContaining([
        'Before publishing: Ddr: There is no design record WFL-009. Create it first.',
      ]) as unknown,
    });
    expect(await file().check({ ...review, Title: '' })).toMatchObject({ errors: [{ field: 'Title' }] });
    expect(must(harness.store.drafts())).toEqual([]);
  });

  it('[T6-10-2-publish] is published with the person’s yes, and not while there is a draft', async () => {
    start();
    const asked: { text: string; detail: string }[] = [];
    const answer = (yes: boolean) => ({
      reason: 'From a file.',
      consents: (question: (typeof asked)[number]) => {
        asked.push(question);
        return Promise.resolve(yes);
      },
    });
    expect(await file().publish(review, answer(false))).toMatchObject({ ok: false, errors: [{ field: '' }] });
    expect(must(file().published('review_pr'))).toBeNull();
    expect(await file().publish(review, answer(true))).toEqual({
      ok: true,
      workflow: expect.objectContaining({ WorkflowId: 'review_pr' }) as unknown,
      messages: [
        'Version 1.0.0 is published. Open sessions use it after "reload workflows".',
        'WFL-001 contains the hash of its definition.',
      ],
    });
    expect(asked[0]?.text).toBe(
      'Publish ‘review_pr’ 1.0.0? Your yes approves exactly this definition in WFL-001.',
    );
    expect(view('review_pr').history).toMatchObject([{ reason: 'From a file.' }]);
    await change({ Notes: 'A note.' });
    expect(await file().publish({ ...fields, Notes: 'x', Version: '1.0.1' }, answer(true))).toEqual({
      ok: false,
      errors: [
        { field: 'WorkflowId', message: 'There is a draft of ‘create_ddr’. Publish or discard it first.' },
      ],
    });
    expect(await file().publish({ ...review, Title: '' }, answer(true))).toMatchObject({
      errors: [{ field: 'Title', message: 'Title is missing.' }],
    });
    expect(asked).toHaveLength(2);
  });
});
