import { describe, expect, it } from 'vitest';
import { emptySession, type SessionState } from '#shared/session-state';
import { WorkflowDefinition } from '#shared/workflow';
import type { WorkflowRun } from '#shared/workflow-state';
import { contextOf } from '../../testing/ddr-harness';
import { approvingDdr, sampleRun, sampleWorkflow } from '../../testing/sample-workflows';
import { createInMemoryWorkflowStore } from '../../testing/in-memory-workflow-store';
import { canonicalHash } from '../tools/canonical-hash';
import { builtInScope } from '../tools/call-scope';
import { createToolCalls, writtenCall } from '../tools/call-tool';
import { createSchemaCheck } from '../tools/schema-check';
import { activeBlock } from './active-block';
import { bootBlock } from './boot-block';
import { failingPreconditions, type PreconditionContext } from './conditions';
import { callFacts, needsApproval } from './guard';
import { createWorkflowRegistry } from './registry';
import { createRegistryTool } from './registry-tool';
import { createStartTool, type StartDeps } from './start-tool';

const create = sampleWorkflow();
const review = sampleWorkflow({
  WorkflowId: 'review_ddr',
  Title: 'Review a DDR',
  UserIntentPatterns: ['Review a DDR'],
});
const refine = sampleWorkflow({
  WorkflowId: 'refine_ddr',
  Title: 'Refine a DDR',
  UserIntentPatterns: ['Refine a DDR'],
});
const trial = sampleWorkflow({ WorkflowId: 'trial_run', Visibility: 'experimental' });
const secret = sampleWorkflow({ WorkflowId: 'self_test', Visibility: 'hidden' });
const off = sampleWorkflow({ WorkflowId: 'switched_off', Status: 'disabled' });
const all = [create, review, refine, trial, secret, off];

function registryOver(definitions: readonly WorkflowDefinition[]) {
  const record = approvingDdr(definitions);
  const store = createInMemoryWorkflowStore(definitions);
  return createWorkflowRegistry({ store, ddr: () => record, onDdrChange: () => () => undefined });
}

const viewOf = (definitions: readonly WorkflowDefinition[]) => registryOver(definitions).view(null);
const preconditionContext: PreconditionContext = {
  modeOf: () => ({ key: 'general' }),
  ddr: () => null,
  changedAt: () => null,
};
const toolOver = (definitions: readonly WorkflowDefinition[]) =>
  createRegistryTool({ registry: registryOver(definitions), state: () => null, preconditionContext });

const runOf = (definition: WorkflowDefinition): WorkflowRun => sampleRun({ definition });
const inWorkflow = (definition: WorkflowDefinition): SessionState => ({
  ...emptySession('s'),
  workflow: runOf(definition),
});

/** The tools offered in a reply while no workflow runs. */
const asking = { names: ['agent_workflow_registry', 'agent_start_workflow'], reach: 'patina' } as const;

