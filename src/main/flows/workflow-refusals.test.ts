import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { must } from '../../testing/stored-session';
import { useWorkflowHarness } from '../../testing/use-workflow-harness';
import { calls, notes, text, type WorkflowHarness } from '../../testing/workflow-harness';

const { begin, ask, write, writeOther } = notes;

let harness: WorkflowHarness;
const start = useWorkflowHarness();

describe('a misbehaving model', () => {
  it('[T6-7-2-permitted-tools] cannot call a tool that is not listed, and the user sees the attempt', async () => {
    const other = { path: 'other.md', edits: [] };
    harness = await start([
      begin,
      calls('filesystem__edit_file', other),
      calls('agent_run_command', { commandId: 'SetMode', id: 'x' }),
      text('Sorry.'),
    ]);
    harness.attend();
    const turn = await harness.say('write the meeting minutes');
    expect(harness.errors()).toEqual(['tool-not-permitted', 'tool-not-permitted']);
    expect(turn.workflow?.filter(({ kind }) => kind === 'error')).toHaveLength(2);
    expect(harness.toldIn(2)).toContain('is not permitted in this workflow');
  });

  it('[T6-7-2-both-names] may call a permitted tool by its own name as well as by the offered one', async () => {
    harness = await start([begin, calls('mcp://project.list_files', {}), text('Done.')]);
    harness.attend();
    await harness.say('write the meeting minutes');
    expect(harness.errors()).toEqual([]);
    expect(harness.state().workflow?.steps).toMatchObject([
      { tool: 'mcp://project.list_files', outcome: 'done' },
    ]);
  });

  it('[T6-7-3-outside] cannot ask for an approval outside a workflow, and no card is shown', async () => {
    harness = await start([ask, text('Sorry.')]);
    const turn = await harness.say('hello there');
    expect(harness.toldIn(1)).toContain('No workflow is running, so there is nothing to approve.');
    expect(turn.questions ?? []).toEqual([]);
  });

  it('[T6-8-4-newest] may name the newest version in a start', async () => {
    harness = await start([
      calls('agent_start_workflow', { workflowId: 'write_notes', version: '1.0.0' }),
      text('Started.'),
    ]);
    harness.attend();
    await harness.say('write the meeting minutes');
    expect(harness.state().workflow?.definition).toMatchObject({ Version: '1.0.0' });
  });

  it('[T6-8-4-newest] gets a refusal for another version with how to return to it, and nothing starts', async () => {
    harness = await start([
      calls('agent_start_workflow', { workflowId: 'write_notes', version: '0.9.0' }),
      text('Sorry.'),
    ]);
    harness.attend();
    await harness.say('write the meeting minutes');
    expect(harness.state().workflow).toBeNull();
    expect(harness.toldIn(1)).toContain('only its newest version, 1.0.0, runs');
    expect(harness.toldIn(1)).toContain('publishes it as the next version');
    expect(harness.errors()).toEqual(['precondition-failed']);
  });

  it('[T6-7-3-approval] writes nothing without the approval of exactly that call, and once per approval', async () => {
    harness = await start([begin, write, ask, writeOther, write, write, text('Sorry.')]);
    harness.attend();
    await harness.say('write the meeting minutes');
    expect(harness.errors()).toEqual(['approval-missing', 'approval-missing', 'approval-missing']);
    expect(readFileSync(join(harness.project, 'notes.md'), 'utf8')).toBe('Hello.\n');
  });

  it('[T6-7-3-approval] cannot override a no', async () => {
    harness = await start([begin, ask, write, text('Sorry.')]);
    harness.attend({ clicks: { 'Write notes.md': 'Do not approve' } });
    await harness.say('write the meeting minutes');
    expect(harness.errors()).toEqual(['approval-missing']);
    expect(existsSync(join(harness.project, 'notes.md'))).toBe(false);
  });

  it('[T6-7-5-isolation] [T6-6-4-one] cannot start a second workflow, and the mode stays', async () => {
    harness = await start([
      begin,
      calls('agent_start_workflow', { workflowId: 'greet_user' }),
      calls('agent_change_mode', { mode: 'ddr_authoring', branch: false, reason: 'x' }),
      text('Sorry.'),
    ]);
    harness.attend();
    await harness.say('write the meeting minutes');
    expect(harness.errors()).toEqual(['second-workflow', 'mode-change']);
    expect(harness.state()).toMatchObject({
      modeId: null,
      workflow: { definition: { WorkflowId: 'write_notes' } },
    });
  });

  it('[T6-6-6-criteria] does not complete a workflow by claiming so', async () => {
    harness = await start([
      begin,
      calls('agent_complete_workflow', { summary: 'All done.' }),
      text('Sorry.'),
    ]);
    harness.attend();
    const turn = await harness.say('write the meeting minutes');
    expect(harness.errors()).toEqual(['not-complete']);
    expect(turn.questions?.map((one) => one.text)).toEqual(['Start the workflow “Write the notes”?']);
    expect(harness.state().workflow).not.toBeNull();
  });

  it('[T6-6-6-criteria] needs the user to confirm a file that existed before, because it proves no work', async () => {
    harness = await start([begin, calls('agent_complete_workflow', { summary: 'All done.' }), text('Done.')]);
    const file = join(harness.project, 'notes.md');
    writeFileSync(file, 'Old.\n');
    utimesSync(file, 1_000, 1_000);
    harness.attend();
    const turn = await harness.say('write the meeting minutes');
    expect(turn.questions?.at(-1)?.detail).toContain('notes.md has not changed since the workflow began');
    expect(harness.state().completedWorkflows).toContain('write_notes');
  });

  it('[T6-6-6-criteria] needs no confirmation for a file that the workflow wrote', async () => {
    const complete = calls('agent_complete_workflow', { summary: 'All done.' });
    harness = await start([begin, ask, write, complete, text('Done.')]);
    harness.attend();
    const turn = await harness.say('write the meeting minutes');
    expect(turn.questions?.at(-1)?.text).toContain('complete?');
    expect(turn.questions?.at(-1)?.detail).not.toContain('has not changed');
  });

  it('[T6-7-1-no-invention] starts nothing with a missing workflow, and the user sees the request', async () => {
    harness = await start([calls('agent_start_workflow', { workflowId: 'deploy_all' }), text('Sorry.')]);
    const turn = await harness.say('deploy it all');
    expect(harness.errors()).toEqual(['unknown-workflow']);
    expect(turn.workflow).toMatchObject([
      { kind: 'error', problem: { message: 'Unknown workflow ‘deploy_all’.' } },
    ]);
    expect(harness.state().workflow).toBeNull();
  });

  it('[T6-6-7-inputs] only proposes inputs; nothing is called before the user gives them', async () => {
    harness = await start([
      calls('agent_start_workflow', { workflowId: 'write_notes', inputs: { file: 'made-up.md' } }),
      text('Waiting.'),
    ]);
    harness.attend({ inputs: null });
    const started = harness.next('workflow-started');
    const line = await harness.send('write the meeting minutes');
    await started;
    expect(harness.state().workflow).toMatchObject({ inputs: null, proposed: { file: 'made-up.md' } });
    const { sessionId } = harness;
    expect(harness.app.workflowController.giveInputs(sessionId, { file: '../out.md' })).toMatchObject({
      ok: false,
      error: { code: 'INVALID_INPUT', problems: [{ field: 'file' }] },
    });
    expect(harness.app.workflowController.giveInputs(sessionId, {})).toMatchObject({ ok: false });
    must(harness.app.workflowController.giveInputs(sessionId, { file: 'mine.md' }));
    await line.done;
    expect(JSON.parse(harness.toldIn(1))).toMatchObject({ inputs: { file: 'mine.md' } });
  });

  it('[T6-7-6-errors] does not continue after a failed tool before the user has chosen', async () => {
    harness = await start([
      begin,
      calls('project__list_files', { path: 'nowhere' }),
      calls('project__list_files', {}),
      text('It failed.'),
    ]);
    harness.attend();
    await harness.say('write the meeting minutes');
    expect(harness.errors()).toEqual(['tool-failed', 'tool-failed']);
    expect(harness.state().workflow).toMatchObject({ halted: { kind: 'tool-failed' }, stepCount: 1 });
    must(harness.app.workflowController.choose(harness.sessionId, 'retry'));
    expect(harness.state().workflow?.halted).toBeNull();
  });
});
