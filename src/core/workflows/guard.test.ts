import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { emptySession, type SessionState } from '#shared/session-state';
import { sampleWorkflow } from '../../testing/sample-workflows';
import { canonicalHash } from '../tools/canonical-hash';
import { callFacts, createWorkflowGuard, workflowLists } from './guard';
import { createRegistryView } from './registry-view';

const tool = 'agent_ddr_manager';
const definition = sampleWorkflow({ PermittedTools: [tool] });
const row = { definition, layer: { kind: 'home' as const }, hash: canonicalHash(definition) };
const approved = createRegistryView([{ ...row, approval: { kind: 'approved' } }]);
const unreadable = createRegistryView(
  [],
  new Map(),
  new Map([[definition.WorkflowId, '/h/x.json: It is not JSON.']]),
);

const running = (inputs: Record<string, string> | null): SessionState => ({
  ...emptySession('s'),
  workflow: {
    workflowRunId: 'wfr_1',
    definition,
    hash: row.hash,
    startedAt: 0,
    startedBy: 'user',
    turn: 0,
    proposed: {},
    inputs,
    steps: [],
    stepCount: 0,
    approvals: [],
    halted: null,
  },
});

const refused = err(
  appError('POLICY', 'CAPABILITY_DENIED', 'The active workflow does not offer it.', { layer: 'workflow' }),
);
const raised = (state: SessionState, view = approved) =>
  callFacts({ state, view, turn: 0, tool, args: {}, result: refused }).find(
    ({ type }) => type === 'workflow-error-raised',
  );
const permitted = (state: SessionState, view = approved) =>
  workflowLists({ modeTools: [tool] }, state, view).workflowTools;

const answerOf = (called: string, error = refused) => {
  const guard = createWorkflowGuard({
    log: { state: () => running({ title: 'x' }), append: () => ok([]) },
    registry: { view: () => approved },
  });
  const state = running({ title: 'x' });
  const { result } = guard.ended({ state, turn: 0, tool: called, args: {}, result: error });
  return result.ok ? null : result.error;
};
const byMode = err(
  appError('POLICY', 'CAPABILITY_DENIED', 'The active mode does not offer it.', { layer: 'mode' }),
);

describe('a refusal while a workflow runs', () => {
  it('[T6-7-2-layer] names the workflow as the layer when its list lacks the tool', () => {
    for (const error of [refused, byMode]) {
      expect(answerOf('agent_other_tool', error)).toMatchObject({
        layer: 'workflow',
        message: 'agent_other_tool is not permitted in this workflow. It was not called.',
      });
    }
  });

  it('[T6-7-2-layer] keeps layer and message of another list for a tool that the workflow permits', () => {
    expect(answerOf(tool, byMode)).toMatchObject({
      layer: 'mode',
      message: 'The active mode does not offer it.',
    });
  });
});

describe('a blocked workflow', () => {
  it('[T6-6-2-inputs-first] allows no tool call before the inputs, and says so', () => {
    expect(permitted(running(null))).not.toContain(tool);
    expect(raised(running(null))).toMatchObject({
      kind: 'inputs-missing',
      message: 'The user has not given the required inputs yet.',
    });
    expect(permitted(running({ title: 'x' }))).toContain(tool);
    expect(raised(running({ title: 'x' }))).toMatchObject({ kind: 'tool-not-permitted' });
  });

  it('[DAMAGE-halted] is halted while its published file cannot be read', () => {
    expect(permitted(running({ title: 'x' }), unreadable)).not.toContain(tool);
    expect(raised(running({ title: 'x' }), unreadable)).toMatchObject({
      kind: 'drift',
      message: expect.stringContaining('/h/x.json: It is not JSON.') as string,
    });
  });
});
