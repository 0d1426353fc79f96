import { describe, expect, it } from 'vitest';
import type { DdrStatus } from '#shared/ddr';
import type { JsonObject } from '#shared/json';
import { emptySession, type SessionState } from '#shared/session-state';
import type { CompletionCheck, WorkflowPrecondition } from '#shared/workflow';
import type { WorkflowRun, WorkflowStep } from '#shared/workflow-state';
import { approvingDdr, sampleRun, sampleWorkflow } from '../../testing/sample-workflows';
import { completionOf, failingPreconditions, type PreconditionContext } from './conditions';

const project = '/projects/sample';
const startedAt = 100_000;
const times: Readonly<Record<string, number>> = {
  '.': 1,
  'old.md': startedAt - 1_001,
  'kept.md': startedAt - 1_000,
  'new.md': startedAt + 5,
};
const lookups: PreconditionContext = {
  modeOf: () => ({ key: 'general' }),
  ddr: (id) => (id === 'AGN-001' ? approvingDdr([], { id, status: 'in_review' }) : null),
  changedAt: (folder, file) => (folder === project ? (times[file] ?? null) : null),
};
const ddrInFocus = {
  entityType: 'ddr_chapter',
  entityHeader: { id: 'AGN-001', displayName: 'Modes' },
};
const session: SessionState = {
  ...emptySession('s'),
  project,
  context: ddrInFocus,
  completedWorkflows: ['first_one'],
  workflow: sampleRun({ definition: sampleWorkflow({ WorkflowId: 'outer_one' }) }),
};

describe('a precondition', () => {
  const failing = (row: WorkflowPrecondition, inputs: JsonObject | null = null, state = session) =>
    failingPreconditions(lookups, state, { Preconditions: [row] }, inputs);
  const record = (statuses: DdrStatus[], ddr = 'AGN-001') => ({ kind: 'ddr' as const, ddr, statuses });

  it.each<readonly [what: string, row: WorkflowPrecondition]>([
    ['the mode of the session', { kind: 'mode', modes: ['authoring', 'general'] }],
    ['what the session works on', { kind: 'focus', entityType: 'ddr_chapter' }],
    ['a workflow completed before', { kind: 'workflow', workflowId: 'first_one' }],
    ['a workflow that is running', { kind: 'workflow', workflowId: 'outer_one', state: 'active' }],
    ['the status of a design record', record(['approved', 'in_review'])],
    ['a file of the project', { kind: 'file', path: 'new.md' }],
    ['the project folder itself', { kind: 'file', path: '.' }],
  ])('[T6-7-4-preconditions] is met by %s', (_what, row) => {
    expect(failing(row)).toEqual([]);
  });

  it.each<readonly [row: WorkflowPrecondition, problem: string]>([
    [
      { kind: 'mode', modes: ['authoring', 'review'] },
      'The session has to be in the mode authoring or review.',
    ],
    [{ kind: 'focus', entityType: 'work_item_list' }, 'The session has to work on a work item list.'],
    [{ kind: 'workflow', workflowId: 'outer_one' }, 'The workflow ‘outer_one’ has to be completed first.'],
    [
      { kind: 'workflow', workflowId: 'first_one', state: 'active' },
      'The workflow ‘first_one’ has to be running.',
    ],
    [record(['approved', 'draft']), 'AGN-001 has to be approved or draft; it is in review.'],
    [record(['approved'], 'AGN-002'), 'There is no design record AGN-002.'],
    [{ kind: 'file', path: 'gone.md' }, 'There is no gone.md in the project folder.'],
  ])('[T6-7-4-preconditions] that is not met says what is missing: %j', (row, problem) => {
    expect(failing(row)).toEqual([problem]);
    expect(failing({ ...row, because: 'It is needed.' })).toEqual([`${problem} It is needed.`]);
  });

  it('[T6-7-4-preconditions] of a focus or a running workflow is not met in an empty session', () => {
    const empty = { ...emptySession('s'), project };
    expect(failing({ kind: 'focus', entityType: 'ddr' }, null, empty)).toHaveLength(1);
    expect(failing({ kind: 'workflow', workflowId: 'outer_one', state: 'active' }, null, empty)).toHaveLength(
      1,
    );
  });

  it('of a file is not met without a project folder', () => {
    expect(failing({ kind: 'file', path: '.' }, null, { ...session, project: null })).toEqual([
      'The session has no project folder.',
    ]);
  });

  it.each<readonly [row: WorkflowPrecondition, met: string, missed: string, unnamed: string]>([
    [
      { kind: 'file', input: 'what' },
      'new.md',
      'There is no gone in the project folder.',
      'No path is named.',
    ],
    [
      { kind: 'ddr', input: 'what', statuses: ['in_review'] },
      'AGN-001',
      'There is no design record gone.',
      'No design record is named.',
    ],
  ])('[T6-7-4-after-inputs] about an input waits for the answers: %j', (row, met, missed, unnamed) => {
    expect(failing(row, null)).toEqual([]);
    expect(failing(row, { what: met })).toEqual([]);
    expect(failing(row, { what: 'gone' })).toEqual([missed]);
    for (const inputs of [{}, { what: 7 }]) expect(failing(row, inputs)).toEqual([unnamed]);
  });

  it('is none in a workflow that names none', () => {
    expect(failingPreconditions(lookups, session, {}, null)).toEqual([]);
  });
});

