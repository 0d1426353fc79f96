import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { greet, writeNotes } from '../../../testing/guarded-workflows';
import type { MainHarnessOptions } from '../../../testing/main-harness';
import { must } from '../../../testing/stored-session';
import { writeWorkflowPack } from '../../../testing/workflow-pack';
import { createTypingUser } from '../../../testing/typing-user';
import { useWorkflowHarness } from '../../../testing/use-workflow-harness';
import { calls, notes, text, type WorkflowHarness } from '../../../testing/workflow-harness';
import { chatCommand } from './chat';
import { toolCommand } from './tool';
import { workflowHistoryCommand, workflowReloadCommand } from './workflow';

let harness: WorkflowHarness;
const open = useWorkflowHarness();

const start = async (replies: MainHarnessOptions['replies']) => {
  harness = await open(replies);
};

describe('workflows in the terminal', () => {
  it('[T6-6-2-initiate] [T6-6-5-missing-asked] chat asks for each required input, and again for an invalid one', async () => {
    await start([notes.begin, text('Thank you. What shall they say?')]);
    const person = createTypingUser(['write the meeting minutes', 'Start', '../out.md', 'mine.md', '/quit']);
    await chatCommand(harness.app, person.terminal, { session: harness.sessionId });
    expect(harness.state().workflow).toMatchObject({ inputs: { file: 'mine.md' } });
    expect(person.said()).toContain('Which file? (path)');
    expect(person.said()).toContain('Give a path inside the project folder');
    expect(person.out()).toContain('What shall they say?');
    expect(person.left).toEqual([]);
  });

  it('[T6-6-2-initiate] chat accepts a choice by its number, and never stores a refused answer', async () => {
    const proposed = { since: 'v1', readers: 'users' };
    const begin = calls('agent_start_workflow', {
      workflowId: 'release_notes',
      inputs: proposed,
      reason: 'r',
    });
    await start([begin, text('Here they are.')]);
    const person = createTypingUser(['draft the release notes', 'Start', '', '7', '', '', '/quit']);
    await chatCommand(harness.app, person.terminal, { session: harness.sessionId });
    expect(person.said()).toContain('  1  users\n  2  developers\n  Press Enter for “users”.');
    expect(person.said()).not.toContain('Press Enter for “7”');
    expect(harness.state().workflow).toMatchObject({ inputs: { since: 'v1', readers: 'users' } });

    const byNumber = createTypingUser(['/cancel', 'use workflow: release_notes', 'v2', '2', '', '/quit']);
    harness.model.add(text('Here they are.'));
    await chatCommand(harness.app, byNumber.terminal, { session: harness.sessionId });
    expect(harness.state().workflow).toMatchObject({ inputs: { since: 'v2', readers: 'developers' } });
  });

  it('[T6-6-6-completion] chat reports a completed workflow, and its author’s next suggestion', async () => {
    await start([
      calls('project__search_text', { query: 'TODO' }),
      calls('agent_complete_workflow', { summary: 'Here is the list.' }),
      text('Bye.'),
    ]);
    const person = createTypingUser(['use workflow: triage_todos', '.', '', '1', '/quit']);
    await chatCommand(harness.app, person.terminal, { session: harness.sessionId });
    expect(person.said()).toContain('workflow completed: Here is the list.');
    expect(person.said()).toContain('next: Review the working tree');
  });

  it('[T6-3-3-explicit] a workflow that the user starts is answered once its inputs are given', async () => {
    await start([text('What shall they say?')]);
    const person = createTypingUser(['use workflow: write_notes', 'mine.md', '/quit']);
    await chatCommand(harness.app, person.terminal, { session: harness.sessionId });
    expect(harness.state().workflow).toMatchObject({ startedBy: 'user', inputs: { file: 'mine.md' } });
    expect(person.out()).toContain('What shall they say?');
  });

  it('[T6-8-5-deprecated] a deprecated workflow is reported when the user starts it', async () => {
    const deprecated = { ...writeNotes, Status: 'deprecated' as const };
    harness = await open([text('What shall they say?')], {
      prepareHome: (home) => writeWorkflowPack(home, [deprecated]),
    });
    const person = createTypingUser(['use workflow: write_notes', 'mine.md', '/quit']);
    await chatCommand(harness.app, person.terminal, { session: harness.sessionId });
    expect(harness.state().workflow).toMatchObject({ startedBy: 'user', inputs: { file: 'mine.md' } });
    expect(person.said() + person.out()).toContain('Write the notes. This workflow is deprecated: ');
  });

  it('[T6-6-7-inputs] without an answer the workflow is cancelled', async () => {
    await start([notes.begin, text('It was cancelled.')]);
    const person = createTypingUser(['write the meeting minutes', 'Start']);
    await chatCommand(harness.app, person.terminal, { session: harness.sessionId });
    expect(harness.state().workflow).toBeNull();
    expect(person.said()).toContain('The workflow was cancelled because its inputs are missing.');
  });

  it('[T6-7-6-errors] [T6-6-7-cancel] after a tool failure chat asks to retry, correct or cancel', async () => {
    await start([
      ...[notes.begin, calls('project__list_files', { path: 'nowhere' }), text('It failed.')],
      ...[calls('project__list_files', {}), text('Now it worked.')],
    ]);
    const lines = ['write the meeting minutes', 'Start', 'mine.md', 'what?', '1', '/cancel', '/quit'];
    const person = createTypingUser(lines);
    await chatCommand(harness.app, person.terminal, { session: harness.sessionId });
    expect(person.said()).toContain('1  Try the step again');
    expect(person.out()).toContain('Now it worked.');
    expect(person.said()).toContain('The workflow was cancelled.');
    expect(harness.state().workflow).toBeNull();
  });
});

