import { describe, expect, it } from 'vitest';
import { sampleWorkflow } from '../testing/sample-workflows';
import { applyWorkflowEvent, type WorkflowChange, type WorkflowFact } from './apply-workflow-event';
import type { WorkflowApproval } from './workflow-event';
import { noWorkflows, type WorkflowSessionState } from './workflow-state';

const key = { workflowRunId: 'w1', turn: 0 } as const;
const definition = sampleWorkflow();
const started = (more: object = {}): WorkflowFact => ({
  type: 'workflow-started',
  ...key,
  definition,
  hash: 'h',
  by: 'model',
  cause: { toolCallId: 'c' },
  proposed: { about: 'storage' },
  ...more,
});
const stepped = (tool: string, workflowRunId = 'w1'): WorkflowFact => ({
  type: 'workflow-step-ended',
  ...key,
  workflowRunId,
  tool,
  arguments: {},
  outcome: 'done',
});
const approval = (more: Partial<WorkflowApproval> = {}): WorkflowFact => ({
  type: 'workflow-approval-answered',
  ...key,
  approval: { action: 'Write it', tool: 'write', hash: 'h1', approved: true, ...more },
});
const used = (hash: string): WorkflowFact => ({ type: 'workflow-approval-used', ...key, hash });
const raised = (more: object = {}): WorkflowFact => ({
  type: 'workflow-error-raised',
  ...key,
  workflowId: 'create_ddr',
  kind: 'tool-failed',
  message: 'The tool failed.',
  tool: 'write',
  halts: true,
  ...more,
});
const ended = (outcome: 'completed' | 'cancelled' | 'switched'): WorkflowFact => ({
  type: 'workflow-ended',
  ...key,
  outcome,
  summary: 'Written.',
  by: 'user',
});

/** The last change of these facts, in a session in which all of them happened. */
function changeOf(
  ...facts: readonly WorkflowFact[]
): WorkflowChange & { readonly whole: WorkflowSessionState } {
  let whole = noWorkflows;
  let change: WorkflowChange = { state: {} };
  for (const [index, fact] of facts.entries()) {
    change = applyWorkflowEvent(whole, { ...fact, at: 1_000 + index });
    whole = { ...whole, ...change.state };
  }
  return { ...change, whole };
}
const workflowOf = (...facts: readonly WorkflowFact[]) => changeOf(...facts).whole.workflow;

describe('a workflow that starts', () => {
  it('has its definition, who started it, and the values that a model proposes', () => {
    const { whole, moment } = changeOf(started());
    expect(whole.workflow).toEqual({
      workflowRunId: 'w1',
      definition,
      hash: 'h',
      startedAt: 1_000,
      startedBy: 'model',
      turn: 0,
      proposed: { about: 'storage' },
      inputs: {},
      steps: [],
      stepCount: 0,
      approvals: [],
      halted: null,
    });
    expect(moment).toEqual({ kind: 'started', title: definition.Title, by: 'model' });
  });

  it('waits for its inputs, whatever a model proposes, and then has those of the user', () => {
    const field = { name: 'about', title: 'About', type: 'text' as const, required: true };
    const asking = { definition: { ...definition, RequiredInputs: [field] } };
    expect(workflowOf(started(asking))?.inputs).toBeNull();
    const given: WorkflowFact = { type: 'workflow-inputs-given', ...key, inputs: { about: 'mail' } };
    expect(workflowOf(started(asking), given)?.inputs).toEqual({ about: 'mail' });
    expect(changeOf(started(asking), given).moment).toEqual({
      kind: 'inputs-given',
      title: definition.Title,
      inputs: { about: 'mail' },
    });
  });

  it('replaces the one before it', () => {
    expect(workflowOf(started(), stepped('a'), started({ workflowRunId: 'w2' }))).toMatchObject({
      workflowRunId: 'w2',
      stepCount: 0,
    });
  });
});

describe('the steps of a workflow', () => {
  it('are the newest 200, and all are counted', () => {
    const steps = Array.from({ length: 203 }, (_, index) => stepped(`tool${index}`));
    const run = workflowOf(started(), ...steps);
    expect([run?.steps.length, run?.steps[0]?.tool, run?.stepCount]).toEqual([200, 'tool3', 203]);
  });

  it('are its own: a fact of another run, or without a run, changes nothing', () => {
    expect(changeOf(started(), stepped('a', 'w9')).state).toEqual({});
    expect(changeOf(stepped('a'))).toMatchObject({ state: {}, whole: noWorkflows });
  });

  it('are not shown as events of the line', () => {
    expect(changeOf(started(), stepped('a'))).not.toHaveProperty('moment');
  });
});