describe('the contract of a workflow', () => {
  const mandatory = [
    ...['WorkflowId', 'Title', 'Description', 'UserIntentPatterns', 'RequiredInputs', 'InstructionText'],
    ...['PermittedTools', 'CompletionCriteria', 'Version', 'Status', 'Visibility', 'Ddr'],
  ];
  it.each(mandatory)('[T6-2-contents] [T6-8-4-field] requires %s', (field) => {
    const { [field as keyof WorkflowDefinition]: _left, ...rest } = create;
    expect(WorkflowDefinition.safeParse(create).success).toBe(true);
    expect(WorkflowDefinition.safeParse(rest).success).toBe(false);
  });

  it('[T6-8-10-extensions] excludes metadata of a pack from the hash and from the behaviour of others', () => {
    const extended = { ...review, Extensions: { compatibility: { tools: ['x'] }, nested: ['create_ddr'] } };
    const parsed = WorkflowDefinition.parse(JSON.parse(JSON.stringify(create)));
    expect(canonicalHash(parsed)).toBe(canonicalHash(create));
    expect(Object.keys(parsed)).not.toContain('Extensions');
    const [plain, more] = [viewOf([create, review]), viewOf([create, extended])];
    expect(more.list()).toEqual(plain.list());
    expect(bootBlock(more, asking)).toBe(bootBlock(plain, asking));
    const nobody = (): boolean => false;
    expect(more.match('review the ddr', nobody)).toEqual(plain.match('review the ddr', nobody));
    expect(activeBlock(runOf(extended))).toBe(activeBlock(runOf(review)));
    // A key that is neither a field nor an extension is refused, so that a later field is never mistaken for
    // an unknown key.
    expect(WorkflowDefinition.safeParse({ ...create, Nested: [] }).success).toBe(false);
  });

  it('[T6-4-4-no-start] starts nothing on an incomplete manifest, and shows it', async () => {
    const { InstructionText: _none, ...rest } = create;
    const broken = rest as WorkflowDefinition;
    const raised: unknown[] = [];
    const tool = createStartTool({
      registry: registryOver([broken]),
      log: { state: () => emptySession('ses_1') },
      controller: { raise: (...given: unknown[]) => void raised.push(given[2]) },
    } as unknown as StartDeps);
    const started = await tool.execute('{"workflowId":"create_ddr"}', contextOf('model'));
    expect(started).toMatchObject({
      error: { message: expect.stringContaining('is incomplete: InstructionText') as string },
    });
    expect(raised).toMatchObject([{ workflowId: 'create_ddr' }]);
  });
});

