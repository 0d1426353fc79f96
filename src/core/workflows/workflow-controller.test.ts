import { describe, expect, it } from 'vitest';
import { sampleWorkflow } from '../../testing/sample-workflows';
import { createWorkflowSession } from '../../testing/workflow-session';
import { startTool } from './start-tool';

const input = {
  name: 'file',
  question: 'Which file?',
  type: 'path',
  required: true,
  validation: {},
} as const;
const workflow = sampleWorkflow({
  RequiredInputs: [input, { ...input, name: 'words', question: 'How many?', type: 'number' }],
  Preconditions: [{ kind: 'file', input: 'file' }],
});
const entered = { file: 'notes.md', words: '3' };
const inputs = { file: 'notes.md', words: 3 };
const user = { actor: 'user' } as const;

async function started(turn: number | null = 0) {
  const session = createWorkflowSession([workflow], {
    changedAt: (_project, file) => (file === 'notes.md' ? 1 : null),
  });
  await session.call(startTool, { workflowId: 'create_ddr' }, { ...user, turn });
  const { controller } = session.workflows;
  const { sessionId } = session;
  return {
    ...session,
    controller,
    workflowRunId: session.run()?.workflowRunId ?? '',
    give: (answers: Parameters<typeof controller.giveInputs>[1]) => controller.giveInputs(sessionId, answers),
    halt: () =>
      controller.raise(sessionId, 0, {
        workflowId: 'create_ddr',
        kind: 'tool-failed',
        message: 'It failed.',
        halts: true,
        tool: 'agent_list_modes',
      }),
  };
}

describe('the inputs that the user gives', () => {
  it('[T6-6-2-inputs-first] are recorded on the last line, on which the model begins', async () => {
    const session = await started();
    session.say(1, 'Here they are');
    expect(session.give(entered)).toEqual({ ok: true, value: null });
    expect(session.facts('workflow-inputs-given')).toMatchObject([
      { workflowRunId: session.workflowRunId, turn: 1, inputs },
    ]);
    expect(session.facts('workflow-error-raised')).toEqual([]);
    expect(session.run()?.inputs).toEqual(inputs);
    expect(session.resumed).toEqual([{ sessionId: session.sessionId, turn: 1 }]);
  });

  it('are recorded again when they are corrected, without a second beginning', async () => {
    const session = await started();
    session.give(entered);
    session.give({ ...entered, words: 4 });
    expect(session.run()?.inputs).toEqual({ file: 'notes.md', words: 4 });
    expect(session.resumed).toHaveLength(1);
  });

  it('[T6-7-4-after-inputs] stop the workflow when a precondition does not hold for them', async () => {
    const session = await started();
    session.give({ ...entered, file: 'gone.md' });
    const message = 'There is no gone.md in the project folder.';
    expect(session.facts('workflow-error-raised')).toMatchObject([
      {
        workflowRunId: session.workflowRunId,
        workflowId: 'create_ddr',
        kind: 'precondition-failed',
        message,
        halts: true,
        turn: 0,
      },
    ]);
    expect(session.run()).toMatchObject({ inputs: { file: 'gone.md' }, halted: { message } });
  });

  it('are refused with the problem of each', async () => {
    const session = await started();
    expect(session.give({ ...entered, words: 'many' })).toMatchObject({
      error: { kind: 'HOST', code: 'INVALID_INPUT', message: 'words: Give a number.' },
    });
    expect(session.give({})).toMatchObject({
      error: {
        code: 'INVALID_INPUT',
        message: 'Some answers are not right yet.',
        problems: [
          {
            file: '',
            field: 'file',
            rule: 'input',
            reason: 'The workflow needs this before it can continue.',
          },
          { field: 'words' },
        ],
      },
    });
    expect(session.facts('workflow-inputs-given')).toEqual([]);
    expect(session.resumed).toEqual([]);
  });
});

describe('a session without a line', () => {
  it('records the user’s inputs and cancellation outside a line, and no model begins', async () => {
    const session = await started(null);
    const { log, controller, registry, resumed } = session;
    const created = log.create(null);
    if (!created.ok) throw new Error(created.error.message);
    const { id } = created.value;
    const place = { workflowRunId: 'wfr_x', turn: null };
    const definition = sampleWorkflow({ RequiredInputs: [input] });
    const hash = registry.view(null).find('create_ddr')?.hash ?? '';
    const cause = { commandId: 'c' };
    log.append(id, [
      { type: 'workflow-started', ...place, definition, hash, by: 'user', cause, proposed: {} },
    ]);
    expect(controller.giveInputs(id, { file: 'a' })).toEqual({ ok: true, value: null });
    expect(log.state(id)?.workflow?.inputs).toEqual({ file: 'a' });
    expect(controller.cancel(id)).toEqual({ ok: true, value: null });
    const events = log.events(id);
    expect(events.ok && events.value.slice(-2)).toMatchObject([{ turn: null }, { turn: null }]);
    expect(resumed).toEqual([]);
  });
});

