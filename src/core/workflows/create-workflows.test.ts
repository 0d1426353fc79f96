import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { sampleWorkflow } from '../../testing/sample-workflows';
import { must } from '../../testing/stored-session';
import { createWorkflowSession } from '../../testing/workflow-session';
import { contextOf } from '../../testing/ddr-harness';
import { startTool } from './start-tool';

const workflow = sampleWorkflow({ AllowedTransitions: { workflows: [], modes: ['general'] } });
const user = { actor: 'user' } as const;
const open = () => createWorkflowSession([workflow]);

describe('the mode of a session', () => {
  const change = (
    session: ReturnType<typeof open>,
    key: string,
    sessionId: string | null = session.sessionId,
  ) => session.workflows.modeLock({ ...contextOf('model'), sessionId }, session.modes.getMode(key));

  it('[T6-7-5-isolation] cannot change while a workflow runs that does not allow it, and the user sees that', async () => {
    const session = open();
    await session.call(startTool, { workflowId: 'create_ddr' }, user);
    const message =
      'The mode cannot change to DDR authoring while the workflow “Create a new DDR” is running.';
    expect(change(session, 'ddr_authoring')).toMatchObject({
      kind: 'HOST',
      code: 'STATE',
      message,
      hint: 'Complete or cancel the workflow first.',
    });
    expect(session.facts('workflow-error-raised')).toMatchObject([
      { workflowId: 'create_ddr', kind: 'mode-change', message, turn: 0, halts: false },
    ]);
  });

  it('can change to a mode that the workflow allows, without a workflow, and outside a session', async () => {
    const session = open();
    expect(change(session, 'ddr_authoring')).toBeNull();
    await session.call(startTool, { workflowId: 'create_ddr' }, user);
    expect(change(session, 'general')).toBeNull();
    expect(change(session, 'ddr_authoring', null)).toBeNull();
    expect(session.facts('workflow-error-raised')).toEqual([]);
  });
});

describe('the workflows of a session', () => {
  it('[T6-9-5-no-live-update] change only when they are loaded again', () => {
    const { workflows, registry, sessionId, store, state } = open();
    store.put(sampleWorkflow({ ...workflow, Version: '2.0.0' }));
    const pin = registry.lockVersions();
    expect(state().workflowPin).not.toEqual(pin);
    expect(workflows.reload(sessionId)).toEqual({ ok: true, value: null });
    expect(state().workflowPin).toEqual(pin);
  });

  it('[T6-9-5-no-live-update] stay while one of them runs, and in an unknown session nothing changes', async () => {
    const session = open();
    await session.call(startTool, { workflowId: 'create_ddr' }, user);
    expect(session.workflows.reload(session.sessionId)).toMatchObject({
      error: {
        kind: 'HOST',
        code: 'STATE',
        message: 'A workflow is running in this session.',
        hint: 'Complete or cancel it, then reload the workflows.',
      },
    });
    expect(session.facts('workflows-pinned')).toEqual([]);
    expect(session.workflows.reload('ses_unknown')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });
});

describe('the names that an author may use', () => {
  const tool = { isToolFullyExecutedOnServer: true, toolUsageMetadata: '', schema: {} } as const;
  const builtInTools = () => [
    { ...tool, name: 'agent_ddr_manager' },
    { ...tool, name: 'agent_list_modes', alwaysOffered: true },
    { ...tool, name: 'agent_run_command', commandOnly: true },
    { ...tool, name: 'agent_workflow_authoring', alwaysOffered: true },
  ];
  const write = { name: 'mcp://filesystem.write_file', access: 'write' } as const;

  it('[T6-10-2-validate] are the tools that models may call, each once, and the modes', async () => {
    const { authoring } = createWorkflowSession([workflow], {
      builtInTools,
      serverTools: () => Promise.resolve({ tools: [write], serversUnknown: null }),
    }).workflows;
    expect(must(await authoring.panel.names())).toEqual({
      tools: ['agent_ddr_manager', 'agent_list_modes', 'agent_workflow_authoring', write.name],
      modes: ['general', 'ddr_authoring'],
      workflows: ['create_ddr'],
    });
  });

  it('[T6-10-2-validate] are checked against what servers and modes offer', async () => {
    const check = async (PermittedTools: string[], serversUnknown: string | null) => {
      const { authoring } = createWorkflowSession([workflow], {
        builtInTools,
        serverTools: () => Promise.resolve({ tools: [write], serversUnknown }),
      }).workflows;
      const answer = await authoring.file.check({
        ...(JSON.parse(JSON.stringify(workflow)) as JsonObject),
        WorkflowId: 'other_one',
        Title: 'Other',
        UserIntentPatterns: ['Do something else'],
        PermittedTools,
      });
      return answer.ok ? [] : answer.errors.map(({ message }) => message);
    };
    expect(await check(['agent_list_modes'], null)).toEqual([]);
    expect(await check([write.name], null)).toEqual([expect.stringMatching(/writes: add an entry/)]);
    expect(await check(['agent_ddr_manager'], null)).toEqual([
      'No mode it may run in offers all of these tools together. general lacks agent_ddr_manager.',
    ]);
    expect(await check(['mcp://gone.tool'], 'The server is off.')).toEqual([
      'Patina could not check whether the tool mcp://gone.tool exists: The server is off.',
    ]);
  });

  it('[T6-10-4-ask-draft] belong to drafts that a model may begin only with the user’s yes', async () => {
    const session = open();
    session.click('No', 'Yes');
    const draft = () =>
      session.workflows.authoring.call(
        { operation: 'update_workflow', workflowId: 'create_ddr', fields: { Title: 'Other' } },
        { ...contextOf('model'), sessionId: session.sessionId },
      );
    expect(await draft()).toMatchObject({ ok: false });
    expect(session.asked).toMatchObject([{ detailForm: 'difference', options: ['Yes', 'No'] }]);
  });
});
