import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import type { WorkflowDefinition } from '#shared/workflow';
import type { MainHarnessOptions } from '../../testing/main-harness';
import { sampleWorkflow } from '../../testing/sample-workflows';
import { must } from '../../testing/stored-session';
import { writeWorkflowPack } from '../../testing/workflow-pack';
import { useWorkflowHarness } from '../../testing/use-workflow-harness';
import { calls, text, type WorkflowHarness } from '../../testing/workflow-harness';
import type { BuiltInToolContext } from '../../core/ports/built-in-tool';

const named = (WorkflowId: string, fields: Partial<WorkflowDefinition>) =>
  sampleWorkflow({
    WorkflowId,
    Title: `Do ${WorkflowId}`,
    UserIntentPatterns: [`Please do ${WorkflowId}`],
    Ddr: 'WFL-901',
    PermittedTools: ['mcp://project.list_files'],
    ...fields,
  });
const to = (...workflows: string[]) => ({ AllowedTransitions: { workflows, modes: [] } });
const first = named('first_one', { InstructionText: 'Do it the first way.', ...to('second_one') });
const second = named('second_one', to('first_one'));
const third = named('third_one', {});
const inside = named('inside_one', {
  Preconditions: [{ kind: 'workflow', workflowId: 'outer_one', state: 'active' }],
});
const outer = named('outer_one', to('inside_one'));

let harness: WorkflowHarness;
const open = useWorkflowHarness();

async function start(...replies: NonNullable<MainHarnessOptions['replies']>): Promise<void> {
  harness = await open(replies, {
    prepareHome: (home) => writeWorkflowPack(home, [first, second, third, inside, outer]),
  });
}
const use = (workflowId: string) => harness.say(`use workflow: ${workflowId}`);
const running = () => harness.state().workflow?.definition.WorkflowId;

const byHand: BuiltInToolContext = {
  sessionId: null,
  turn: null,
  callId: 'h',
  cause: { commandId: 'h' },
  actor: 'user',
  approve: 'none',
  signal: new AbortController().signal,
};
async function author(operation: string, more: JsonObject = {}): Promise<void> {
  const answer = await harness.app.authoring.call({ operation, workflowId: 'first_one', ...more }, byHand);
  if (!answer.ok) throw new Error(JSON.stringify(answer.errors));
}
async function publish(fields: JsonObject): Promise<void> {
  await author('draft_workflow', { title: first.Title, description: first.Description });
  await author('update_workflow', { fields });
  await author('publish_workflow');
}

const remove = () =>
  harness.app.authoring.remove({ workflowId: 'first_one', reason: 'Nobody uses it.' }, byHand);

describe('workflows that may take over from each other', () => {
  it('[T6-7-5-isolation] [T6-6-4-one] may switch there and back, and to no other', async () => {
    await start(...['One.', 'Two.', 'One again.'].map(text));
    await use('first_one');
    expect(running()).toBe('first_one');
    await use('second_one');
    expect(running()).toBe('second_one');
    await use('third_one');
    expect(running()).toBe('second_one');
    expect(harness.errors()).toEqual(['second-workflow']);
    await use('first_one');
    expect(running()).toBe('first_one');
    const ended = harness.turn(1).workflow?.find(({ kind }) => kind === 'ended');
    expect(ended).toMatchObject({ outcome: 'switched', summary: '‘second_one’ takes over.' });
    expect(harness.state().completedWorkflows).toEqual([]);
    expect(must(harness.app.log.replay(harness.sessionId))).toMatchObject({ equal: true });
  });
});

describe('a workflow that only another one may start', () => {
  it('[T6-3-2-inside] takes over from inside that one, and is refused without it or after it', async () => {
    await start(...['Outer.', 'Inside.'].map(text));
    const refused = async () => {
      const { command } = await use('inside_one');
      expect(command?.status).toBe('failed');
      expect(JSON.stringify(command)).toContain('The workflow ‘outer_one’ has to be running.');
    };
    await refused();
    expect(running()).toBeUndefined();
    await use('outer_one');
    expect(running()).toBe('outer_one');
    await use('inside_one');
    expect(running()).toBe('inside_one');
    expect(harness.errors()).toEqual(['precondition-failed']);
    must(harness.app.workflowController.cancel(harness.sessionId));
    await refused();
    expect(running()).toBeUndefined();
  });
});

describe('a running workflow whose definition changes', () => {
  it('[T6-7-10-immutable] [T6-9-5-no-live-update] [T6-8-9-removal] continues unchanged while it is published again, disabled and removed', async () => {
    const look = calls('project__list_files', {});
    await start(text('One.'), look, text('Two.'), look, text('Three.'), look, text('Four.'));
    await use('first_one');
    await publish({ InstructionText: 'Do it another way.', PermittedTools: [], Version: '2.0.0' });
    await harness.say('go on');
    await publish({ Status: 'disabled', Version: '3.0.0' });
    await harness.say('go on');
    expect(await remove()).toMatchObject({ ok: true });
    await harness.say('go on');
    expect(harness.errors()).toEqual([]);
    expect(harness.state().workflow).toMatchObject({ definition: first, stepCount: 3 });
    for (const chat of [1, 3, 5]) {
      expect(harness.systemOf(chat)).toContain('Do it the first way.');
      expect(harness.offeredIn(chat)).toContain('project__list_files');
    }
    must(harness.app.workflowController.cancel(harness.sessionId));
    await use('first_one');
    expect(harness.state().workflow).toBeNull();
  });
});
