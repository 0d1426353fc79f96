import { describe, expect, test } from 'vitest';
import { emptySession, type SessionState } from '#shared/session-state';
import type { WorkflowDefinition } from '#shared/workflow';
import { approvingDdr, sampleWorkflow } from '../../testing/sample-workflows';
import { createInMemoryWorkflowStore } from '../../testing/in-memory-workflow-store';
import type { BuiltInToolContext } from '../ports/built-in-tool';
import { createWorkflowRegistry } from './registry';
import type { PreconditionContext } from './conditions';
import { createRegistryTool } from './registry-tool';

const create = sampleWorkflow();
const old = sampleWorkflow({ WorkflowId: 'old_way', Title: 'The old way', Status: 'deprecated' });
const off = sampleWorkflow({
  WorkflowId: 'switched_off',
  Status: 'disabled',
  UserIntentPatterns: ['Tidy the attic'],
});
const secret = sampleWorkflow({
  WorkflowId: 'self_test',
  Visibility: 'hidden',
  UserIntentPatterns: ['Check the machine'],
});
const trial = sampleWorkflow({
  WorkflowId: 'trial_run',
  Visibility: 'experimental',
  UserIntentPatterns: ['Sort the owners'],
});
const loose = sampleWorkflow({ WorkflowId: 'no_approval', Ddr: 'WFL-002' });
const drifted = sampleWorkflow({ WorkflowId: 'other_text', Ddr: 'WFL-003' });
const all = [create, old, off, secret, trial, loose, drifted];

const ddrs = new Map([
  ['WFL-001', approvingDdr([create, old, off, secret, trial])],
  ['WFL-002', approvingDdr([loose], { id: 'WFL-002', status: 'draft' })],
  ['WFL-003', approvingDdr([], { id: 'WFL-003', workflows: { other_text: 'f'.repeat(64) } })],
]);

const context = (sessionId: string | null): BuiltInToolContext => ({
  sessionId,
  turn: null,
  callId: 'call-1',
  cause: { toolCallId: 'call-1' },
  actor: 'model',
  approve: 'none',
  signal: new AbortController().signal,
});

const preconditionContext: PreconditionContext = {
  modeOf: () => ({ key: 'general' }),
  ddr: () => null,
  changedAt: () => null,
};

const sessionSaying = (text: string): SessionState => ({
  ...emptySession('s'),
  turnCount: 1,
  head: 0,
  blocks: [[{ turn: 0, text, at: 0, runMode: 'ask', model: { providerId: 'p', model: 'm' } }]],
});

function start(definitions: readonly WorkflowDefinition[] = all, said?: string) {
  const store = createInMemoryWorkflowStore(definitions);
  const registry = createWorkflowRegistry({
    store,
    ddr: (id) => ddrs.get(id) ?? null,
    onDdrChange: () => () => undefined,
  });
  const tool = createRegistryTool({ registry, state: () => sessionSaying(said ?? ''), preconditionContext });
  const call = async (args: unknown): Promise<unknown> => {
    const given = typeof args === 'string' ? args : JSON.stringify(args);
    const answer = await tool.execute(given, context(said === undefined ? null : 's'));
    return answer.ok ? (JSON.parse(answer.value) as unknown) : answer.error;
  };
  return { tool, call, store, registry };
}

const rowOf = (definition: WorkflowDefinition) => ({
  WorkflowId: definition.WorkflowId,
  Title: definition.Title,
  Description: definition.Description,
  UserIntentPatterns: definition.UserIntentPatterns,
});
const manifestOf = (workflowId: string) => ({ operation: 'get_workflow_manifest', workflowId });
const matchOf = (userMessage: string) => ({ operation: 'match_workflow', userMessage });

