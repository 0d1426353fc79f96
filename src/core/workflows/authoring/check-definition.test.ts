import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { usePlainIssues } from '#shared/plain-issues';
import type { WorkflowDefinition } from '#shared/workflow';
import { approvingDdr, sampleWorkflow } from '../../../testing/sample-workflows';
import type { AuthoringFacts } from './authoring-facts';
import { checkDefinition } from './check-definition';
import { conditionAdvice } from './check-conditions';
import { changedFields, newDraft } from './definition-fields';
import { fieldsOf } from '../../control-plane/check-texts';

beforeAll(usePlainIssues);

const other = sampleWorkflow({ WorkflowId: 'other_one', UserIntentPatterns: ['Write the weekly report'] });
const facts: AuthoringFacts = {
  modes: [
    { key: 'general', tools: ['mcp://*'] },
    { key: 'ddr_authoring', tools: ['agent_ddr_manager', 'mcp://project.*'] },
  ],
  tools: [
    { name: 'agent_ddr_manager', access: 'host' },
    { name: 'agent_workflow_authoring', access: 'host' },
    { name: 'mcp://project.git_diff', access: 'read' },
    { name: 'mcp://filesystem.write_file', access: 'write' },
  ],
  serversUnknown: null,
  alwaysOffered: ['request_user_approval'],
  published: [other],
  ddr: (id) => (id === 'WFL-001' ? approvingDdr([]) : null),
};

const errorsOf = (fields: Partial<WorkflowDefinition>, held: Partial<AuthoringFacts> = {}) =>
  checkDefinition(fieldsOf(sampleWorkflow(fields)), { ...facts, ...held }).errors;

const criterion = (check: object) =>
  ({ CompletionCriteria: [{ text: 'Done.', check }] }) as unknown as Partial<WorkflowDefinition>;
const inputs = (...rows: object[]) => ({ RequiredInputs: rows }) as unknown as Partial<WorkflowDefinition>;
const conditions = (...rows: object[]) => ({ Preconditions: rows }) as unknown as Partial<WorkflowDefinition>;
const write = 'mcp://filesystem.write_file';

