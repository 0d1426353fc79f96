import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { must } from '../../testing/stored-session';
import { useWorkflowHarness } from '../../testing/use-workflow-harness';
import { calls, notes, text, type WorkflowHarness } from '../../testing/workflow-harness';

const { begin, ask, write, writeOther } = notes;

let harness: WorkflowHarness;
const start = useWorkflowHarness();

describe('a model that misbehaves', () => {
  it('[T6-7-2-permitted-tools] a tool that is not listed is not called, and the user sees it', async () => {
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

  it('[T6-7-2-both-names] a permitted tool is called by its own name as well as by the one it is offered by', async () => {
    harness = await start([begin, calls('mcp://project.list_files', {}), text('Done.')]);
    harness.attend();
    await harness.say('write the meeting minutes');
    expect(harness.errors()).toEqual([]);
    expect(harness.state().workflow?.steps).toMatchObject([
      { tool: 'mcp://project.list_files', outcome: 'done' },
    ]);
  });

  it('[T6-7-3-outside] outside a workflow an approval is refused and no card is shown', async () => {
    harness = await start([ask, text('Sorry.')]);
    const turn = await harness.say('hello there');
    expect(harness.toldIn(1)).toContain('No workflow is running, so there is nothing to approve.');
    expect(turn.questions ?? []).toEqual([]);
  });

  it('[T6-8-4-newest] a start that names the newest version is a start', async () => {
    harness = await start([
      calls('agent_start_workflow', { workflowId: 'write_notes', version: '1.0.0' }),
      text('Started.'),
    ]);
    harness.attend();
    await harness.say('write the meeting minutes');
    expect(harness.state().workflow?.definition).toMatchObject({ Version: '1.0.0' });
  });

  it('[T6-8-4-newest] a start that names another version is refused with the way back to it, and nothing starts', async () => {
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

  it('[T6-7-3-approval] nothing is written without the approval of exactly that call, and one approval is one write', async () => {
    harness = await start([begin, write, ask, writeOther, write, write, text('Sorry.')]);
    harness.attend();
    await harness.say('write the meeting minutes');
    expect(harness.errors()).toEqual(['approval-missing', 'approval-missing', 'approval-missing']);
    expect(readFileSync(join(harness.project, 'notes.md'), 'utf8')).toBe('Hello.\n');
  });

  it('[T6-7-3-approval] a no is a no', async () => {
    harness = await start([begin, ask, write, text('Sorry.')]);
    harness.attend({ clicks: { 'Write notes.md': 'Do not approve' } });
    await harness.say('write the meeting minutes');
    expect(harness.errors()).toEqual(['approval-missing']);
    expect(existsSync(join(harness.project, 'notes.md'))).toBe(false);
  });

  it('[T6-7-5-isolation] [T6-6-4-one] a second workflow does not start, and the mode stays', async () => {
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

  it('[T6-6-6-criteria] completion that is only claimed is none', async () => {
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

  it('[T6-6-6-criteria] the user confirms a file that was there before, because it shows nothing about the work', async () => {
    harness = await start([begin, calls('agent_complete_workflow', { summary: 'All done.' }), text('Done.')]);
    const file = join(harness.project, 'notes.md');
    writeFileSync(file, 'Old.\n');
    utimesSync(file, 1_000, 1_000);
    harness.attend();
    const turn = await harness.say('write the meeting minutes');
    expect(turn.questions?.at(-1)?.detail).toContain('notes.md has not changed since the workflow began');
    expect(harness.state().completedWorkflows).toContain('write_notes');
  });

  it('[T6-6-6-criteria] a file that the workflow wrote needs no such confirmation', async () => {
    const complete = calls('agent_complete_workflow', { summary: 'All done.' });
    harness = await start([begin, ask, write, complete, text('Done.')]);
    harness.attend();
    const turn = await harness.say('write the meeting minutes');
    expect(turn.questions?.at(-1)?.text).toContain('complete?');
    expect(turn.questions?.at(-1)?.detail).not.toContain('has not changed');
  });

  it('[T6-7-1-no-invention] a workflow there is not starts nothing, and the user sees what was wanted', async () => {
    harness = await start([calls('agent_start_workflow', { workflowId: 'deploy_all' }), text('Sorry.')]);
    const turn = await harness.say('deploy it all');
    expect(harness.errors()).toEqual(['unknown-workflow']);
    expect(turn.workflow).toMatchObject([
      { kind: 'error', problem: { message: 'Unknown workflow ‘deploy_all’.' } },
    ]);
    expect(harness.state().workflow).toBeNull();
  });

  it('[T6-6-7-inputs] inputs the model makes up are only a proposal; nothing is called before the user gives them', async () => {
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

  it('[T6-7-6-errors] after a tool that failed nothing goes on before the user has chosen', async () => {
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