describe('the answers of the registry', () => {
  const cases: readonly (readonly [title: string, args: unknown, answer: unknown])[] = [
    [
      '[T6-4-1-list] [T6-5-3-list] the list has ids, titles, descriptions and patterns of those that can run, and no script',
      { operation: 'list_workflows' },
      { workflows: [rowOf(create), rowOf(old), { ...rowOf(trial), Visibility: 'experimental' }] },
    ],
    [
      '[T6-4-2-manifest] [T6-5-3-manifest] the manifest is the whole definition, word for word',
      manifestOf('create_ddr'),
      { workflow: create },
    ],
    [
      '[T6-8-5-deprecated] a deprecated workflow is given with the sentence that says so',
      manifestOf('old_way'),
      { workflow: { ...old, Warnings: ['Workflow ‘old_way’ is deprecated.'] } },
    ],
    [
      '[T6-7-8-experimental] an experimental workflow is given with a warning',
      manifestOf('trial_run'),
      {
        workflow: {
          ...trial,
          Warnings: ['Workflow ‘trial_run’ is experimental: the user confirms its start.'],
        },
      },
    ],
    [
      '[T6-5-3-match] a match has an id, a score and why',
      matchOf('create a new ddr'),
      {
        matches: [
          expect.objectContaining({ workflowId: 'create_ddr', runnable: true }),
          expect.objectContaining({ workflowId: 'no_approval', runnable: false }),
          expect.objectContaining({ workflowId: 'old_way', note: 'Workflow ‘old_way’ is deprecated.' }),
          expect.objectContaining({ workflowId: 'other_text', runnable: false }),
        ],
      },
    ],
    [
      '[T6-8-5-disabled] a disabled workflow is found only with the note that it cannot run',
      matchOf('please tidy the attic'),
      {
        matches: [
          expect.objectContaining({
            workflowId: 'switched_off',
            runnable: false,
            note: 'Workflow ‘switched_off’ is disabled.',
          }),
        ],
      },
    ],
    ['an empty message matches nothing', matchOf(''), { matches: [] }],
    ['one letter matches nothing', matchOf('c'), { matches: [] }],
  ];
  test.each(cases)('%s', async (_title, args, answer) => {
    expect(await start().call(args)).toEqual(answer);
  });
});

