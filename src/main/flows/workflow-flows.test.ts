import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { greet, guardedWorkflows, writeNotes } from '../../testing/guarded-workflows';
import { must } from '../../testing/stored-session';
import { approveWorkflows } from '../../testing/workflow-pack';
import { useWorkflowHarness } from '../../testing/use-workflow-harness';
import { calls, notes, text, type WorkflowHarness } from '../../testing/workflow-harness';
import { commandScope } from '../../core/tools/call-scope';
import { writtenCall } from '../../core/tools/call-tool';

const { begin, ask, write } = notes;

let harness: WorkflowHarness;
const start = useWorkflowHarness();

describe('a cooperative model', () => {
  it('[T6-6-2-initiate] [T6-6-6-completion] [T6-7-7-consent] starts, receives the inputs, writes what was approved, and completes', async () => {
    harness = await start([
      begin,
      ask,
      write,
      calls('agent_complete_workflow', { summary: 'The notes are written.' }),
      text('Done. You could send them to the team.'),
    ]);
    harness.attend();
    const turn = await harness.say('write the meeting minutes');
    expect(turn.reply).toMatchObject({ status: 'done', text: 'Done. You could send them to the team.' });
    expect(readFileSync(join(harness.project, 'notes.md'), 'utf8')).toBe('Hello.\n');
    expect(harness.errors()).toEqual([]);
    expect(harness.systemOf(0)).toContain('- write_notes – Write the notes');
    expect(harness.systemOf(1)).toContain(writeNotes.InstructionText);
    expect(harness.systemOf(1)).toContain('{"file":"notes.md"}');
    expect(harness.offeredIn(1)).toEqual(
      expect.arrayContaining(['filesystem__write_file', 'project__list_files', 'agent_complete_workflow']),
    );
    expect(harness.offeredIn(1)).not.toContain('agent_start_workflow');
    expect(harness.state()).toMatchObject({ workflow: null, completedWorkflows: ['write_notes'] });
    expect(turn.workflow?.map(({ kind }) => kind)).toEqual(['started', 'inputs-given', 'approval', 'ended']);
    expect(turn.workflow?.at(-1)).toMatchObject({ followUps: [{ text: 'Send them to the team.' }] });
    expect(harness.systemOf(4)).not.toContain('Active workflow:');
  });

  it('[T6-6-4-context] [T6-7-10-immutable] produces a session whose replay finds the workflow unchanged', async () => {
    harness = await start([begin, text('Shall I write?')]);
    harness.attend();
    await harness.say('write the meeting minutes');
    const replayed = must(harness.app.log.replay(harness.sessionId));
    expect(replayed).toMatchObject({ equal: true });
    expect(harness.state().workflow).toMatchObject({ definition: writeNotes, inputs: { file: 'notes.md' } });
  });

  it('[T6-6-2-autostart] starts an automatic workflow without a question, unless anything has drifted', async () => {
    harness = await start([
      calls('agent_start_workflow', { workflowId: 'greet_user' }),
      text('Good morning.'),
    ]);
    const turn = await harness.say('say a proper good morning');
    expect(turn.questions ?? []).toEqual([]);
    expect(harness.state().workflow?.definition).toEqual(greet);
  });

  it('[T6-7-8-experimental-asks] asks before an automatic workflow that is experimental', async () => {
    harness = await start([calls('agent_start_workflow', { workflowId: 'try_greeting' }), text('Then not.')]);
    harness.attend({ clicks: { 'Start the workflow': 'Not now' } });
    const turn = await harness.say('try the new greeting');
    expect(turn.questions?.[0]?.detail).toContain('is experimental');
    expect(harness.state().workflow).toBeNull();
  });
});

describe('the checks of the host before a workflow', () => {
  it('[T6-7-4-preconditions] report an unmet precondition with how to meet it', async () => {
    harness = await start([
      calls('agent_start_workflow', { workflowId: 'needs_focus' }),
      text('You have to choose one.'),
    ]);
    await harness.say('polish the record in focus');
    expect(harness.errors()).toEqual(['precondition-failed']);
    expect(harness.toldIn(1)).toContain('Choose a DDR first.');
    expect(harness.toldIn(1)).toContain('Correct this, choose another workflow, or leave it.');
  });

  it('[T6-8-8-drift] keep a definition other than the approved one from starting or continuing, also automatically', async () => {
    harness = await start([begin, text('Started.'), calls('project__list_files', {}), text('It is halted.')]);
    harness.attend();
    await harness.say('write the meeting minutes');
    const changed = harness.app.plane;
    approveWorkflows(harness.home, guardedWorkflows, { write_notes: 'f'.repeat(64) });
    const list = writtenCall('agent_ddr_manager', JSON.stringify({ operation: 'list_ddrs', payload: {} }));
    await harness.app.toolCalls.callTool(commandScope(), list, new AbortController().signal);
    expect(changed).toBe(harness.app.plane);
    await harness.say('go on');
    expect(harness.errors()).toEqual(['drift']);
    const checks = await harness.app.doctor();
    expect(checks.find(({ name }) => name === 'workflow write_notes')).toMatchObject({ ok: false });
  });
});

describe('a user who starts a workflow', () => {
  it('[T6-3-3-explicit] by name gets the form, then the model begins, in either run mode', async () => {
    harness = await start([text('What shall the notes say?'), text('In Agent Mode, too.')]);
    harness.attend({ inputs: null });
    const line = await harness.send('use workflow: write_notes', { runMode: 'agent' });
    await line.done;
    expect(harness.state().workflow).toMatchObject({ startedBy: 'user', inputs: null });
    const ended = harness.next('reply-ended');
    must(harness.app.workflowController.giveInputs(harness.sessionId, { file: 'notes.md' }));
    await ended;
    expect(harness.turn(0).reply?.text).toBe('What shall the notes say?');
    const second = await harness.say('go on', { runMode: 'agent' });
    expect(second.reply?.text).toBe('In Agent Mode, too.');
    must(harness.app.workflowController.cancel(harness.sessionId));
    expect(harness.state().workflow).toBeNull();
  });
});