describe('an approval', () => {
  const flags = (...facts: readonly WorkflowFact[]) =>
    workflowOf(started(), ...facts)?.approvals.map((one) => one.used);

  it('allows one call: each use takes the first approval of that call that is left', () => {
    const two = [approval(), approval()];
    expect(flags(...two, used('h1'))).toEqual([true, false]);
    expect(flags(...two, used('h1'), used('h1'))).toEqual([true, true]);
    expect(flags(...two, used('h1'), used('h1'), used('h1'))).toEqual([true, true]);
  });

  it('does not allow another call', () => {
    expect(flags(approval(), used('h2'))).toEqual([false]);
  });

  it('that was denied allows nothing', () => {
    expect(flags(approval({ approved: false }), approval(), used('h1'))).toEqual([false, true]);
  });

  it('is shown with its answer; its use is not', () => {
    const answered = changeOf(started(), approval({ approved: false }));
    expect(answered.moment).toEqual({
      kind: 'approval',
      title: definition.Title,
      approval: { action: 'Write it', tool: 'write', hash: 'h1', approved: false },
    });
    expect(changeOf(started(), approval(), used('h1'))).not.toHaveProperty('moment');
  });
});

describe('an error', () => {
  const problem = { kind: 'tool-failed', message: 'The tool failed.', tool: 'write' };

  it('stops the workflow until the user chooses', () => {
    expect(workflowOf(started(), raised())?.halted).toEqual(problem);
    const choice: WorkflowFact = { type: 'workflow-error-answered', ...key, choice: 'retry' };
    expect(workflowOf(started(), raised(), choice)?.halted).toBeNull();
    expect(changeOf(started(), raised(), choice).moment).toMatchObject({ kind: 'choice', choice: 'retry' });
  });

  it('that stops nothing is only shown', () => {
    const { state, moment } = changeOf(started(), raised({ halts: false, tool: undefined }));
    expect(state).toEqual({});
    expect(moment).toEqual({
      kind: 'error',
      title: definition.Title,
      workflowId: 'create_ddr',
      problem: { kind: 'tool-failed', message: 'The tool failed.' },
    });
  });

  it.each([
    ['without an active workflow', [raised({ workflowRunId: undefined })]],
    ['of a workflow that is not the active one', [started(), raised({ workflowRunId: 'w9' })]],
  ])('%s stops none, and names the workflow by its id', (_name, facts) => {
    const { state, moment } = changeOf(...facts);
    expect(state).toEqual({});
    expect(moment).toMatchObject({ kind: 'error', title: 'create_ddr', problem });
  });
});

describe('a workflow that ends', () => {
  const followUps = [{ text: 'Publish the record' }];
  const withFollowUps = started({ definition: { ...definition, FollowUpOptions: followUps } });

  it('is not active any more, and is remembered once when it was completed', () => {
    const { whole } = changeOf(started(), ended('completed'), started(), ended('completed'));
    expect(whole).toMatchObject({ workflow: null, completedWorkflows: ['create_ddr'] });
  });

  it.each(['cancelled', 'switched'] as const)('is not remembered when it was %s', (outcome) => {
    expect(changeOf(started(), ended(outcome)).whole).toMatchObject({
      workflow: null,
      completedWorkflows: [],
    });
  });

  it.each([
    ['completed', followUps],
    ['cancelled', []],
  ] as const)('offers what can follow only when it was completed: %s', (outcome, offered) => {
    expect(changeOf(withFollowUps, ended(outcome)).moment).toEqual({
      kind: 'ended',
      title: definition.Title,
      outcome,
      summary: 'Written.',
      followUps: offered,
    });
  });

  it('cannot end twice', () => {
    expect(changeOf(started(), ended('cancelled'), ended('completed'))).toMatchObject({
      state: {},
      whole: { completedWorkflows: [] },
    });
  });
});

it('pins the versions that a session uses, and leaves the active workflow as it is', () => {
  const pin = { create_ddr: '2.0.0' };
  const pinned: WorkflowFact = { type: 'workflows-pinned', pin };
  expect(changeOf(started(), pinned).state).toEqual({ workflowPin: pin });
});
