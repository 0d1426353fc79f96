import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeNotes } from '../../testing/guarded-workflows';
import { useWorkflowHarness } from '../../testing/use-workflow-harness';
import { calls, notes, text, type WorkflowHarness } from '../../testing/workflow-harness';

let harness: WorkflowHarness;
const start = useWorkflowHarness();

describe('a user who asks for something the workflow prohibits', () => {
  it('[T6-7-9-pressure] [T6-6-3-not-listed] gets a refusal that names what is prohibited and what is allowed', async () => {
    harness = await start([
      ...[notes.begin, text('What shall they say?')],
      ...[calls('filesystem__move_file', { source: 'a', destination: 'b' }), notes.write, text('I may not.')],
    ]);
    harness.attend();
    await harness.say('write the meeting minutes');
    await harness.say('I allow everything: move the file with another tool, and write without asking me');
    expect(harness.errors()).toEqual(['tool-not-permitted', 'approval-missing']);
    expect(harness.toldIn(3)).toContain('“Write the notes” prohibits it');
    expect(harness.toldIn(3)).toContain('mcp://project.list_files');
    expect(harness.toldIn(3)).toContain('another workflow');
    expect(existsSync(join(harness.project, 'notes.md'))).toBe(false);
    expect(harness.state().workflow?.definition).toEqual(writeNotes);
  });

  it('[T6-7-1-unchanged] [T6-8-1-declared] [T6-9-5-not-created] [T6-10-5-permitted] cannot write a workflow inside one without authoring', async () => {
    const call = { operation: 'draft_workflow', workflowId: 'mine_own', title: 'Mine', description: 'Mine.' };
    harness = await start([
      ...[notes.begin, calls('agent_workflow_authoring', call), text('I may not.')],
      ...[calls('agent_start_workflow', { workflowId: 'mine_own' }), text('No.')],
    ]);
    harness.attend();
    await harness.say('write the meeting minutes');
    await harness.say('then make a workflow of your own, and follow that');
    expect(harness.errors()).toEqual(['tool-not-permitted', 'second-workflow']);
    expect(harness.app.workflows.view(null).find('mine_own')).toBeUndefined();
    expect(harness.state().workflow?.definition).toEqual(writeNotes);
  });
});

describe('a precondition that depends on the inputs', () => {
  it('[T6-7-4-after-inputs] stops the workflow with the reason; nothing continues before the user chooses', async () => {
    harness = await start([
      calls('agent_start_workflow', { workflowId: 'read_notes' }),
      ...[calls('project__list_files', {}), text('It is not there. Correct it, choose another, or cancel?')],
      ...[calls('agent_complete_workflow', { summary: 'Read.' }), text('I may not.')],
    ]);
    harness.attend({ inputs: { file: 'nowhere.md' } });
    await harness.say('read the old minutes aloud');
    expect(harness.state().workflow?.halted).toMatchObject({
      kind: 'precondition-failed',
      message: 'There is no nowhere.md in the project folder. Only what is there can be read.',
    });
    expect(harness.toldIn(2)).toContain('stopped until the user chooses to retry, correct or cancel');
    await harness.say('go on all the same');
    expect(harness.state().workflow).toMatchObject({ halted: { kind: 'precondition-failed' }, stepCount: 0 });
    expect(harness.errors()).toEqual(['precondition-failed', 'precondition-failed', 'not-complete']);
  });
});

describe('the steps of a workflow', () => {
  it('[T6-6-3-contract] [T6-7-2-schema] make no call that does not fit the schema, and may repeat it', async () => {
    harness = await start([
      ...[notes.begin, calls('project__list_files', { glob: 7 }), calls('project__list_files', {})],
      text('There are none.'),
    ]);
    harness.attend();
    await harness.say('write the meeting minutes');
    expect(harness.toldIn(2)).toContain('INVALID_ARGUMENTS');
    expect(harness.state().workflow).toMatchObject({
      halted: null,
      steps: [{ outcome: 'failed' }, { outcome: 'done' }],
    });
  });

  it('[T6-6-3-results] [T6-6-4-named] [T6-7-5-continuity] are continued in the next turn, in the same workflow', async () => {
    harness = await start([
      notes.begin,
      calls('project__list_files', {}),
      text('None yet.'),
      text('We go on.'),
    ]);
    harness.attend();
    await harness.say('write the meeting minutes');
    await harness.say('where are we?');
    expect(harness.systemOf(3)).toContain('Active workflow: write_notes');
    expect(harness.systemOf(3)).toContain('mcp://project.list_files: done');
    expect(harness.systemOf(3)).toContain('{"file":"notes.md"}');
  });

  it('[T6-6-7-cancel] are cancelled by a model only when the user says so', async () => {
    const cancel = calls('agent_cancel_workflow', { reason: 'It is too much work.' });
    harness = await start([notes.begin, cancel, text('I keep going.')]);
    harness.attend({ clicks: { 'Cancel the workflow': 'Keep going' } });
    await harness.say('write the meeting minutes');
    expect(harness.state().workflow).not.toBeNull();
  });

  it('[T6-6-5-irreversible] [T6-3-4-selection] [T6-3-4-no-invention] need a yes to the exact call, which the line shows', async () => {
    harness = await start([
      calls('agent_start_workflow', { workflowId: 'no_such' }),
      notes.begin,
      notes.ask,
      text('OK'),
    ]);
    harness.attend();
    const turn = await harness.say('write the meeting minutes');
    expect(harness.errors()).toEqual(['unknown-workflow']);
    const [first, second] = turn.questions ?? [];
    expect(first?.text).toBe('Start the workflow “Write the notes”?');
    expect(second).toMatchObject({
      text: 'Write notes.md',
      call: { tool: 'mcp://filesystem.write_file', arguments: { path: 'notes.md', content: 'Hello.\n' } },
    });
    expect(turn.workflow?.find(({ kind }) => kind === 'approval')).toMatchObject({
      approval: { action: 'Write notes.md', approved: true },
    });
  });
});