it('the history of a workflow that was never published is an error', async () => {
  await start([]);
  const { terminal, json } = createTypingUser([]);
  expect(workflowHistoryCommand(harness.app, { ...terminal, json: true }, 'nobody_wrote')).toBe(1);
  expect(json()).toMatchObject({ kind: 'HOST', code: 'NOT_FOUND' });
});

describe('a workflow started by command where nobody can be asked', () => {
  const begin = async (inputs?: object) => {
    await start([]);
    const { terminal, json } = createTypingUser([]);
    const call = {
      name: 'agent_start_workflow',
      argumentsJson: JSON.stringify({ workflowId: 'write_notes', inputs }),
    };
    const options = { session: harness.sessionId, approve: 'all' } as const;
    const code = await toolCommand(
      harness.app,
      { ...terminal, interactive: false, json: true },
      call,
      options,
    );
    return { code, answer: json() };
  };

  it('[T6-6-7-inputs] runs with the inputs of the call', async () => {
    expect(await begin({ file: 'mine.md' })).toMatchObject({ code: 0, answer: { started: true } });
    expect(harness.state().workflow).toMatchObject({
      inputs: { file: 'mine.md' },
      proposed: { file: 'mine.md' },
    });
    expect(must(harness.app.log.replay(harness.sessionId))).toMatchObject({ equal: true });
  });

  it('[T6-6-7-inputs] does not start with invalid inputs', async () => {
    const refused = { kind: 'HOST', code: 'INVALID_INPUT', problems: [{ field: 'file' }] };
    expect(await begin({ file: '../out.md' })).toMatchObject({ code: 1, answer: refused });
    expect(harness.state().workflow).toBeNull();
    const events = must(harness.app.log.events(harness.sessionId)).map(({ type }) => type);
    expect(events).not.toContain('workflow-started');
  });

  it('[T6-6-7-inputs] is reported as not started without them', async () => {
    const { answer } = await begin();
    expect(answer).toMatchObject({ started: false, inputsMissing: [{ name: 'file' }] });
    expect(JSON.stringify(answer)).toContain('Workflow not started, as its inputs were not given');
    expect(harness.state().workflow).toBeNull();
  });
});

describe('a tool call by command in a session with a running workflow', () => {
  const begun = async (): Promise<void> => {
    await start([notes.begin, text('Started.')]);
    harness.attend();
    await harness.say('write the meeting minutes');
  };
  const call = async (name: string, args: object) => {
    const nobody = createTypingUser([]);
    const terminal = { ...nobody.terminal, interactive: false, json: true };
    const options = { session: harness.sessionId };
    const code = await toolCommand(
      harness.app,
      terminal,
      { name, argumentsJson: JSON.stringify(args) },
      options,
    );
    return { code, answer: nobody.json() };
  };

  it('[T6-7-2-permitted-tools] [T6-7-3-approval] is restricted by it, and violations are recorded', async () => {
    await begun();
    const other = await call('agent_run_command', { commandId: 'SetMode', id: 'x' });
    expect(other).toMatchObject({ code: 1, answer: { kind: 'POLICY', layer: 'workflow' } });
    const unapproved = await call('filesystem__write_file', { path: 'notes.md', content: 'x' });
    expect(unapproved).toMatchObject({ code: 1, answer: { code: 'APPROVAL_DENIED', layer: 'approval' } });
    expect(existsSync(join(harness.project, 'notes.md'))).toBe(false);
    expect(harness.errors()).toEqual(['tool-not-permitted', 'approval-missing']);
    expect(must(harness.app.log.replay(harness.sessionId))).toMatchObject({ equal: true });
  });

  it('[T6-6-1-when] reads the registry, and a permitted server tool', async () => {
    await begun();
    expect(await call('agent_workflow_registry', { operation: 'list_workflows' })).toMatchObject({
      code: 0,
      answer: { workflows: expect.any(Array) as unknown[] },
    });
    expect(await call('project__list_files', {})).toMatchObject({ code: 0 });
    expect(harness.state().workflow).toMatchObject({ stepCount: 1 });
  });

  it('[T6-7-10-rerequest] [T6-9-5-no-live-update] loads published versions only when no workflow runs', async () => {
    await begun();
    const { terminal, json } = createTypingUser([]);
    expect(workflowReloadCommand(harness.app, { ...terminal, json: true }, harness.sessionId)).toBe(1);
    expect(json()).toMatchObject({ kind: 'HOST', code: 'STATE' });
    must(harness.app.workflowController.cancel(harness.sessionId));
    expect(workflowReloadCommand(harness.app, terminal, harness.sessionId)).toBe(0);
    expect(Object.keys(harness.state().workflowPin ?? {})).toEqual(
      expect.arrayContaining([writeNotes.WorkflowId, greet.WorkflowId]),
    );
  });
});
