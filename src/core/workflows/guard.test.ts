import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err } from '#shared/result';
import { emptySession, type SessionState } from '#shared/session-state';
import { sampleWorkflow } from '../../testing/sample-workflows';
import { canonicalHash } from '../tools/canonical-hash';
import { callFacts, workflowLists } from './guard';
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

describe('a workflow that stands still', () => {
  it('[T6-6-2-inputs-first] lets no tool be called before the inputs, and says so', () => {
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