describe('the user’s choice after an error', () => {
  it.each(['retry', 'correct'] as const)('[T6-7-6-errors] to %s continues the workflow', async (choice) => {
    const session = await started();
    session.halt();
    expect(session.run()?.halted).toEqual({
      kind: 'tool-failed',
      message: 'It failed.',
      tool: 'agent_list_modes',
    });
    expect(session.controller.choose(session.sessionId, choice)).toEqual({ ok: true, value: null });
    expect(session.run()).toMatchObject({ halted: null });
    expect(session.facts('workflow-error-answered', 'workflow-ended')).toMatchObject([
      { workflowRunId: session.workflowRunId, turn: 0, choice },
    ]);
  });

  it('[T6-7-6-errors] to cancel ends it', async () => {
    const session = await started();
    session.halt();
    expect(session.controller.choose(session.sessionId, 'cancel')).toEqual({ ok: true, value: null });
    expect(session.facts('workflow-error-answered', 'workflow-ended')).toMatchObject([
      { choice: 'cancel' },
      {
        workflowRunId: session.workflowRunId,
        turn: 0,
        outcome: 'cancelled',
        summary: 'Cancelled by you.',
        by: 'user',
      },
    ]);
    expect(session.run()).toBeNull();
  });

  it('is refused while nothing is stopped', async () => {
    const session = await started();
    expect(session.controller.choose(session.sessionId, 'cancel')).toMatchObject({
      error: { kind: 'HOST', code: 'STATE', message: 'The workflow is not stopped.' },
    });
    expect(session.run()).not.toBeNull();
  });
});

describe('an action on a workflow', () => {
  it('is refused where none runs and in an unknown session', async () => {
    const { workflows, sessionId, log } = createWorkflowSession([workflow]);
    const { controller } = workflows;
    const actions = (id: string) => [
      controller.giveInputs(id, {}),
      controller.cancel(id),
      controller.choose(id, 'retry'),
    ];
    const none = { error: { code: 'STATE', message: 'No workflow is running in this session.' } };
    expect(actions(sessionId)).toMatchObject([none, none, none]);
    const unknown = { error: { code: 'NOT_FOUND' } };
    expect(actions('ses_unknown')).toMatchObject([unknown, unknown, unknown]);
    controller.raise('ses_unknown', null, { workflowId: 'x', kind: 'drift', message: '' });
    expect(log.state('ses_unknown')).toBeNull();
  });

  it('shows a violation without a run outside any run', () => {
    const { workflows, sessionId, facts } = createWorkflowSession([workflow]);
    const { controller } = workflows;
    controller.raise(sessionId, 0, {
      workflowId: 'deploy_all',
      kind: 'unknown-workflow',
      message: 'Unknown.',
    });
    const [raised] = facts('workflow-error-raised');
    expect(raised).toMatchObject({
      workflowId: 'deploy_all',
      kind: 'unknown-workflow',
      halts: false,
      turn: 0,
    });
    expect(raised).not.toHaveProperty('workflowRunId');
  });
});

describe('a wait for inputs', () => {
  const never = new AbortController().signal;

  it('ends at once when they were given before, when there is no workflow, or when it is stopped', async () => {
    const { controller, sessionId, give } = await started();
    expect(await controller.inputsGiven('ses_unknown', never)).toBe(false);
    expect(await controller.inputsGiven(sessionId, AbortSignal.abort())).toBe(false);
    give(entered);
    expect(await controller.inputsGiven(sessionId, never)).toBe(true);
    controller.cancel(sessionId);
    expect(await controller.inputsGiven(sessionId, never)).toBe(false);
  });

  it('ends with the inputs, with the end of the workflow, or when it is stopped', async () => {
    const first = await started();
    const given = first.controller.inputsGiven(first.sessionId, never);
    first.halt();
    first.give(entered);
    expect(await given).toBe(true);
    const second = await started();
    const ended = second.controller.inputsGiven(second.sessionId, never);
    second.controller.cancel(second.sessionId);
    expect(await ended).toBe(false);
    const third = await started();
    const stop = new AbortController();
    const stopped = third.controller.inputsGiven(third.sessionId, stop.signal);
    stop.abort();
    expect(await stopped).toBe(false);
  });

  it('ignores other sessions', async () => {
    const { controller, sessionId, log, give } = await started();
    const other = log.create(null);
    if (!other.ok) throw new Error(other.error.message);
    const stop = new AbortController();
    const waiting = controller.inputsGiven(sessionId, stop.signal);
    const place = { workflowRunId: 'wfr_x', turn: null };
    log.append(other.value.id, [{ type: 'workflow-inputs-given', ...place, inputs: {} }]);
    const after = { outcome: 'cancelled', summary: '', by: 'user' } as const;
    log.append(other.value.id, [{ type: 'workflow-ended', ...place, ...after }]);
    stop.abort();
    expect(await waiting).toBe(false);
    const again = controller.inputsGiven(sessionId, never);
    log.append(other.value.id, [{ type: 'workflow-ended', ...place, ...after }]);
    give(entered);
    expect(await again).toBe(true);
  });
});
