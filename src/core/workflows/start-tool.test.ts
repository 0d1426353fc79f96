import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import type { WorkflowDefinition } from '#shared/workflow';
import { approvingDdr, sampleWorkflow } from '../../testing/sample-workflows';
import { answerIn, createWorkflowSession, type WorkflowSessionOptions } from '../../testing/workflow-session';
import { contextOf } from '../../testing/ddr-harness';
import { startTool } from './start-tool';

const plain = sampleWorkflow({ PermittedTools: [] });
const file = { name: 'file', question: 'Which file?', type: 'path', required: true, validation: {} } as const;
const asking = sampleWorkflow({
  WorkflowId: 'ask_first',
  Title: 'Ask first',
  RequiredInputs: [file, { ...file, name: 'words', question: 'How many?', type: 'number', required: false }],
  PermittedTools: ['agent_ddr_manager', 'mcp://filesystem.write_file'],
  RequiredApprovals: [
    { action: 'Write', tool: 'mcp://filesystem.write_file' },
    { action: 'Write again', tool: 'mcp://filesystem.write_file' },
    { action: 'Approve', tool: 'agent_ddr_manager' },
  ],
});
const auto = sampleWorkflow({ WorkflowId: 'by_itself', Title: 'By itself', AutoStart: true });

const open = (definitions: readonly WorkflowDefinition[], options?: WorkflowSessionOptions) => {
  const session = createWorkflowSession(definitions, options);
  return {
    ...session,
    start: (args: JsonObject, more: Parameters<typeof session.call>[2] = {}) =>
      session.call(startTool, args, more),
    running: () => session.run()?.definition.WorkflowId ?? null,
    raised: () => session.facts('workflow-error-raised'),
  };
};
const user = { actor: 'user' } as const;

