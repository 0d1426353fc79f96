import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import type { WorkflowDefinition } from '#shared/workflow';
import { approvingDdr, sampleWorkflow } from '../../../testing/sample-workflows';
import type { AuthoringFacts } from './authoring-facts';
import { checkDefinition } from './check-definition';
import { fieldsOf } from '../../control-plane/check-texts';

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

  it('[T6-10-2-validate] calls an empty value of another kind wrong, not missing', () => {
    const { errors } = checkDefinition({ ...fieldsOf(sampleWorkflow({})), Extensions: [] }, facts);
    expect(errors).toEqual([{ field: 'Extensions', message: 'Extensions: must be an object.' }]);
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
});
