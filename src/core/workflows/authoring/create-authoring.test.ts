import { readdirSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import {
  completeFields,
  createAuthoringHarness,
  type AuthoringHarnessOptions,
} from '../../../testing/authoring-harness';
import { contextOf } from '../../../testing/ddr-harness';
import { sampleWorkflow } from '../../../testing/sample-workflows';

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

const missing = (field: string) => ({ ok: false, errors: [{ field, message: `${field} is missing.` }] });

describe('every shape of the tool', () => {
  const text = expect.any(String) as string;
  const { InstructionText: _left, ...withoutSteps } = completeFields;
  it.each([
    ['no operation', {}, { ok: false, errors: [{ field: 'operation', message: text }] }],
    [
      'an unknown operation',
      { operation: 'run' },
      { ok: false, errors: [{ field: 'operation', message: text }] },
    ],
    ['draft: no id', { operation: 'draft_workflow' }, missing('workflowId')],
    [
      'draft: an id that is none',
      { operation: 'draft_workflow', workflowId: '../x' },
      { ok: false, errors: [{ field: 'workflowId', message: text }] },
    ],
    [
      'draft: no words',
      { operation: 'draft_workflow', workflowId },
      { ok: false, errors: [...missing('title').errors, ...missing('description').errors] },
    ],
    [
      'draft: a title of the wrong type',
      { operation: 'draft_workflow', workflowId, title: 7 },
      { ok: false, errors: [{ field: 'title', message: 'title must be a text.' }] },
    ],
    [
      'an argument there is not',
      { operation: 'list_authoring_workflows', all: true },
      {
        ok: false,
        errors: [{ field: 'all', message: expect.stringContaining('all is not an argument') as string }],
      },
    ],
    [
      'update: values that do not fit, in plain words',
      {
        operation: 'update_workflow',
        workflowId: 'create_ddr',
        fields: { Status: 'gone', InstructionText: 'x'.repeat(40_000), UserIntentPatterns: 7, Title: '' },
      },
      {
        ok: false,
        errors: [
          { field: 'Status', message: 'Status: must be one of active, deprecated, disabled.' },
          { field: 'InstructionText', message: 'InstructionText: must have at most 32,000 characters.' },
          { field: 'UserIntentPatterns', message: 'UserIntentPatterns: must be a list.' },
          { field: 'Title', message: 'Title is missing.' },
        ],
      },
    ],
    [
      'draft',
      { operation: 'draft_workflow', ...words },
      {
        ok: true,
        workflow: { WorkflowId: workflowId, Title: words.title, Version: '1.0.0', UserIntentPatterns: [] },
        messages: ['This is a draft.'],
      },
    ],
    [
      'draft: a new version',
      { operation: 'draft_workflow', ...words, workflowId: 'create_ddr' },
      { ok: true, workflow: { InstructionText: published.InstructionText }, messages: [text] },
    ],
    ['get: no id', { operation: 'get_workflow' }, missing('workflowId')],
    [
      'get: unknown',
      { operation: 'get_workflow', workflowId: 'nope' },
      { ok: false, errors: [{ field: 'workflowId', message: 'Unknown workflow ‘nope’.' }] },
    ],
    [
      'get: published',
      { operation: 'get_workflow', workflowId: 'create_ddr' },
      { ok: true, workflow: { WorkflowId: 'create_ddr' }, messages: [text] },
    ],
    ['update: no fields', { operation: 'update_workflow', workflowId: 'create_ddr' }, missing('fields')],
    [
      'update: unknown',
      { operation: 'update_workflow', workflowId: 'nope', fields: {} },
      { ok: false, errors: [{ field: 'workflowId', message: text }] },
    ],
    [
      'validate: unknown',
      { operation: 'validate_workflow', workflowId: 'nope' },
      { ok: false, errors: [{ field: 'workflowId', message: text }] },
    ],
    [
      'publish: unknown',
      { operation: 'publish_workflow', workflowId: 'nope' },
      { ok: false, errors: [{ field: 'workflowId', message: text }] },
    ],
    [
      'publish: nothing to publish',
      { operation: 'publish_workflow', workflowId: 'create_ddr' },
      {
        ok: false,
        errors: [{ field: 'workflowId', message: 'There is no draft of ‘create_ddr’ to publish.' }],
      },
    ],
    [
      'list',
      { operation: 'list_authoring_workflows' },
      {
        ok: true,
        workflows: [
          {
            workflowId: 'create_ddr',
            title: 'Create a new DDR',
            status: 'published',
            version: '1.0.0',
            visibility: 'public',
          },
        ],
      },
    ],
  ])('[T6-10-3-shapes] [T6-10-2-operations] %s', async (_what, call, expected) => {
    start({ bundled: [published] });
    expect(withoutSteps).not.toHaveProperty('InstructionText');
    const answer = await harness.authoring.call(call, contextOf('user'));
    expect(answer).toMatchObject(expected);
    expect(Object.keys(answer).sort().join()).toMatch(/^(errors,ok|(messages,)?ok(,workflows?)?)$/);
  });

  it('[T6-10-3-shapes] the tool returns the same as JSON, and refuses arguments that are not an object', async () => {
    start();
    const tool = harness.authoring.tool;
    const said = await tool.execute('{"operation":"list_authoring_workflows"}', contextOf('model'));
    expect(said).toEqual({ ok: true, value: '{"ok":true,"workflows":[]}' });
    const message = 'The arguments must be one JSON object.';
    expect(await tool.execute('[]', contextOf('model'))).toEqual({
      ok: true,
      value: JSON.stringify({ ok: false, errors: [{ field: '', message }] }),
    });
  });
});

describe('drafts', () => {
  it('[T6-10-2-draft] are documents that the registry does not know', async () => {
    start({ bundled: [published] });
    await drafted();
    const rows = harness.store.published();
    expect(rows.ok && rows.value.rows.map(({ definition }) => definition.WorkflowId)).toEqual(['create_ddr']);
    expect(await harness.user('list_authoring_workflows')).toMatchObject({
      workflows: [{ workflowId: 'create_ddr' }, { workflowId, status: 'draft' }],
    });
  });

  it('[T6-10-4-published-untouched] begin with an update of a published workflow, which changes nothing else', async () => {
    start({ bundled: [published] });
    const fields = { Title: 'Another title' };
    const id = { workflowId: 'create_ddr' };
    expect(await harness.user('update_workflow', { ...id, fields })).toMatchObject({ ok: true });
    const rows = harness.store.published();
    expect(rows).toMatchObject({ value: { rows: [{ definition: { Title: 'Create a new DDR' } }] } });
    expect(await harness.user('list_authoring_workflows')).toMatchObject({
      workflows: [
        { status: 'published', title: 'Create a new DDR' },
        { status: 'draft', title: 'Another title' },
      ],
    });
  });

  it.each([
    ['a field that is none', { Nonsense: 1 }, 'Nonsense'],
    ['the id', { WorkflowId: 'other' }, 'WorkflowId'],
    ['a value of the wrong type', { PermittedTools: 'all' }, 'PermittedTools'],
    ['a version that is none', { Version: 'v2' }, 'Version'],
    ['the loss of a mandatory field', { InstructionText: null }, 'InstructionText'],
    ['emptying a mandatory field', { UserIntentPatterns: [] }, 'UserIntentPatterns'],
    ['nothing', {}, 'fields'],
  ])('[T6-10-2-update-fields] refuse %s, and do not change', async (_what, fields, field) => {
    start();
    await drafted();
    const before = await harness.user('get_workflow', { workflowId });
    const answer = await harness.user('update_workflow', { workflowId, fields: { Title: 'New', ...fields } });
    const only = Object.keys(fields).length === 0;
    if (only)
      expect(await harness.user('update_workflow', { workflowId, fields })).toMatchObject({ ok: false });
    else expect(answer).toMatchObject({ ok: false, errors: [{ field }] });
    if (!only) expect(await harness.user('get_workflow', { workflowId })).toEqual(before);
  });

  it('[T6-10-2-update-fields] accept every field that the specification allows, and remove an optional one', async () => {
    start();
    await drafted();
    const fields = {
      Title: 'T',
      Description: 'D',
      RequiredInputs: [{ name: 'pr', question: 'Which?' }],
      FollowUpOptions: [{ text: 'Another' }],
      Preconditions: [{ kind: 'mode', modes: ['general'] }],
      Version: '1.1.0',
      Status: 'deprecated',
      Visibility: 'hidden',
      Notes: 'N',
      AutoStart: true,
      RequiredApprovals: [],
      AllowedTransitions: { workflows: [], modes: [] },
    };
    expect(await harness.user('update_workflow', { workflowId, fields })).toMatchObject({
      ok: true,
      workflow: fields,
    });
    const answer = await harness.user('update_workflow', { workflowId, fields: { Notes: null } });
    expect(answer.ok && answer.workflow).not.toHaveProperty('Notes');
  });

  it('[T6-10-4-ask-draft] by a model are asked about once, with the difference, and a no changes nothing', async () => {
    let yes = false;
    start({ answer: () => yes });
    expect(await harness.model('draft_workflow', words)).toMatchObject({
      ok: false,
      errors: [{ field: '' }],
    });
    expect(readdirSync(harness.tree.root)).toEqual([]);
    yes = true;
    expect(await harness.model('draft_workflow', words)).toMatchObject({ ok: true });
    await harness.model('update_workflow', { workflowId, fields: completeFields });
    await harness.model('update_workflow', { workflowId, fields: { Title: 'Other' } });
    expect(harness.asked).toHaveLength(2);
    expect(harness.asked[1]?.detail).toContain('+   Review a pull request');
  });
});

describe('the words of the tool', () => {
  const operations =
    'draft_workflow, get_workflow, update_workflow, validate_workflow, publish_workflow, list_authoring_workflows';
  const called = async (call: JsonObject) => {
    const answer = await harness.authoring.call(call, contextOf('user'));
    return answer.ok ? answer.messages : answer.errors.map(({ message }) => message);
  };
  const draftOf = { operation: 'draft_workflow', workflowId, title: ' Review ', description: ' Reads it. ' };

  it.each<[call: JsonObject, message: string]>([
    [{}, `operation is missing. There are: ${operations}.`],
    [{ operation: null }, `operation is missing. There are: ${operations}.`],
    [{ operation: ' ' }, `operation is missing. There are: ${operations}.`],
    [{ operation: 'run' }, `Unknown operation ‘run’. There are: ${operations}.`],
    [{ operation: 7 }, `Unknown operation ‘7’. There are: ${operations}.`],
    [{ operation: 'x'.repeat(150) }, `Unknown operation ‘${'x'.repeat(100)}’. There are: ${operations}.`],
    [{ operation: 'update_workflow', workflowId, fields: [] }, 'fields must be an object.'],
    [
      { operation: 'list_authoring_workflows', ['x'.repeat(150)]: 1 },
      `${'x'.repeat(100)} is not an argument. There are: operation, workflowId, title, description, reason, fields.`,
    ],
    [{ operation: 'get_workflow', workflowId: ' ' }, 'workflowId is missing.'],
    [
      { operation: 'get_workflow', workflowId: 'X' },
      'workflowId must be 3 to 64 lowercase letters, digits and underscores, like create_ddr.',
    ],
    [{ ...draftOf, title: ' ' }, 'title is missing.'],
    [{ ...draftOf, description: ' ' }, 'description is missing.'],
    [{ ...draftOf, title: 'x'.repeat(500) }, 'Title: must have at most 400 characters.'],
    [{ operation: 'get_workflow', workflowId: 'create_ddr' }, 'This is the published definition.'],
    [{ ...draftOf, workflowId: 'create_ddr' }, 'This draft is based on version 1.0.0.'],
  ])('[T6-10-3-shapes] %j', async (call, message) => {
    start({ bundled: [published] });
    expect(await called(call)).toEqual([message]);
  });

  it('[T6-10-2-draft] say of a draft that it exists, what it is, and what comes next', async () => {
    start({ bundled: [published] });
    expect(await called(draftOf)).toEqual(['This is a draft.']);
    expect(await harness.user('get_workflow', { workflowId })).toEqual({
      ok: true,
      workflow: {
        WorkflowId: workflowId,
        Title: 'Review',
        Description: 'Reads it.',
        UserIntentPatterns: [],
        RequiredInputs: [],
        InstructionText: '',
        PermittedTools: [],
        CompletionCriteria: [],
        Version: '1.0.0',
        Status: 'active',
        Visibility: 'public',
        AutoStart: false,
        RequiredApprovals: [],
        AllowedTransitions: { workflows: [], modes: [] },
        Ddr: '',
      },
      messages: ['This is a draft; no version is published.'],
    });
    expect(await called(draftOf)).toEqual([
      'A draft of ‘review_pr’ already exists. Change it with update_workflow.',
    ]);
    const update = { operation: 'update_workflow', workflowId, fields: { Title: 'Other' } };
    expect(await called(update)).toEqual([
      'The draft was changed. Call validate_workflow before you publish it.',
    ]);
    await harness.user('update_workflow', { workflowId: 'create_ddr', fields: { Notes: 'A note.' } });
    expect(await called({ operation: 'get_workflow', workflowId: 'create_ddr' })).toEqual([
      'This is a draft; version 1.0.0 is published.',
    ]);
  });

  it('[T6-10-4-ask-draft] ask the user what a model may draft, new or the next version, and change', async () => {
    start({ bundled: [published] });
    const { model } = harness;
    const no = {
      ok: false,
      errors: [
        { field: '', message: 'The user did not agree, so nothing was changed. Ask what to do instead.' },
      ],
    };
    expect(await model('draft_workflow', words)).toEqual(no);
    expect(await model('draft_workflow', { ...words, workflowId: 'create_ddr' })).toEqual(no);
    expect(await model('update_workflow', { workflowId: 'create_ddr', fields: { Title: 'Other' } })).toEqual(
      no,
    );
    expect(harness.store.drafts()).toEqual({ ok: true, value: [] });
    expect(harness.asked.map(({ text }) => text)).toEqual([
      'Draft the new workflow ‘review_pr’? It cannot run before you publish it.',
      'Draft a new version of ‘create_ddr’? It cannot run before you publish it.',
      'Let the model change the draft of ‘create_ddr’? The published version does not change.',
    ]);
    expect(harness.asked[1]?.detail).toContain('-   Create a new DDR\n+   Review a pull request');
    expect(harness.asked[2]?.detail).toContain('-   Create a new DDR\n+   Other');
  });

  it('[T6-10-4-ask-draft] ask again in another session', async () => {
    start({ answer: () => true });
    await harness.model('draft_workflow', words);
    const update = { operation: 'update_workflow', workflowId, fields: { Title: 'Other' } };
    await harness.authoring.call(update, contextOf('model'));
    expect(harness.asked).toHaveLength(1);
    await harness.authoring.call(update, { ...contextOf('model'), sessionId: 'ses_2' });
    expect(harness.asked).toHaveLength(2);
  });

  it('do not count a user’s own draft as consent to a model', async () => {
    start();
    await drafted();
    expect(await harness.model('update_workflow', { workflowId, fields: { Title: 'X' } })).toMatchObject({
      ok: false,
    });
    expect(harness.asked).toHaveLength(1);
  });

  it('[T6-10-2-operations] list workflows by id, each with its status, and report a full disk', async () => {
    const old = sampleWorkflow({ WorkflowId: 'zz_old', Status: 'deprecated', Visibility: 'hidden' });
    const off = sampleWorkflow({ WorkflowId: 'aa_off', Status: 'disabled' });
    start({ bundled: [old, off] });
    await drafted();
    const row = { visibility: 'public', version: '1.0.0' };
    expect(await harness.user('list_authoring_workflows')).toEqual({
      ok: true,
      workflows: [
        { ...row, workflowId: 'aa_off', title: off.Title, status: 'disabled' },
        { ...row, workflowId, title: words.title, status: 'draft' },
        { ...row, workflowId: 'zz_old', title: old.Title, status: 'deprecated', visibility: 'hidden' },
      ],
    });
    const error = appError('HOST', 'STORAGE', 'The disk is full.');
    const failed = { ok: false, errors: [{ field: '', message: 'The disk is full.' }], error };
    harness.store.drafts = () => ({ ok: false, error });
    expect(await harness.user('list_authoring_workflows')).toEqual(failed);
    harness.store.published = () => ({ ok: false, error });
    expect(await harness.user('list_authoring_workflows')).toEqual(failed);
    expect(await harness.user('get_workflow', { workflowId })).toEqual(failed);
  });

  it('[T6-10-3-shapes] say why arguments are no JSON', async () => {
    start();
    const { tool } = harness.authoring;
    expect(tool).toMatchObject({
      isToolFullyExecutedOnServer: true,
      asksItself: true,
      answersArguments: true,
      schema: { required: ['operation'], additionalProperties: false },
    });
    expect(await tool.execute('{', contextOf('model'))).toMatchObject({
      ok: true,
      value: expect.stringMatching(/must be one JSON object \(.+\)\./) as string,
    });
  });
});