describe('a model that starts a workflow', () => {
  it('[T6-6-2-initiate] asks the user, and starts with a yes', async () => {
    const session = open([plain]);
    session.click('Start');
    const answer = answerIn(await session.start({ workflowId: 'create_ddr' }));
    expect(answer).toEqual({
      started: true,
      workflow: plain,
      inputs: {},
      summary: 'Workflow started: Create a new DDR',
    });
    expect(session.asked).toMatchObject([
      {
        text: 'Start the workflow “Create a new DDR”?',
        detail: [
          'create_ddr 1.0.0: Writes a design record with the user, chapter by chapter.',
          'Tools it may use: none',
        ].join('\n'),
        options: ['Start', 'Not now'],
        mode: 'general',
        focusId: null,
      },
    ]);
    expect(session.run()).toMatchObject({
      definition: plain,
      hash: session.registry.view(null).find('create_ddr')?.hash,
      startedBy: 'model',
      turn: 0,
      proposed: {},
    });
    expect(session.resumed).toEqual([]);
  });

  it('[T6-6-2-initiate] starts nothing with a no', async () => {
    const session = open([plain]);
    session.click('Not now');
    expect(answerIn(await session.start({ workflowId: 'create_ddr' }))).toEqual({
      started: false,
      reason: 'The user did not want it to start.',
    });
    expect(session.facts('workflow-started', 'workflow-error-raised')).toEqual([]);
  });

  it('[T6-6-2-initiate] shows the user the whole scope of a yes', async () => {
    const trial = sampleWorkflow({ ...asking, Visibility: 'experimental', Status: 'deprecated' });
    const session = open([trial]);
    session.click('Not now');
    await session.start({ workflowId: 'ask_first', reason: 'You asked for it.' });
    expect(session.asked[0]?.detail).toBe(
      [
        'ask_first 1.0.0: Writes a design record with the user, chapter by chapter.',
        'Workflow ‘ask_first’ is deprecated.',
        'Workflow ‘ask_first’ is experimental: the user confirms its start.',
        'Tools it may use: agent_ddr_manager, mcp://filesystem.write_file',
        'It asks before each call of: mcp://filesystem.write_file, agent_ddr_manager',
        'It needs: file, words',
        'Why: You asked for it.',
      ].join('\n'),
    );
  });

  it('[T6-7-8-experimental] is told of the warnings with the answer', async () => {
    const session = open([sampleWorkflow({ Status: 'deprecated' })]);
    session.click('Start');
    expect(answerIn(await session.start({ workflowId: 'create_ddr' }))).toMatchObject({
      workflow: { Warnings: ['Workflow ‘create_ddr’ is deprecated.'] },
      summary:
        'Workflow started: Create a new DDR. This workflow is deprecated: it still runs, but its author no longer recommends it.',
    });
    expect(session.run()?.definition).not.toHaveProperty('Warnings');
  });

  it('[T6-6-2-autostart] starts a workflow that may start by itself without a question', async () => {
    const session = open([auto]);
    expect(answerIn(await session.start({ workflowId: 'by_itself' }))).toMatchObject({ started: true });
    expect(session.asked).toEqual([]);
    expect(session.running()).toBe('by_itself');
  });

  const drifting = sampleWorkflow({ WorkflowId: 'other_one' });
  it.each<
    readonly [what: string, definitions: readonly WorkflowDefinition[], options: WorkflowSessionOptions]
  >([
    ['is experimental', [{ ...auto, Visibility: 'experimental' }], {}],
    ['is hidden', [{ ...auto, Visibility: 'hidden' }], {}],
    ['is deprecated', [{ ...auto, Status: 'deprecated' }], {}],
    ['does not say so', [{ ...auto, AutoStart: false }], {}],
    [
      'would, while another one has drifted',
      [auto, drifting],
      { ddrs: [approvingDdr([auto], { workflows: { ...approvingDdr([auto]).workflows, other_one: 'x' } })] },
    ],
  ])('[T6-6-2-autostart] is asked about a workflow that %s', async (_what, definitions, options) => {
    const session = open(definitions, options);
    session.say(1, 'use by_itself');
    session.click('Not now');
    await session.start({ workflowId: 'by_itself' });
    expect(session.asked).toHaveLength(1);
    expect(session.running()).toBeNull();
  });

  it('[T6-6-2-autostart] is asked while a published file cannot be read', async () => {
    const session = open([auto]);
    const { store } = session;
    const published = store.published();
    const problem = { file: 'x.json', field: '', rule: 'json', reason: 'No JSON.', workflowId: 'x' };
    if (published.ok)
      store.published = () => ({ ok: true, value: { ...published.value, problems: [problem] } });
    session.click('Not now');
    await session.start({ workflowId: 'by_itself' });
    expect(session.asked).toHaveLength(1);
  });

  it('[T6-7-5-isolation] starts nothing with a yes to a card that is older than the running workflow', async () => {
    const session = open([plain, auto]);
    const started = session.start({ workflowId: 'create_ddr' });
    await session.start({ workflowId: 'by_itself' });
    const { questionId = '' } = session.asked[0] ?? {};
    const card = { sessionId: session.sessionId, turn: 0, questionId };
    expect(session.questions.answer({ ...card, option: 'Start' })).toMatchObject({
      error: { message: '‘create_ddr’ cannot start: the workflow ‘by_itself’ is running.' },
    });
    session.questions.answer({ ...card, option: 'Not now' });
    expect(answerIn(await started)).toMatchObject({ started: false });
    expect(session.running()).toBe('by_itself');
  });
});