describe('a completion criterion', () => {
  const done: WorkflowStep = {
    tool: 'agent_ddr_manager',
    arguments: { operation: 'approve_ddr', id: 'AGN-001' },
    outcome: 'done',
  };
  const open = (check: CompletionCheck | undefined, fields: Partial<WorkflowRun> = {}, state = session) => {
    const criterion = { text: 'It is done.', ...(check && { check }) };
    const definition = sampleWorkflow({ CompletionCriteria: [criterion] });
    const run = sampleRun({ definition, startedAt, inputs: { what: 'new.md' }, steps: [done], ...fields });
    return completionOf(lookups, state, run);
  };
  const met = { unmet: [], toConfirm: [] };
  const unmet = { unmet: ['It is done.'], toConfirm: [] };
  const called = (args?: JsonObject, tool = done.tool): CompletionCheck =>
    args === undefined ? { kind: 'tool-called', tool } : { kind: 'tool-called', tool, arguments: args };

  it('[T6-6-6-criteria] without a check is for the user to confirm', () => {
    expect(open(undefined)).toEqual({ unmet: [], toConfirm: ['It is done.'] });
  });

  it.each<readonly [what: string, check: CompletionCheck]>([
    ['any call of a tool', called()],
    ['a call with some of its arguments', called({ operation: 'approve_ddr' })],
    ['a design record of a status', { kind: 'ddr', ddr: 'AGN-001', statuses: ['in_review'] }],
    ['a file that the work made', { kind: 'file', input: 'what' }],
    ['a file that changed since the start, as far as file systems tell', { kind: 'file', path: 'kept.md' }],
  ])('[T6-6-6-criteria] is met by %s', (_what, check) => {
    expect(open(check)).toEqual(met);
  });

  it.each<readonly [what: string, check: CompletionCheck]>([
    ['a call of another tool', called(undefined, 'agent_list_modes')],
    ['a call with another argument', called({ operation: 'create_ddr', id: 'AGN-001' })],
    ['a call without one of the arguments', called({ operation: 'approve_ddr', title: 'x' })],
    ['a design record of another status', { kind: 'ddr', ddr: 'AGN-001', statuses: ['approved'] }],
    ['an input that is no path', { kind: 'file', input: 'other' }],
    ['a missing file', { kind: 'file', path: 'gone.md' }],
  ])('[T6-6-6-criteria] is not met by %s', (_what, check) => {
    expect(open(check)).toEqual(unmet);
  });

  it('[T6-6-6-criteria] is not met by a call that failed', () => {
    expect(open(called(), { steps: [{ ...done, outcome: 'failed' }] })).toEqual(unmet);
    expect(open(called(), { steps: [] })).toEqual(unmet);
  });

  it('[T6-6-6-criteria] about a file that has not changed since the start is for the user to confirm', () => {
    expect(open({ kind: 'file', path: 'old.md' })).toEqual({
      unmet: [],
      toConfirm: ['It is done. (old.md has not changed since the workflow began.)'],
    });
  });

  it('[T6-6-6-criteria] about a file is not met without a project', () => {
    expect(open({ kind: 'file', path: 'new.md' }, {}, { ...session, project: null })).toEqual(unmet);
  });
});