describe('the refusals of the registry, each with its own message', () => {
  const refused = (kind: string, code: string, message: string): unknown =>
    expect.objectContaining({ kind, code, message });
  const operations = 'list_workflows, get_workflow_manifest, match_workflow';
  const cases: readonly (readonly [title: string, args: unknown, answer: unknown])[] = [
    [
      '[T6-5-1-missing-operation] no operation',
      {},
      refused('TOOL', 'INVALID_ARGUMENTS', `operation is missing. There are: ${operations}.`),
    ],
    [
      '[T6-5-1-unknown-operation] another operation',
      { operation: 'run_workflow' },
      refused('TOOL', 'INVALID_ARGUMENTS', `Unknown operation ‘run_workflow’. There are: ${operations}.`),
    ],
    [
      '[T6-5-1-missing-workflow-id] a manifest of nothing',
      { operation: 'get_workflow_manifest' },
      refused('TOOL', 'INVALID_ARGUMENTS', 'workflowId is missing: get_workflow_manifest needs it.'),
    ],
    [
      '[T6-5-2-user-message] a match for no message',
      { operation: 'match_workflow' },
      refused('TOOL', 'INVALID_ARGUMENTS', 'userMessage is missing: match_workflow needs it.'),
    ],
    [
      'a message that is no text',
      { operation: 'match_workflow', userMessage: 7 },
      refused('TOOL', 'INVALID_ARGUMENTS', 'userMessage must be a text.'),
    ],
    [
      'an id that is no text',
      { operation: 'get_workflow_manifest', workflowId: 7 },
      refused('TOOL', 'INVALID_ARGUMENTS', 'workflowId must be a text.'),
    ],
    ...[null, ' '].map(
      (workflowId) =>
        [
          'an empty id',
          { operation: 'get_workflow_manifest', workflowId },
          refused('TOOL', 'INVALID_ARGUMENTS', 'workflowId is missing: get_workflow_manifest needs it.'),
        ] as const,
    ),
    [
      'an operation of spaces',
      { operation: ' ' },
      refused('TOOL', 'INVALID_ARGUMENTS', `operation is missing. There are: ${operations}.`),
    ],
    [
      'an operation that is no text',
      { operation: ['list'] },
      refused('TOOL', 'INVALID_ARGUMENTS', `Unknown operation ‘["list"]’. There are: ${operations}.`),
    ],
    [
      'an operation of any length',
      { operation: 'x'.repeat(150) },
      refused(
        'TOOL',
        'INVALID_ARGUMENTS',
        `Unknown operation ‘${'x'.repeat(100)}’. There are: ${operations}.`,
      ),
    ],
    [
      'an argument there is not',
      { operation: 'list_workflows', ['x'.repeat(150)]: 1 },
      refused(
        'TOOL',
        'INVALID_ARGUMENTS',
        `${'x'.repeat(100)} is not an argument. There are: operation, workflowId, userMessage.`,
      ),
    ],
    ['no JSON', '{', refused('TOOL', 'INVALID_ARGUMENTS', 'The arguments must be one JSON object.')],
    ['a list', '[]', refused('TOOL', 'INVALID_ARGUMENTS', 'The arguments must be one JSON object.')],
    [
      '[T6-5-1-not-found] [T6-4-3-unknown] [T6-7-1-no-invention] a workflow there is not',
      manifestOf('xyz'),
      refused('HOST', 'NOT_FOUND', 'Unknown workflow ‘xyz’.'),
    ],
    [
      '[T6-4-3-disabled] a disabled one',
      manifestOf('switched_off'),
      refused('HOST', 'STATE', 'Workflow ‘switched_off’ is disabled.'),
    ],
    [
      '[T6-4-3-approval] [T6-8-2-ddr] one whose design record is not approved',
      manifestOf('no_approval'),
      refused('HOST', 'STATE', 'Workflow requires approval before use.'),
    ],
    [
      '[T6-8-8-drift] one that is not what was approved',
      manifestOf('other_text'),
      refused(
        'HOST',
        'STATE',
        'Workflow ‘other_text’ is halted: the definition in use is not the one approved in WFL-003.',
      ),
    ],
    [
      '[T6-7-8-hidden] a hidden one that the user did not name',
      manifestOf('self_test'),
      refused('HOST', 'NOT_FOUND', 'Unknown workflow ‘self_test’.'),
    ],
  ];
  test.each(cases)('%s', async (_title, args, answer) => {
    expect(await start().call(args)).toEqual(answer);
  });

  test('[T6-5-1-incomplete] [T6-4-4-complete] do not return an incomplete definition', async () => {
    const { InstructionText: _none, ...rest } = create;
    const { call } = start([rest as WorkflowDefinition]);
    // Its record approves the complete definition, so this one would also have drifted: approve the
    // incomplete one.
    ddrs.set('WFL-009', approvingDdr([{ ...rest, Ddr: 'WFL-009' } as WorkflowDefinition], { id: 'WFL-009' }));
    const broken = start([{ ...rest, Ddr: 'WFL-009' } as WorkflowDefinition]);
    expect(await call(manifestOf('create_ddr'))).toMatchObject({ code: 'STATE' });
    expect(await broken.call(manifestOf('create_ddr'))).toMatchObject({
      kind: 'HOST',
      code: 'STATE',
      message: expect.stringContaining('Workflow ‘create_ddr’ is incomplete: InstructionText') as string,
    });
  });
});