describe('the inputs of a workflow that starts', () => {
  const inputs = { file: 'notes.md', words: 3 };
  const missing = [
    { name: 'file', question: 'Which file?' },
    { name: 'words', question: 'How many?' },
  ];

  it('[T6-6-7-inputs] are only proposed by a model, which waits until the user gives them', async () => {
    const session = open([asking]);
    session.click('Start');
    const started = session.start({ workflowId: 'ask_first', inputs: { file: 'made-up.md' } });
    await new Promise<void>((resolve) => {
      session.log.subscribe((events) => {
        if (events.some(({ type }) => type === 'workflow-started')) resolve();
      });
    });
    let answered = false;
    void started.then(() => (answered = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    expect(session.run()).toMatchObject({ inputs: null, proposed: { file: 'made-up.md' } });
    expect(session.workflows.controller.giveInputs(session.sessionId, inputs)).toMatchObject({ ok: true });
    expect(answerIn(await started)).toMatchObject({ started: true, inputs });
  });

  it('[T6-6-2-inputs-first] are listed as missing when the wait is cancelled or the workflow ended meanwhile', async () => {
    const session = open([asking]);
    const stopped = { approve: 'ask', signal: AbortSignal.abort(), actor: 'model' } as const;
    session.click('Start');
    await session.start({ workflowId: 'ask_first' }, { ...user });
    session.workflows.controller.cancel(session.sessionId);
    const withoutYes = await session.start({ workflowId: 'ask_first' }, stopped);
    expect(answerIn(withoutYes)).toMatchObject({ started: false });
    const waiting = new AbortController();
    const started = session.start({ workflowId: 'ask_first' }, { signal: waiting.signal });
    session.log.subscribe((events) => {
      if (events.some(({ type }) => type === 'workflow-started')) queueMicrotask(() => waiting.abort());
    });
    expect(answerIn(await started)).toEqual({
      started: true,
      workflow: asking,
      inputsMissing: missing,
      summary: 'Workflow started: Ask first',
    });
    session.workflows.controller.cancel(session.sessionId);
    session.log.subscribe((events) => {
      if (events.some(({ type }) => type === 'workflow-started'))
        queueMicrotask(() => session.workflows.controller.cancel(session.sessionId));
    });
    expect(answerIn(await session.start({ workflowId: 'ask_first' }))).toEqual({
      started: false,
      workflow: asking,
      inputsMissing: missing,
      summary: 'Workflow not started, as its inputs were not given: Ask first',
    });
  });

  it('are asked of the user after the user’s own start, which does not wait', async () => {
    const session = open([asking]);
    expect(answerIn(await session.start({ workflowId: 'ask_first' }, user))).toMatchObject({
      started: true,
      inputsMissing: missing,
    });
    expect(session.run()).toMatchObject({ startedBy: 'user', inputs: null });
    expect(session.resumed).toEqual([]);
  });

  it('are the user’s own with `--approve all`, in the same commit as the start', async () => {
    const session = open([asking]);
    const all = { approve: 'all', actor: 'user' } as const;
    expect(
      answerIn(await session.start({ workflowId: 'ask_first', inputs: { file: 'a', words: '3' } }, all)),
    ).toEqual({
      started: true,
      workflow: asking,
      inputs: { file: 'a', words: 3 },
      summary: 'Workflow started: Ask first',
    });
    const [started, given] = session.facts('workflow-started', 'workflow-inputs-given');
    expect(given).toMatchObject({ type: 'workflow-inputs-given', turn: 0, inputs: { file: 'a', words: 3 } });
    expect(given?.seq).toBe((started?.seq ?? 0) + 1);
    expect(session.resumed).toEqual([{ sessionId: session.sessionId, turn: 0 }]);
  });

  it('do not let a model continue a line that a start outside a line cannot have', async () => {
    const session = open([plain]);
    await session.start({ workflowId: 'create_ddr' }, { ...user, turn: null });
    expect(session.running()).toBe('create_ddr');
    expect(session.resumed).toEqual([]);
  });

  it('start nothing when they are invalid with `--approve all`', async () => {
    const session = open([asking]);
    const all = { approve: 'all', actor: 'model' } as const;
    expect(await session.start({ workflowId: 'ask_first', inputs: { file: '../x' } }, all)).toMatchObject({
      error: { code: 'INVALID_INPUT', problems: [{ field: 'file', rule: 'input' }] },
    });
    expect(session.running()).toBeNull();
    expect(answerIn(await session.start({ workflowId: 'ask_first' }, all))).toMatchObject({
      inputsMissing: missing,
    });
  });

  it('[T6-7-4-after-inputs] start nothing with `--approve all` when a precondition does not hold for them', async () => {
    const row = { kind: 'file', input: 'file', because: 'It is read.' } as const;
    const more = { kind: 'mode' as const, modes: ['general'] };
    const session = open([{ ...asking, Preconditions: [more, row] }]);
    const all = { approve: 'all', actor: 'user' } as const;
    expect(await session.start({ workflowId: 'ask_first', inputs: { file: 'a' } }, all)).toMatchObject({
      error: {
        kind: 'HOST',
        code: 'STATE',
        message: '‘ask_first’ cannot start. There is no a in the project folder. It is read.',
        hint: 'Give other inputs, or correct this first.',
      },
    });
    expect(session.running()).toBeNull();
  });
});

describe('a start that is refused', () => {
  const hidden = sampleWorkflow({ WorkflowId: 'self_test', Visibility: 'hidden' });
  const off = sampleWorkflow({ WorkflowId: 'old_way', Status: 'disabled' });
  const drifted = sampleWorkflow({ WorkflowId: 'other_text' });
  const bound = sampleWorkflow({
    WorkflowId: 'bound_one',
    Preconditions: [
      { kind: 'mode', modes: ['ddr_authoring'], because: 'It writes.' },
      { kind: 'focus', entityType: 'ddr' },
    ],
  });
  const approved = approvingDdr([plain, hidden, off, bound]);
  const ddrs = [{ ...approved, workflows: { ...approved.workflows, other_text: 'x' } }];
  const all = [plain, hidden, off, drifted, bound];
  const long = 'x'.repeat(150);

  it.each<
    readonly [args: { readonly workflowId: string; readonly version?: string }, kind: string, error: object]
  >([
    [
      { workflowId: long },
      'unknown-workflow',
      { code: 'NOT_FOUND', message: `Unknown workflow ‘${'x'.repeat(100)}’.` },
    ],
    [{ workflowId: 'self_test' }, 'unknown-workflow', { message: 'Unknown workflow ‘self_test’.' }],
    [{ workflowId: 'old_way' }, 'unknown-workflow', { message: 'Workflow ‘old_way’ is disabled.' }],
    [
      { workflowId: 'other_text' },
      'drift',
      {
        message: 'Workflow ‘other_text’ is halted: the definition in use is not the one approved in WFL-001.',
      },
    ],
    [
      { workflowId: 'create_ddr', version: '0.9.0' },
      'precondition-failed',
      {
        kind: 'HOST',
        code: 'STATE',
        tool: startTool,
        message: '‘create_ddr’ cannot start in version 0.9.0: only its newest version, 1.0.0, runs.',
        hint: 'Start it without a version. To run an earlier text, a person publishes it as the next version: “Use again” in the workflow’s history drafts it.',
      },
    ],
    [
      { workflowId: 'create_ddr', version: '9'.repeat(60) },
      'precondition-failed',
      {
        message: `‘create_ddr’ cannot start in version ${'9'.repeat(40)}: only its newest version, 1.0.0, runs.`,
      },
    ],
    [
      { workflowId: 'bound_one' },
      'precondition-failed',
      {
        kind: 'HOST',
        code: 'STATE',
        message:
          '‘bound_one’ cannot start. The session has to be in the mode ddr_authoring. It writes. The session has to work on a ddr.',
        hint: 'Correct this, choose another workflow, or leave it.',
      },
    ],
  ])('[T6-7-4-preconditions] shows the user the request and the reason: %j', async (args, kind, error) => {
    const session = open(all, { ddrs });
    expect(await session.start(args)).toMatchObject({ ok: false, error });
    const { message } = error as { readonly message: string };
    const workflowId = args.workflowId.slice(0, 100);
    expect(session.raised()).toMatchObject([{ workflowId, kind, message, halts: false, turn: 0 }]);
    expect(session.running()).toBeNull();
    expect(session.asked).toEqual([]);
  });

  it('[T6-7-8-hidden] is not refused when the user named the hidden workflow, in a line or as a command', async () => {
    const session = open(all, { ddrs });
    session.say(1, 'use workflow: self_test');
    session.click('Start');
    expect(answerIn(await session.start({ workflowId: 'self_test' }))).toMatchObject({ started: true });
    const other = open(all, { ddrs });
    expect(answerIn(await other.start({ workflowId: 'self_test' }, user))).toMatchObject({ started: true });
    expect(other.asked).toEqual([]);
  });

  it('[T6-7-5-isolation] [T6-6-4-one] is any start while a workflow runs that does not allow it', async () => {
    const session = open([plain, auto]);
    await session.start({ workflowId: 'create_ddr' }, user);
    for (const workflowId of ['by_itself', 'create_ddr']) {
      const message = `‘${workflowId}’ cannot start: the workflow ‘create_ddr’ is running.`;
      const hint = 'Complete it, or let the user cancel it first.';
      expect(await session.start({ workflowId })).toMatchObject({
        error: { kind: 'HOST', code: 'STATE', tool: startTool, message, hint },
      });
      expect(session.raised().at(-1)).toMatchObject({ workflowId, kind: 'second-workflow', message });
    }
    expect(session.running()).toBe('create_ddr');
  });

  it('[T6-7-5-isolation] is the start of the same workflow again, even if it lists itself', async () => {
    const self = { ...plain, AllowedTransitions: { workflows: ['create_ddr'], modes: [] } };
    const session = open([self]);
    await session.start({ workflowId: 'create_ddr' }, user);
    expect(await session.start({ workflowId: 'create_ddr' }, user)).toMatchObject({ ok: false });
    expect(session.facts('workflow-ended')).toEqual([]);
  });

  it('is one without a session, and nothing is recorded', async () => {
    const session = open([plain]);
    const error = {
      kind: 'HOST',
      code: 'STATE',
      message: 'A workflow runs in a session, and there is none.',
      hint: 'Name one with --session.',
    };
    for (const sessionId of [null, 'ses_unknown']) {
      expect(await session.start({ workflowId: 'nothing' }, { sessionId })).toMatchObject({ error });
    }
  });
});

describe('a workflow that may take over', () => {
  it('[T6-7-5-isolation] ends the running one in the same commit', async () => {
    const first = { ...plain, AllowedTransitions: { workflows: ['by_itself'], modes: [] } };
    const session = open([first, auto]);
    await session.start({ workflowId: 'create_ddr' }, user);
    const before = session.run()?.workflowRunId;
    await session.start({ workflowId: 'by_itself' });
    expect(session.facts('workflow-ended', 'workflow-started').slice(1)).toMatchObject([
      {
        type: 'workflow-ended',
        workflowRunId: before,
        turn: 0,
        outcome: 'switched',
        by: 'model',
        summary: '‘by_itself’ takes over.',
      },
      { type: 'workflow-started', by: 'model', cause: contextOf('model').cause },
    ]);
    expect(session.running()).toBe('by_itself');
    expect(session.run()?.workflowRunId).not.toBe(before);
  });
});

it('the start tool needs a session and the id of a workflow', () => {
  const tool = open([plain]).workflows.tools.find(({ name }) => name === startTool);
  expect(tool).toMatchObject({
    isToolFullyExecutedOnServer: true,
    needsSession: true,
    schema: {
      type: 'object',
      properties: {
        workflowId: { type: 'string' },
        version: { type: 'string' },
        inputs: { type: 'object' },
        reason: { type: 'string' },
      },
      required: ['workflowId'],
      additionalProperties: false,
    },
  });
});