describe('checking a definition against what exists', () => {
  it('[T6-10-2-validate] finds nothing in a valid one', () => {
    expect(errorsOf({})).toEqual([]);
  });

  it('[T6-10-2-validate] names every missing field', () => {
    const { errors } = checkDefinition({ WorkflowId: 'x_y', UserIntentPatterns: [] }, facts);
    expect(errors.map(({ field, message }) => [field, message.endsWith(' is missing.')])).toEqual(
      [
        ...[
          'Title',
          'Description',
          'UserIntentPatterns',
          'RequiredInputs',
          'InstructionText',
          'PermittedTools',
        ],
        ...['CompletionCriteria', 'Version', 'Status', 'Visibility', 'Ddr'],
      ].map((field) => [field, true]),
    );
  });

  it('[T6-10-2-validate] misses in a new draft only what its author has to say', () => {
    const { errors } = checkDefinition(newDraft('x_y'), facts);
    expect(errors).toEqual(
      ['Title', 'Description', 'UserIntentPatterns', 'InstructionText', 'CompletionCriteria', 'Ddr'].map(
        (field) => ({ field, message: `${field} is missing.` }),
      ),
    );
  });

  it('[T6-10-2-validate] names every problem of a field, each once', () => {
    const rows = inputs({ name: 'a' }, { name: 'B b', question: 1, type: 'text' });
    const { errors } = checkDefinition({ ...fieldsOf(sampleWorkflow({})), ...(rows as JsonObject) }, facts);
    const places = errors.map(({ message }) => message.split(':')[0]);
    expect(places).toEqual(
      expect.arrayContaining([
        'RequiredInputs[1].question',
        'RequiredInputs[2].name',
        'RequiredInputs[2].question',
      ]),
    );
    expect(new Set(errors.map(({ message }) => message)).size).toBe(errors.length);
  });

  it('[T6-10-2-validate] names an unknown field, and the field that it may be', () => {
    const { errors } = checkDefinition({ ...fieldsOf(sampleWorkflow({})), title: 'x', Zzz: 1 }, facts);
    expect(errors).toEqual([
      { field: 'title', message: 'title is not a field of a workflow. Did you mean Title?' },
      { field: 'Zzz', message: 'Zzz is not a field of a workflow.' },
    ]);
  });

  it.each([
    ['Extensions', [], 'Extensions: must be an object.'],
    ['Title', [], 'Title: must be a text.'],
    ['UserIntentPatterns', '', 'UserIntentPatterns: must be a list.'],
    ['Title', null, 'Title is missing.'],
    ['Status', null, 'Status is missing.'],
    ['Status', 'done', 'Status: must be one of active, deprecated, disabled.'],
  ])('[T6-10-2-validate] says one thing about %s that is %j', (field, value, message) => {
    const { errors } = checkDefinition({ ...fieldsOf(sampleWorkflow({})), [field]: value }, facts);
    expect(errors).toEqual([{ field, message }]);
  });

  it('[T6-10-2-validate] names a field that has an unknown part', () => {
    const AllowedTransitions = { workflows: [], modes: [], tools: [] };
    const { errors } = checkDefinition({ ...fieldsOf(sampleWorkflow({})), AllowedTransitions }, facts);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.field).toBe('AllowedTransitions');
    expect(errors[0]?.message).toContain('“tools”');
  });

  it.each<[string, Partial<WorkflowDefinition>, string, string]>([
    ['a pattern of one word', { UserIntentPatterns: ['report'] }, 'UserIntentPatterns', 'too short'],
    [
      'two patterns that say the same',
      { UserIntentPatterns: ['Create a DDR', 'please create the ddr!'] },
      'UserIntentPatterns',
      'says the same',
    ],
    [
      'a pattern of another workflow',
      { UserIntentPatterns: ['Write a weekly report'] },
      'UserIntentPatterns',
      '‘other_one’',
    ],
    ['an unknown tool', { PermittedTools: ['agent_ddr_manger'] }, 'PermittedTools', 'agent_ddr_manager'],
    [
      'tools no mode offers together',
      {
        PermittedTools: ['agent_ddr_manager', write],
        RequiredApprovals: [{ action: 'Write', tool: write }],
      },
      'PermittedTools',
      'general lacks agent_ddr_manager',
    ],
    [
      'a write tool without an approval [T6-7-3-stated]',
      { PermittedTools: [write] },
      'RequiredApprovals',
      'writes',
    ],
    [
      'a write tool with an approval of some calls',
      { PermittedTools: [write], RequiredApprovals: [{ action: 'W', tool: write, when: { path: ['a'] } }] },
      'RequiredApprovals',
      'every call',
    ],
    [
      'an approval of a tool that is not permitted',
      { RequiredApprovals: [{ action: 'Write', tool: write }] },
      'RequiredApprovals',
      'not in PermittedTools',
    ],
    [
      'authoring without the authoring tool [T6-10-5-permitted]',
      { InstructionText: 'Call draft_workflow, then publish_workflow.' },
      'PermittedTools',
      'agent_workflow_authoring',
    ],
    [
      'steps that name a tool that is not permitted',
      { InstructionText: 'Call mcp://project.git_diff.' },
      'InstructionText',
      'mcp://project.git_diff',
    ],
    [
      'completion by a tool that is not permitted',
      criterion({ kind: 'tool-called', tool: 'mcp://project.git_diff' }),
      'CompletionCriteria',
      'can never be met',
    ],
    [
      'completion by nothing',
      criterion({ kind: 'file' }),
      'CompletionCriteria',
      'must name either path or input',
    ],
    [
      'completion by an input there is none of',
      criterion({ kind: 'file', input: 'file' }),
      'CompletionCriteria',
      'no input file',
    ],
    [
      'completion by an input that may be empty',
      {
        ...criterion({ kind: 'file', input: 'file' }),
        ...inputs({ name: 'file', question: '?', type: 'path', required: false, validation: {} }),
      },
      'CompletionCriteria',
      'may be left empty',
    ],
    [
      'a mode there is none of',
      conditions({ kind: 'mode', modes: ['chess'] }),
      'Preconditions',
      'no mode chess',
    ],
    [
      'modes that exclude each other',
      conditions({ kind: 'mode', modes: ['general'] }, { kind: 'mode', modes: ['ddr_authoring'] }),
      'Preconditions',
      'No mode meets',
    ],
    [
      'a workflow that waits for itself',
      conditions({ kind: 'workflow', workflowId: 'create_ddr' }),
      'Preconditions',
      'depends on itself',
    ],
    [
      'a prior workflow there is none of',
      conditions({ kind: 'workflow', workflowId: 'nope' }),
      'Preconditions',
      'no workflow ‘nope’',
    ],
    [
      'statuses that exclude each other',
      conditions(
        { kind: 'ddr', ddr: 'AGN-014', statuses: ['draft'] },
        { kind: 'ddr', ddr: 'AGN-014', statuses: ['approved'] },
      ),
      'Preconditions',
      'different statuses',
    ],
    [
      'a record that is named twice',
      conditions({ kind: 'ddr', ddr: 'AGN-014', input: 'x', statuses: ['draft'] }),
      'Preconditions',
      'must name either ddr or input',
    ],
    [
      'an input of the wrong type',
      {
        ...conditions({ kind: 'file', input: 'x' }),
        ...inputs({ name: 'x', question: '?', type: 'text', required: true, validation: {} }),
      },
      'Preconditions',
      'not of type path',
    ],
    [
      'a choice without options',
      inputs({ name: 'x', question: '?', type: 'choice', required: true, validation: {} }),
      'RequiredInputs',
      'options',
    ],
    [
      'a rule that does not fit its type',
      inputs({ name: 'x', question: '?', type: 'text', required: true, validation: { min: 1 } }),
      'RequiredInputs',
      'min does not fit',
    ],
    [
      'a rule nothing can meet',
      inputs({ name: 'x', question: '?', type: 'number', required: true, validation: { min: 3, max: 2 } }),
      'RequiredInputs',
      'no answer',
    ],
    [
      'an input that is asked for twice',
      inputs({ name: 'x', question: '?' }, { name: 'x', question: '?' }),
      'RequiredInputs',
      'twice',
    ],
    [
      'a follow-up there is none of',
      { FollowUpOptions: [{ text: 'x', workflowId: 'nope' }] },
      'FollowUpOptions',
      '‘nope’',
    ],
    [
      'a transition to nowhere',
      { AllowedTransitions: { workflows: ['nope'], modes: [] } },
      'AllowedTransitions',
      '‘nope’',
    ],
    [
      'a transition to a mode there is none of',
      { AllowedTransitions: { workflows: [], modes: ['chess'] } },
      'AllowedTransitions',
      'chess',
    ],
    [
      'an experimental one that starts unasked',
      { Visibility: 'experimental', AutoStart: true },
      'AutoStart',
      'without asking',
    ],
    ['a record there is none of', { Ddr: 'WFL-404' }, 'Ddr', 'WFL-404'],
  ])('[T6-10-2-validate] finds %s', (_what, fields, field, words) => {
    const found = errorsOf(fields);
    expect(found.map((error) => error.field)).toContain(field);
    expect(found.map(({ message }) => message).join('\n')).toContain(words);
  });

  it('[T6-10-2-validate] says when server tools could not be looked up', () => {
    const [error] = errorsOf(
      { PermittedTools: ['mcp://jira.search'] },
      { serversUnknown: 'there is no project folder.' },
    );
    expect(error?.message).toContain('there is no project folder');
  });

  const path = { name: 'file', question: '?', type: 'path', required: true, validation: {} };
  const outer = sampleWorkflow({
    WorkflowId: 'outer_one',
    UserIntentPatterns: ['Do the outer thing'],
    AllowedTransitions: { workflows: ['create_ddr'], modes: [] },
  });
  const known = { published: [other, outer] };
  it.each<[string, Partial<WorkflowDefinition>, Partial<AuthoringFacts>?]>([
    [
      'a pattern of a disabled workflow',
      { UserIntentPatterns: ['Write the weekly report'] },
      { published: [{ ...other, Status: 'disabled' }] },
    ],
    ['a pattern of two words', { UserIntentPatterns: ['Write reports'] }],
    ['one that starts unasked', { AutoStart: true }],
    ['an experimental one that asks', { Visibility: 'experimental' }],
    ['its own pattern', { WorkflowId: 'other_one', UserIntentPatterns: ['Write the weekly report'] }],
    [
      'a tool that is always offered',
      { PermittedTools: ['agent_list_modes'] },
      {
        tools: [...facts.tools, { name: 'agent_list_modes', access: 'host' }],
        alwaysOffered: ['agent_list_modes'],
      },
    ],
    [
      'tools that its own mode offers',
      { PermittedTools: ['agent_ddr_manager'], ...conditions({ kind: 'mode', modes: ['ddr_authoring'] }) },
    ],
    [
      'a write tool with an approval of every call',
      { PermittedTools: [write], RequiredApprovals: [{ action: 'Write', tool: write }] },
    ],
    ['steps that name the tools of longer names', { InstructionText: 'Use mcp://project.git_diff_all.' }],
    [
      'authoring with the authoring tool',
      { InstructionText: 'Call draft_workflow.', PermittedTools: ['agent_workflow_authoring'] },
      { modes: [{ key: 'general', tools: ['agent_workflow_authoring'] }] },
    ],
    ['a file that an input names', { ...criterion({ kind: 'file', input: 'file' }), ...inputs(path) }],
    [
      'one input of several',
      {
        ...criterion({ kind: 'file', input: 'file' }),
        ...inputs({ ...path, name: 'other', type: 'text', required: false }, path),
      },
    ],
    [
      'rules that can be met',
      inputs(
        { ...path, name: 'a', type: 'number', validation: { min: 2, max: 2 } },
        { ...path, name: 'b', type: 'number', validation: { min: 2 } },
        { ...path, name: 'c', type: 'text', validation: { maxLength: 2 } },
      ),
    ],
    [
      'statuses that one record can have',
      conditions(
        { kind: 'ddr', ddr: 'AGN-014', statuses: ['draft', 'approved'] },
        { kind: 'ddr', ddr: 'AGN-014', statuses: ['approved'] },
        { kind: 'ddr', ddr: 'AGN-015', statuses: ['draft'] },
      ),
    ],
    [
      'a mode that meets all of its rows',
      conditions(
        { kind: 'mode', modes: ['general', 'ddr_authoring'] },
        { kind: 'mode', modes: ['ddr_authoring'] },
      ),
    ],
    ['a completed workflow', conditions({ kind: 'workflow', workflowId: 'other_one' })],
    [
      'a running workflow that lets it take over',
      conditions({ kind: 'workflow', workflowId: 'outer_one', state: 'active' }),
      known,
    ],
    ['a focus', conditions({ kind: 'focus', entityType: 'ddr' })],
    [
      'itself and others as follow-ups and transitions',
      {
        FollowUpOptions: [
          { text: 'Again', workflowId: 'create_ddr' },
          { text: 'Other', workflowId: 'other_one' },
          { text: 'Rest' },
        ],
        AllowedTransitions: { workflows: ['other_one'], modes: ['general'] },
      },
    ],
  ])('[T6-10-2-validate] finds nothing wrong with %s', (_what, fields, held) => {
    expect(errorsOf(fields, held)).toEqual([]);
  });

  const ddr = { kind: 'ddr', statuses: ['draft'] };
  it.each<[Partial<WorkflowDefinition>, string, string, Partial<AuthoringFacts>?]>([
    [
      { PermittedTools: ['agent_nothing_like_it'] },
      'PermittedTools',
      'There is no tool agent_nothing_like_it.',
      { serversUnknown: 'The server is off.' },
    ],
    [{ PermittedTools: ['mcp://jira.search'] }, 'PermittedTools', 'There is no tool mcp://jira.search.'],
    [
      {
        PermittedTools: ['mcp://project.git_diff', 'agent_ddr_manager', write],
        RequiredApprovals: [{ action: 'Write', tool: write }],
      },
      'PermittedTools',
      'No mode it may run in offers all of these tools together. closest lacks agent_ddr_manager.',
      {
        modes: [
          { key: 'empty', tools: [] },
          { key: 'closest', tools: ['mcp://*'] },
          { key: 'far', tools: [write] },
        ],
      },
    ],
    [
      { PermittedTools: ['mcp://project.git_diff', 'agent_ddr_manager'] },
      'PermittedTools',
      'No mode it may run in offers all of these tools together. empty lacks mcp://project.git_diff, agent_ddr_manager.',
      { modes: [{ key: 'empty', tools: [] }] },
    ],
    [
      { PermittedTools: ['mcp://project.git_diff'], ...conditions({ kind: 'mode', modes: ['quiet'] }) },
      'PermittedTools',
      'No mode it may run in offers all of these tools together. quiet lacks mcp://project.git_diff.',
      { modes: [...facts.modes, { key: 'quiet', tools: [] }] },
    ],
    [
      { PermittedTools: [write] },
      'RequiredApprovals',
      `${write} writes: add an entry here that covers every call of it, or remove it from PermittedTools.`,
    ],
    [
      { InstructionText: 'mcp://project.git_diff, then report.' },
      'InstructionText',
      'The steps name mcp://project.git_diff, which is not in PermittedTools.',
    ],
    [
      { InstructionText: 'Call agent_workflow_authoring' },
      'PermittedTools',
      'The steps author workflows, so agent_workflow_authoring has to be in PermittedTools.',
    ],
    [conditions(ddr), 'Preconditions', '[1]: a row of kind ddr must name either ddr or input.'],
    [
      conditions({ kind: 'focus', entityType: 'ddr' }, { kind: 'file' }),
      'Preconditions',
      '[2]: a row of kind file must name either path or input.',
    ],
    [
      {
        ...conditions({ ...ddr, input: 'a' }, { ...ddr, input: 'a', statuses: ['approved'] }),
        ...inputs({ ...path, name: 'a', type: 'ddr' }),
      },
      'Preconditions',
      'the input a cannot meet all of its rows: they require different statuses.',
    ],
    [
      conditions({ kind: 'workflow', workflowId: 'other_one', state: 'active' }),
      'Preconditions',
      '[1]: ‘other_one’ does not let ‘create_ddr’ take over: add it to the AllowedTransitions of that workflow.',
    ],
  ])('[T6-10-2-validate] says what is wrong: %#', (fields, field, message, held) => {
    expect(errorsOf(fields, held)).toEqual([{ field, message }]);
  });
});

