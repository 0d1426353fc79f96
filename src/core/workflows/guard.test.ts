import { describe, expect, it } from 'vitest';
import { appError, type AppError } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { emptySession, type SessionState } from '#shared/session-state';
import type { WorkflowRun } from '#shared/workflow-state';
import { sampleRun, sampleWorkflow } from '../../testing/sample-workflows';
import { canonicalHash } from '../tools/canonical-hash';
import { callFacts, createWorkflowGuard, isApproved, needsApproval, workflowLists } from './guard';
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

const drifted = createRegistryView([{ ...row, approval: { kind: 'drifted', reason: 'changed' } }]);

const running = (inputs: Record<string, string> | null, fields: Partial<WorkflowRun> = {}): SessionState => ({
  ...emptySession('s'),
  workflow: sampleRun({ definition, hash: row.hash, inputs, ...fields }),
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

describe('[T6-6-3-contract] the tools of a model', () => {
  const listed = (state: SessionState) => workflowLists({ modeTools: [tool] }, state, approved);
  const switching = { ...definition, AllowedTransitions: { workflows: ['review_ddr'], modes: [] } };

  it('include the start of a workflow while none runs', () => {
    expect(listed(emptySession('s'))).toEqual({ modeTools: [tool, 'agent_start_workflow'] });
  });

  it('are those that the workflow permits, and its end', () => {
    const ends = ['agent_complete_workflow', 'agent_cancel_workflow'];
    expect(listed(running({}))).toEqual({ modeTools: [tool, ...ends], workflowTools: [tool, ...ends] });
    const start = [...ends, 'agent_start_workflow'];
    expect(listed(running({}, { definition: switching }))).toEqual({
      modeTools: [tool, ...start],
      workflowTools: [tool, ...start],
    });
  });

  it('[T6-7-6-errors] [T6-8-8-drift] are only its end while it is stopped or has drifted', () => {
    const halted = { kind: 'tool-failed', message: 'It failed.' } as const;
    expect(permitted(running({}, { halted }))).not.toContain(tool);
    expect(permitted(running({}), drifted)).not.toContain(tool);
    expect(raised(running({}, { halted }))).toMatchObject({
      kind: 'tool-failed',
      message: 'The workflow is stopped until the user chooses to retry, correct or cancel: It failed.',
    });
    expect(raised(running({}), drifted)).toMatchObject({
      kind: 'drift',
      message:
        '‘create_ddr’ is halted: its definition is not the one approved in WFL-001. A person has to resolve this.',
    });
  });
});

describe('a call that needs an approval', () => {
  const approve = {
    ...definition,
    RequiredApprovals: [{ action: 'Approve', tool, when: { operation: ['approve_ddr', 'delete_ddr'] } }],
  };
  it.each<readonly [what: string, called: string, args: JsonObject, write: boolean, needed: boolean]>([
    ['writes', 'mcp://filesystem.write_file', {}, true, true],
    ['is named with one of these arguments', tool, { operation: 'delete_ddr', id: 'x' }, false, true],
    ['has another argument', tool, { operation: 'get_ddr' }, false, false],
    ['has no such argument', tool, {}, false, false],
    ['has an argument that is no text', tool, { operation: ['delete_ddr'] }, false, false],
    ['is of another tool', 'agent_list_modes', { operation: 'delete_ddr' }, false, false],
  ])('[T6-7-3-stated] %s', (_what, called, args, write, needed) => {
    expect(needsApproval(sampleRun({ definition: approve }), called, args, write)).toBe(needed);
  });

  it('[T6-7-3-approval] has one only by its own hash, from a yes that is unused', () => {
    const yes = { action: 'Approve', tool, hash: 'h1', approved: true, used: false };
    const approvals = [yes, { ...yes, hash: 'h2', approved: false }, { ...yes, hash: 'h3', used: true }];
    const run = sampleRun({ approvals });
    expect(['h1', 'h2', 'h3', 'h4'].map((hash) => isApproved(run, hash))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('[T6-7-3-approval] looks for it in the session as it is now, in the same run, and uses it up', () => {
    const appended: unknown[] = [];
    const yes = { action: 'Approve', tool, hash: 'h1', approved: true, used: false };
    let now: SessionState | null = running({}, { approvals: [yes] });
    let stored = true;
    const guard = createWorkflowGuard({
      log: {
        state: () => now,
        append: (sessionId, facts) => {
          appended.push(sessionId, ...facts);
          return stored ? ok([]) : err(appError('HOST', 'STORAGE', 'The disk is full.'));
        },
      },
      registry: { view: () => approved },
    });
    const approvals = guard.approvals({ sessionId: 's', turn: 3 }, sampleRun({ definition: approve }));
    const call = { tool, arguments: { operation: 'approve_ddr' } } as Parameters<typeof approvals.needed>[0];
    expect(approvals.needed(call, false)).toBe(true);
    expect(approvals.isApproved('h1')).toBe(true);
    expect(approvals.isApproved('h2')).toBe(false);
    expect(approvals.use('h1')).toBe(true);
    expect(appended).toEqual([
      's',
      { type: 'workflow-approval-used', workflowRunId: 'wfr_1', turn: 3, hash: 'h1' },
    ]);
    stored = false;
    expect(approvals.use('h1')).toBe(false);
    now = running({}, { workflowRunId: 'wfr_2', approvals: [yes] });
    expect(approvals.isApproved('h1')).toBe(false);
    for (const state of [emptySession('s'), null]) {
      now = state;
      expect(approvals.isApproved('h1')).toBe(false);
    }
  });
});

describe('the record of a call', () => {
  const factsOf = (
    result: Result<string>,
    more: { called?: string; args?: JsonObject; state?: SessionState } = {},
  ) => {
    const { called = tool, args = {}, state = running({}) } = more;
    return callFacts({ state, view: approved, turn: 2, tool: called, args, result });
  };
  const answered = (value: Json) => ok(JSON.stringify(value));
  const place = { workflowRunId: 'wfr_1', turn: 2 };
  const step = (outcome: 'done' | 'failed'): SessionFact => ({
    type: 'workflow-step-ended',
    ...place,
    tool,
    arguments: {},
    outcome,
  });
  const problem = (message: string, halts: boolean, error?: AppError): SessionFact => ({
    type: 'workflow-error-raised',
    ...place,
    workflowId: 'create_ddr',
    kind: 'tool-failed',
    tool,
    message,
    halts,
    ...(error && { error }),
  });

  it.each<readonly [what: string, value: string]>([
    ['an object', '{"ok":true,"error":{"message":"Not one."}}'],
    ['an object without a verdict', '{"error":{"message":"Not one."}}'],
    ['a list', '[{"ok":false}]'],
    ['a text', 'ok: false'],
  ])('[T6-6-3-results] is a step that is done when the tool answers with %s', (_what, value) => {
    expect(factsOf(ok(value))).toEqual([step('done')]);
  });

  it.each<readonly [answer: JsonObject, message: string, halts: boolean]>([
    [{ ok: false }, 'The tool reported a problem.', false],
    [{ ok: false, error: 'Broken.' }, 'The tool reported a problem.', false],
    [{ ok: false, error: { code: 'storage', message: 'The disk is full.' } }, 'The disk is full.', true],
    [{ ok: false, error: { code: 'storage', message: 7 } }, 'The tool failed.', true],
    [{ ok: false, error: { code: 'invalid_payload', message: 'No id.' } }, 'No id.', false],
    [{ ok: false, error: { code: 'approval_required', message: 'No.' } }, 'No.', false],
  ])(
    '[T6-7-6-errors] [T6-10-4-guidance] is a failed step when the tool reports %j',
    (answer, message, halts) => {
      expect(factsOf(answered(answer))).toEqual([step('failed'), problem(`${tool}: ${message}`, halts)]);
    },
  );

  it('[T6-7-6-errors] is a failed step when the tool fails; wrong arguments do not stop the workflow', () => {
    const failed = appError('TOOL', 'FAILED', 'It broke.', { layer: 'server' });
    const wrong = appError('TOOL', 'INVALID_ARGUMENTS', 'No id.', { layer: 'arguments' });
    expect(factsOf(err(failed))).toEqual([step('failed'), problem(`${tool}: It broke.`, true, failed)]);
    expect(factsOf(err(wrong))).toEqual([step('failed'), problem(`${tool}: No id.`, false, wrong)]);
  });

  it('is a step and no problem when the user stopped it', () => {
    expect(factsOf(err(appError('HOST', 'CANCELLED', 'Stopped.')))).toEqual([step('done')]);
    const timeout = appError('HOST', 'STATE', 'Stopped.');
    expect(factsOf(err(timeout))).toEqual([step('failed'), problem(`${tool}: Stopped.`, true, timeout)]);
  });

  it.each(['workflow', 'mode', 'descriptor', 'binding', 'capability'])(
    '[T6-7-2-layer] is no step when the layer %s refused the call',
    (layer) => {
      const error = appError('POLICY', 'CAPABILITY_DENIED', 'Not offered.', { layer });
      const [fact, ...others] = factsOf(err(error), { called: 'agent_other_tool' });
      expect(others).toEqual([]);
      expect(fact).toEqual({
        type: 'workflow-error-raised',
        ...place,
        workflowId: 'create_ddr',
        kind: 'tool-not-permitted',
        tool: 'agent_other_tool',
        message: 'agent_other_tool is not permitted in this workflow. It was not called.',
        halts: false,
        error,
      });
      expect(factsOf(err(error))).toMatchObject([{ kind: 'tool-not-permitted', message: 'Not offered.' }]);
    },
  );

  it('[T6-7-3-approval] is no step without the approval, also while the workflow is stopped', () => {
    const error = appError('POLICY', 'APPROVAL_DENIED', 'Ask.', { layer: 'approval' });
    const missing = {
      type: 'workflow-error-raised',
      kind: 'approval-missing',
      message: `${tool} needs the user's approval of exactly this call first.`,
    };
    expect(factsOf(err(error))).toMatchObject([missing]);
    expect(factsOf(err(error), { state: running(null) })).toMatchObject([missing]);
  });

  it('[T6-7-5-isolation] of a start that the lists refused names the running workflow', () => {
    const error = appError('POLICY', 'CAPABILITY_DENIED', 'Not offered.', { layer: 'workflow' });
    expect(factsOf(err(error), { called: 'agent_start_workflow' })).toMatchObject([
      {
        kind: 'second-workflow',
        message: 'Another workflow cannot start while ‘create_ddr’ is running.',
      },
    ]);
  });

  it('adds nothing for tools that record their own violations, unless a list refused them', () => {
    const own = ['agent_start_workflow', 'agent_complete_workflow', 'agent_cancel_workflow'];
    for (const called of [...own, 'agent_change_mode', 'agent_workflow_registry']) {
      expect(factsOf(answered({ ok: false }), { called })).toEqual([]);
      expect(factsOf(err(appError('HOST', 'STATE', 'No.')), { called })).toEqual([]);
      expect(factsOf(refused, { called })).toHaveLength(1);
    }
  });

  it('adds nothing for a tool that the workflow does not permit and that was not refused', () => {
    expect(factsOf(answered({}), { called: 'agent_list_modes' })).toEqual([]);
  });

  it('adds nothing without a workflow', () => {
    expect(factsOf(refused, { state: emptySession('s') })).toEqual([]);
  });

  it('keeps the arguments that are plain and short', () => {
    const args = {
      id: 'x'.repeat(200),
      all: true,
      count: 3,
      none: null,
      text: 'x'.repeat(201),
      list: [1],
      rows: {},
    };
    const { id, all, count, none } = args;
    expect(factsOf(answered({}), { args })).toMatchObject([{ arguments: { id, all, count, none } }]);
    const [fact] = factsOf(answered({}), { args });
    expect(fact?.type === 'workflow-step-ended' && Object.keys(fact.arguments)).toHaveLength(4);
  });
});

describe('what the model is told of its call', () => {
  const guard = createWorkflowGuard({
    log: { state: () => null, append: () => ok([]) },
    registry: { view: () => approved },
  });
  const told = (result: Result<string>, called = tool, state = running({})) =>
    guard.ended({ state, turn: 0, tool: called, args: {}, result }).result;

  it('is the answer or the failure of the tool itself', () => {
    const failed = err(appError('TOOL', 'FAILED', 'It broke.'));
    for (const result of [ok('{}'), failed]) expect(told(result)).toBe(result);
    expect(told(refused, tool, emptySession('s'))).toBe(refused);
  });

  it('[T6-7-9-pressure] suggests what the workflow allows instead of a prohibited tool', () => {
    const ask = 'Stop, and ask the user how to continue.';
    expect(told(refused, 'agent_list_modes')).toMatchObject({
      error: {
        kind: 'POLICY',
        code: 'CAPABILITY_DENIED',
        layer: 'workflow',
        hint: `${ask} Say that the workflow “Create a new DDR” prohibits it, and suggest what it allows (agent_ddr_manager), or that the user cancels it for another workflow.`,
      },
    });
    const two = { ...definition, PermittedTools: [tool, 'agent_list_modes'] };
    const none = { ...definition, PermittedTools: [] };
    const hintOf = (of: typeof definition) => {
      const result = told(refused, 'agent_other_tool', running({}, { definition: of }));
      return result.ok ? '' : result.error.hint;
    };
    expect(hintOf(two)).toContain('(agent_ddr_manager, agent_list_modes)');
    expect(hintOf(none)).toContain('(no tools)');
  });

  it('[T6-7-3-stated] says how to get an approval, and else to ask the user', () => {
    const missing = err(appError('POLICY', 'CAPABILITY_DENIED', 'Ask.', { layer: 'approval' }));
    expect(told(missing)).toMatchObject({
      error: {
        layer: 'approval',
        message: `${tool} needs the user's approval of exactly this call first.`,
        hint: 'Call request_user_approval with this tool and exactly these arguments.',
      },
    });
    expect(told(byMode)).toMatchObject({
      error: { layer: 'mode', hint: 'Stop, and ask the user how to continue.' },
    });
    expect(told(refused, 'agent_list_modes', running(null))).toMatchObject({
      error: { layer: 'workflow', hint: 'Stop, and ask the user how to continue.' },
    });
  });

  it('restricts the tools of its session', () => {
    expect(guard.lists({ modeTools: [tool] }, running({}))).toEqual(
      workflowLists({ modeTools: [tool] }, running({}), approved),
    );
  });
});
