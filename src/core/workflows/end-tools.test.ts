import { describe, expect, it } from 'vitest';
import { sampleWorkflow } from '../../testing/sample-workflows';
import { answerIn, createWorkflowSession } from '../../testing/workflow-session';
import { cancelTool, completeTool } from './end-tools';
import { startTool } from './start-tool';

const called = { text: 'It was read.', check: { kind: 'tool-called', tool: 'agent_list_modes' } } as const;
const checked = sampleWorkflow({
  PermittedTools: ['agent_list_modes'],
  CompletionCriteria: [called, { ...called, text: 'It was read again' }],
  FollowUpOptions: [{ text: 'Review it.', workflowId: 'review_ddr' }],
});
const confirmed = sampleWorkflow({
  CompletionCriteria: [{ text: 'It is complete.' }, { text: 'You are content.' }],
});
const user = { actor: 'user' } as const;

async function started(definition = checked) {
  const session = createWorkflowSession([definition]);
  await session.call(startTool, { workflowId: 'create_ddr' }, user);
  const { run } = session;
  const workflowRunId = run()?.workflowRunId ?? '';
  return {
    ...session,
    workflowRunId,
    complete: (summary = ' All is done. ') => session.call(completeTool, { summary }),
    cancel: (actor: 'user' | 'model', reason = 'No time. ') =>
      session.call(cancelTool, { reason }, { actor }),
    step: () =>
      session.log.append(session.sessionId, [
        {
          type: 'workflow-step-ended',
          workflowRunId,
          turn: 0,
          tool: 'agent_list_modes',
          arguments: {},
          outcome: 'done',
        },
      ]),
    ended: () => session.facts('workflow-ended'),
  };
}

const hint = 'Do what is missing, or let the user cancel the workflow.';

describe('a model that completes a workflow', () => {
  it('[T6-6-6-criteria] ends it without a question when the host finds every criterion met', async () => {
    const session = await started();
    session.step();
    expect(answerIn(await session.complete())).toEqual({
      completed: true,
      summary: 'All is done.',
      followUps: [{ text: 'Review it.', workflowId: 'review_ddr' }],
    });
    expect(session.asked).toEqual([]);
    expect(session.ended()).toMatchObject([
      {
        workflowRunId: session.workflowRunId,
        turn: 0,
        outcome: 'completed',
        summary: 'All is done.',
        by: 'model',
      },
    ]);
    expect(session.state()).toMatchObject({ workflow: null, completedWorkflows: ['create_ddr'] });
  });

  it('[T6-6-6-criteria] is told which criteria are not met, and the user sees the attempt', async () => {
    const session = await started();
    const message = 'The workflow is not complete: It was read; It was read again.';
    expect(await session.complete()).toMatchObject({
      error: { kind: 'HOST', code: 'STATE', tool: completeTool, message, hint },
    });
    expect(session.facts('workflow-error-raised')).toMatchObject([
      { workflowId: 'create_ddr', kind: 'not-complete', message, turn: 0, halts: false },
    ]);
    expect(session.ended()).toEqual([]);
    expect(session.asked).toEqual([]);
  });

  it('[T6-6-6-criteria] ends it only with the user’s yes where only the user can judge', async () => {
    const session = await started(confirmed);
    session.click('Yes, it is complete');
    expect(answerIn(await session.complete())).toEqual({
      completed: true,
      summary: 'All is done.',
      followUps: [],
    });
    expect(session.asked).toMatchObject([
      {
        text: 'Is “Create a new DDR” complete?',
        detail: '• It is complete.\n• You are content.\n\nAll is done.',
        options: ['Yes, it is complete', 'Not yet'],
        mode: 'general',
        focusId: null,
      },
    ]);
    const [answered, ended] = session.facts('question-answered', 'workflow-ended');
    expect(ended).toMatchObject({ type: 'workflow-ended', outcome: 'completed' });
    expect(ended?.seq).toBe((answered?.seq ?? 0) + 1);
  });

  it('[T6-6-6-criteria] continues after the user’s no', async () => {
    const session = await started(confirmed);
    session.click('Not yet');
    const message = 'The workflow is not complete: the user says it is not complete yet.';
    expect(await session.complete(' ')).toMatchObject({ error: { message, hint } });
    expect(session.asked[0]?.detail).toBe('• It is complete.\n• You are content.');
    expect(session.ended()).toEqual([]);
    expect(session.run()).not.toBeNull();
  });

  it('[T6-6-2-inputs-first] cannot before the required inputs are given', async () => {
    const input = {
      name: 'file',
      question: 'Which file?',
      type: 'path',
      required: true,
      validation: {},
    } as const;
    const session = await started({ ...checked, RequiredInputs: [input] });
    session.step();
    const message = 'The workflow is not complete: its required inputs are not given.';
    expect(await session.complete()).toMatchObject({ error: { message } });
    expect(session.ended()).toEqual([]);
  });

  it('[T6-7-6-errors] cannot while the workflow is stopped by an error', async () => {
    const session = await started();
    session.step();
    const raised = {
      workflowId: 'create_ddr',
      kind: 'tool-failed',
      message: 'It failed.',
      halts: true,
    } as const;
    session.workflows.controller.raise(session.sessionId, 0, raised);
    const message = 'The workflow is not complete: it is stopped by an error until the user chooses.';
    expect(await session.complete()).toMatchObject({ error: { message } });
    expect(session.ended()).toEqual([]);
  });
});