describe('advice about what proves little', () => {
  const tool = 'mcp://project.git_diff';
  it.each([
    ['any call of a tool', { kind: 'tool-called', tool }, `met by any successful call of ${tool}`],
    ['a call with certain arguments', { kind: 'tool-called', tool, arguments: { path: 'a' } }, undefined],
    ['a file', { kind: 'file', path: 'a' }, 'the user has to confirm it'],
    ['a record', { kind: 'ddr', ddr: 'AGN-014', statuses: ['approved'] }, undefined],
    ['what the user confirms', undefined, undefined],
  ])('[T6-10-2-validate] is given about %s, or not', (_what, check, advice) => {
    const { CompletionCriteria } = sampleWorkflow(criterion(check as object));
    const given = conditionAdvice({ CompletionCriteria } as WorkflowDefinition);
    expect(given).toEqual(advice === undefined ? [] : [expect.stringContaining(advice)]);
  });
});

describe('changes of a draft', () => {
  const draft = { Title: 'Review', Notes: 'A note.' };
  const messages = (changes: JsonObject) => {
    const changed = changedFields(draft, changes);
    return 'errors' in changed ? changed.errors : changed.fields;
  };

  it('[T6-10-2-update-fields] are applied together, and null removes an optional field', () => {
    expect(messages({ Description: 'Reads it.', Notes: null, FollowUpOptions: null })).toEqual({
      Title: 'Review',
      Description: 'Reads it.',
    });
  });

  it.each<[JsonObject, string, string]>([
    [{}, 'fields', 'fields is empty: there is nothing to change.'],
    [{ Title: null }, 'Title', 'Title is mandatory and cannot be removed.'],
    [{ title: 'x' }, 'title', 'title is not a field that can be updated. Did you mean Title?'],
    [{ Zzzzzz: 'x' }, 'Zzzzzz', 'Zzzzzz is not a field that can be updated.'],
    [{ Title: ' ' }, 'Title', 'Title: must have at least 1 character.'],
    [{ Title: '' }, 'Title', 'Title is missing.'],
    [{ UserIntentPatterns: [] }, 'UserIntentPatterns', 'UserIntentPatterns is missing.'],
    [
      { UserIntentPatterns: Array(51).fill('Do it') as string[] },
      'UserIntentPatterns',
      'UserIntentPatterns: must have at most 50 entries.',
    ],
    [
      { UserIntentPatterns: ['Do it', ''] },
      'UserIntentPatterns',
      'UserIntentPatterns[2]: must have at least 1 character.',
    ],
    [{ AutoStart: 'yes' }, 'AutoStart', 'AutoStart: must be true or false.'],
    [
      { RequiredInputs: [{ name: 'a', question: 'b', validation: { minLength: -1 } }] },
      'RequiredInputs',
      'RequiredInputs[1].validation.minLength: must be at least 0.',
    ],
    [
      { RequiredInputs: [{ name: 'a', question: 'b', validation: { minLength: 1.5 } }] },
      'RequiredInputs',
      'RequiredInputs[1].validation.minLength: must be a whole number.',
    ],
    [
      { RequiredInputs: [{ name: 'a', question: 'b', validation: { minLength: 1e300 } }] },
      'RequiredInputs',
      'RequiredInputs[1].validation.minLength: must be at most 9,007,199,254,740,991.',
    ],
    [
      { RequiredInputs: [{ name: 'a', question: 'b', type: 'choice', validation: { options: [] } }] },
      'RequiredInputs',
      'RequiredInputs[1].validation.options: must have at least 1 entry.',
    ],
    [{ Version: 'v2' }, 'Version', 'Version: must look like 1.0.0.'],
  ])('[T6-10-2-update-fields] are refused in plain words: %j', (changes, field, message) => {
    expect(messages(changes)).toEqual([{ field, message }]);
  });
});