describe('the registry for a model', () => {
  it('[T6-3-5-when] [T6-6-1-when] says when to call it', () => {
    const { toolUsageMetadata } = toolOver(all);
    for (const occasion of [
      'a task has several steps',
      "matches a workflow's patterns",
      'not sure which workflow applies',
      'asks what you can do',
      'names a workflow',
      'before the one before it is done',
      'clarification inside one',
    ]) {
      expect(toolUsageMetadata).toContain(occasion);
    }
  });

  it('[T6-3-5-when] [T6-6-1-when] can be called whatever mode, tool set or workflow excludes', async () => {
    const toolCalls = createToolCalls({
      clock: { now: () => 0, elapsed: () => 0, after: () => () => undefined },
      ids: { next: (kind) => `${kind}_1` },
      checkSchema: createSchemaCheck(),
      servers: () => Promise.reject(new Error('No server is needed.')),
    });
    toolCalls.add([toolOver(all)]);
    const lists = { modeTools: [], catalogTools: [], workflowTools: [] };
    const name = 'agent_workflow_registry';
    expect(toolCalls.offered(lists).map((tool) => tool.name)).toEqual([name]);
    const { signal } = contextOf('model');
    const scope = builtInScope({ sessionId: null, turn: null, lists });
    const ask = (args: object) => toolCalls.callTool(scope, writtenCall(name, JSON.stringify(args)), signal);
    expect((await ask({ operation: 'list_workflows' })).result).toMatchObject({ ok: true });
    // [T6-7-2-schema] and only as its schema describes.
    expect((await ask({ operation: 'list_workflows', start: true })).result).toMatchObject({
      error: { code: 'INVALID_ARGUMENTS', layer: 'arguments' },
    });
  });

  it('[T6-5-4-structured] returns one JSON object with the field of the operation', async () => {
    const tool = toolOver(all);
    for (const [args, field] of [
      [{ operation: 'list_workflows' }, 'workflows'],
      [{ operation: 'get_workflow_manifest', workflowId: 'create_ddr' }, 'workflow'],
      [{ operation: 'match_workflow', userMessage: 'hello' }, 'matches'],
    ] as const) {
      const answer = await tool.execute(JSON.stringify(args), { ...contextOf('model'), sessionId: null });
      expect(answer.ok && Object.keys(JSON.parse(answer.value) as object)).toEqual([field]);
    }
  });

  it('[T6-3-4-selection] [T6-7-1-consult] returns candidates for ambiguous words, best first', () => {
    const found = viewOf(all).match('review or refine a ddr', () => false);
    expect(found.map(({ workflowId }) => workflowId)).toEqual(
      expect.arrayContaining(['review_ddr', 'refine_ddr']),
    );
    const scores = found.map(({ matchScore }) => matchScore);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it('[T6-10-5-separate] writes nothing: an operation of authoring is unknown to it', async () => {
    const answer = await toolOver(all).execute('{"operation":"publish_workflow"}', contextOf('model'));
    expect(answer).toMatchObject({
      error: { message: expect.stringContaining('Unknown operation ‘publish_workflow’') as string },
    });
  });
});

describe('the boot message', () => {
  const text = bootBlock(viewOf(all), asking);

  it('[T6-6-8-boot] contains id, title, summary and every pattern of each workflow, ordered by id', () => {
    const listed = [create, refine, review, trial];
    for (const { WorkflowId, Title, Description, UserIntentPatterns } of listed) {
      expect(text).toContain(`${Title}: ${Description}`);
      expect(text).toContain(UserIntentPatterns.map((pattern) => `"${pattern}"`).join('; '));
      expect(text).toMatch(new RegExp(`^- ${WorkflowId}\\b`, 'm'));
    }
    expect([...text.matchAll(/^- (\w+)(?: \[experimental\])? – /gm)].map(([, id]) => id)).toEqual(
      listed.map(({ WorkflowId }) => WorkflowId),
    );
    expect(text).not.toContain(create.InstructionText);
  });

  it('[T6-6-8-language] [T6-7-1-consult] says what the patterns are for, and that the model must invent nothing', () => {
    expect(text).toMatch(/^These are the workflows available to you\. If user input matches these patterns/);
    expect(text).toContain('There are no other workflows: never invent, change or merge one.');
    expect(text).toContain('match_workflow or list_workflows');
  });

  it('[T6-6-8-left-out] omits hidden and disabled ones, and marks experimental ones', () => {
    expect(text).not.toContain('self_test');
    expect(text).not.toContain('switched_off');
    expect(text).toContain('trial_run [experimental]');
  });
});

describe('the boot message of many workflows', () => {
  const patterns = ['alpha', 'bravo', 'charlie', 'delta', 'echo'].map((word) => `${word} ${'x'.repeat(60)}`);
  const rows = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      sampleWorkflow({ WorkflowId: `flow_${String(at)}`, UserIntentPatterns: patterns }),
    );

  it('[T6-6-8-long] keeps three patterns of each workflow and says where the others are', () => {
    const text = bootBlock(viewOf(rows(9)), asking);
    expect(text.match(/charlie x/g)).toHaveLength(9);
    expect(text).not.toContain('delta x');
    expect(text).toContain('Only the first patterns of each workflow are listed here');
  });

  it('[T6-6-8-titles] keeps only the titles when three patterns of each are still too long', () => {
    const text = bootBlock(viewOf(rows(40)), asking);
    expect(text).not.toContain('alpha x');
    expect(text.match(/^- flow_\d+ – \S/gm)).toHaveLength(40);
    expect(text).toContain('Only the titles are listed here');
    expect(text.length).toBeLessThan(4_000);
  });

  it('[T6-6-8-running] lists only workflows that may take over while one is running', () => {
    const running = sampleWorkflow({ AllowedTransitions: { workflows: ['refine_ddr'], modes: [] } });
    const text = bootBlock(viewOf(all), asking, running);
    expect(text).toContain('refine_ddr');
    expect(text).not.toContain('review_ddr');
    expect(bootBlock(viewOf(all), asking, create)).toBe('');
  });

  it('[T6-6-8-boot] has one workflow a line, then how to use them, and nothing without the registry tool', () => {
    const [flow] = rows(1);
    const text = bootBlock(viewOf(rows(1)), asking);
    expect(text.split('\n').slice(1, 6)).toEqual([
      '',
      `- flow_0 – Create a new DDR: ${flow?.Description ?? ''}`,
      `  Patterns: ${patterns.map((pattern) => `"${pattern}"`).join('; ')}`,
      '',
      'How to use them:',
    ]);
    expect(text).toContain('match_workflow or list_workflows');
    expect(bootBlock(viewOf(rows(1)), { names: ['agent_start_workflow'], reach: 'patina' })).toBe('');
  });

  it('keeps every pattern while the message is short', () => {
    const text = bootBlock(viewOf(rows(2)), asking);
    expect(text.match(/echo x/g)).toHaveLength(2);
    expect(text).not.toContain('Only the first patterns');
  });
});

describe('a running workflow', () => {
  it('[T6-6-4-named] [T6-6-5-communication] is shown to the model with its name, its tools and its communication rules', () => {
    const text = activeBlock(runOf(create));
    expect(text).toContain('Active workflow: create_ddr (“Create a new DDR”, version 1.0.0)');
    for (const rule of [
      'Say which step comes next',
      'repeat what the user chose',
      'ask for what is missing instead of assuming it',
      'Before anything that writes, deletes, overwrites, publishes or modifies',
      'say that the workflow prohibits it and suggest what is allowed',
    ]) {
      expect(text).toContain(rule);
    }
  });

  it('[T6-6-5-irreversible] [T6-7-3-stated] needs a yes for every write, whether its manifest names it or not', () => {
    const run = runOf(create);
    expect(needsApproval(run, 'mcp://filesystem.write_file', {}, true)).toBe(true);
    expect(needsApproval(run, 'mcp://project.list_files', {}, false)).toBe(false);
    const named = { ...create, RequiredApprovals: [{ action: 'Ask', tool: 'agent_ddr_manager' }] };
    expect(needsApproval(runOf(named), 'agent_ddr_manager', {}, false)).toBe(true);
  });

  it('[T6-10-4-guidance] reports field errors of authoring and continues; a failure stops it', () => {
    const tool = 'agent_workflow_authoring';
    const definition = sampleWorkflow({ PermittedTools: [tool] });
    const state = inWorkflow(definition);
    const after = (answer: unknown) =>
      callFacts({
        state,
        view: viewOf([definition]),
        turn: 0,
        tool,
        args: {},
        result: { ok: true, value: JSON.stringify(answer) },
      });
    const guidance = { ok: false, errors: [{ field: 'Title', message: 'Title is missing.' }] };
    expect(after(guidance)).toMatchObject([
      { type: 'workflow-step-ended', outcome: 'failed' },
      { type: 'workflow-error-raised', halts: false },
    ]);
    expect(after({ ok: false, error: { code: 'storage', message: 'The disk is full.' } })).toMatchObject([
      { outcome: 'failed' },
      { type: 'workflow-error-raised', halts: true },
    ]);
  });
});

describe('a workflow inside another one', () => {
  const inside = sampleWorkflow({
    WorkflowId: 'inside_one',
    Preconditions: [{ kind: 'workflow', workflowId: 'create_ddr', state: 'active' }],
  });

  it('[T6-3-2-inside] can require that the outer one is running, but not that it was completed', () => {
    const failing = (state: SessionState) => failingPreconditions(preconditionContext, state, inside, null);
    expect(failing(inWorkflow(create))).toEqual([]);
    expect(failing({ ...emptySession('s'), completedWorkflows: ['create_ddr'] })).toEqual([
      'The workflow ‘create_ddr’ has to be running.',
    ]);
    const after = { kind: 'workflow' as const, workflowId: 'create_ddr' };
    expect(
      failingPreconditions(preconditionContext, inWorkflow(create), { Preconditions: [after] }, null),
    ).toEqual(['The workflow ‘create_ddr’ has to be completed first.']);
  });

  it('[T6-8-10-extensions] keeps its hash for a precondition without the newer field', () => {
    const plain = sampleWorkflow({ Preconditions: [{ kind: 'workflow', workflowId: 'create_ddr' }] });
    expect(Object.keys(plain.Preconditions?.[0] ?? {})).toEqual(['kind', 'workflowId']);
  });
});

describe('the text of the active block', () => {
  it('[T6-6-4-say-active] tells the model to name the workflow when the user is unsure', () => {
    expect(activeBlock(runOf(create))).toContain('say by its name which workflow is active');
  });

  it('[T6-7-2-both-names] names a server’s tool as it is offered and by its own name', () => {
    const reading = sampleWorkflow({ PermittedTools: ['mcp://project.read_text', 'agent_ddr_manager'] });
    expect(activeBlock(runOf(reading))).toContain(
      'Permitted tools: project__read_text (mcp://project.read_text), agent_ddr_manager',
    );
  });
});