describe('a workflow that is cancelled', () => {
  it('[T6-6-7-cancel] by a model ends only with the user’s yes', async () => {
    const session = await started();
    session.click('Keep going', 'Cancel the workflow');
    expect(answerIn(await session.cancel('model'))).toEqual({
      cancelled: false,
      reason: 'The user wants to keep going.',
    });
    expect(session.asked).toMatchObject([
      {
        text: 'Cancel the workflow “Create a new DDR”?',
        detail: 'No time.',
        options: ['Cancel the workflow', 'Keep going'],
      },
    ]);
    expect(session.ended()).toEqual([]);
    expect(answerIn(await session.cancel('model'))).toEqual({ cancelled: true });
    expect(session.ended()).toMatchObject([{ outcome: 'cancelled', summary: 'No time.', by: 'model' }]);
    expect(session.state().completedWorkflows).toEqual([]);
  });

  it('[T6-6-7-cancel] by the user ends without a question', async () => {
    const session = await started();
    expect(answerIn(await session.cancel('user'))).toEqual({
      cancelled: true,
      summary: 'Cancelled: Create a new DDR',
    });
    expect(session.asked).toEqual([]);
    expect(session.ended()).toMatchObject([
      { outcome: 'cancelled', summary: 'No time.', by: 'user', turn: 0 },
    ]);
  });
});

describe('the tools that end a workflow', () => {
  it.each([completeTool, cancelTool])('refuse without a running workflow or a session: %s', async (name) => {
    const session = createWorkflowSession([checked]);
    const error = {
      kind: 'HOST',
      code: 'STATE',
      message: 'No workflow is running in this session.',
      tool: name,
    };
    expect(await session.call(name, {})).toMatchObject({ error });
    expect(await session.call(name, {}, { sessionId: null })).toMatchObject({ error });
    expect(session.facts('workflow-error-raised')).toEqual([]);
  });

  it.each([
    [completeTool, 'summary'],
    [cancelTool, 'reason'],
  ])('need a session and one text: %s', (name, field) => {
    const { tools } = createWorkflowSession([checked]).workflows;
    expect(tools.find((tool) => tool.name === name)).toMatchObject({
      isToolFullyExecutedOnServer: true,
      needsSession: true,
      schema: {
        type: 'object',
        properties: { [field]: { type: 'string' } },
        required: [field],
        additionalProperties: false,
      },
    });
  });
});