describe('hidden workflows [T6-7-8-hidden] [T6-8-6-explicit-id]', () => {
  test('are returned when the user’s last line contains the exact id, whatever the model says', async () => {
    const named = start(all, 'use workflow: self_test');
    expect(await named.call(manifestOf('self_test'))).toEqual({ workflow: secret });
    expect(await named.call(matchOf('anything with self_test'))).toMatchObject({
      matches: [{ workflowId: 'self_test', matchScore: 1 }],
    });
    const unnamed = start(all, 'check the machine');
    expect(await unnamed.call(manifestOf('self_test'))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await unnamed.call(matchOf('use workflow: self_test'))).toEqual({ matches: [] });
    expect(await start(all, 'my_self_test_2 fails').call(manifestOf('self_test'))).toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('a call outside a session', () => {
  const outside = async (args: object): Promise<unknown> => {
    const answer = await start().tool.execute(JSON.stringify(args), context(null));
    return answer.ok ? JSON.parse(answer.value) : answer.error;
  };

  test('[T6-7-8-hidden] takes the message for the user’s only line', async () => {
    expect(await outside(matchOf('use self_test'))).toMatchObject({ matches: [{ workflowId: 'self_test' }] });
    expect(await outside(matchOf('check the machine'))).toEqual({ matches: [] });
    expect(await outside(manifestOf('self_test'))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('[T6-3-2-match-eligible] checks preconditions against a new session', async () => {
    const bound = sampleWorkflow({
      Preconditions: [{ kind: 'focus', entityType: 'ddr' }],
      Ddr: 'WFL-010',
    });
    ddrs.set('WFL-010', approvingDdr([bound], { id: 'WFL-010' }));
    const answer = await start([bound]).tool.execute(
      JSON.stringify(matchOf('create a new ddr')),
      context(null),
    );
    expect(answer.ok && JSON.parse(answer.value)).toMatchObject({
      matches: [{ runnable: false, note: 'The session has to work on a ddr.' }],
    });
  });
});

describe('the registry tool', () => {
  test('[T6-5-1-members] has its name, the server-side mark, the metadata and one schema', () => {
    const { tool } = start();
    expect(tool).toMatchObject({
      name: 'agent_workflow_registry',
      isToolFullyExecutedOnServer: true,
      alwaysOffered: true,
      toolUsageMetadata: expect.stringContaining('provides workflow metadata to the LLM') as string,
      answersArguments: true,
      schema: {
        type: 'object',
        properties: {
          operation: { type: 'string' },
          workflowId: { type: 'string' },
          userMessage: { type: 'string' },
        },
        additionalProperties: false,
      },
    });
  });

  test('[T6-5-4-pure] [T6-5-5-stable] changes nothing: the same question has the same answer, byte for byte', async () => {
    const { tool } = start();
    const asked = [{ operation: 'list_workflows' }, manifestOf('create_ddr'), matchOf('create a ddr')];
    const ask = () => Promise.all(asked.map((args) => tool.execute(JSON.stringify(args), context(null))));
    expect(await ask()).toEqual(await ask());
  });
});

describe('the schema and results before a start', () => {
  test('[T6-3-2-match-eligible] a workflow whose precondition is not met is matched as not runnable, with that precondition', async () => {
    const bound = sampleWorkflow({
      WorkflowId: 'bound_one',
      Ddr: 'WFL-010',
      UserIntentPatterns: ['Author a new workflow'],
      Preconditions: [
        { kind: 'mode', modes: ['workflow_authoring'], because: 'Workflows are written there.' },
      ],
    });
    ddrs.set('WFL-010', approvingDdr([bound], { id: 'WFL-010' }));
    const { call } = start([bound]);
    expect(await call(matchOf('author a new workflow'))).toMatchObject({
      matches: [
        {
          workflowId: 'bound_one',
          runnable: false,
          note: expect.stringContaining('has to be in the mode workflow_authoring') as string,
        },
      ],
    });
  });

  test('[T6-5-1-schema] the operations are an enum, and one is required', () => {
    const { tool } = start();
    expect(tool.schema).toMatchObject({
      required: ['operation'],
      properties: {
        operation: { enum: ['list_workflows', 'get_workflow_manifest', 'match_workflow'] },
      },
    });
  });

  test('[T6-5-5-extensible] an operation of a later version is refused with the list of existing ones', async () => {
    const { call } = start();
    expect(await call({ operation: 'simulate_workflow' })).toMatchObject({
      message:
        'Unknown operation ‘simulate_workflow’. There are: list_workflows, get_workflow_manifest, match_workflow.',
    });
  });
});
