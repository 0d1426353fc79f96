import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '#shared/session-event';
import { greet, guardedWorkflows, writeNotes } from '../testing/guarded-workflows';
import { startMain, type MainRig, type MainRigOptions } from '../testing/main-rig';
import { must } from '../testing/stored-session';
import { approveWorkflows, writeWorkflowPack } from '../testing/workflow-pack';

let rig: MainRig;
let project: string;
beforeEach(() => {
  project = join(mkdtempSync(join(tmpdir(), 'patina-wf-')), 'project');
  mkdirSync(project);
});
afterEach(async () => {
  await rig.close();
  rmSync(join(project, '..'), { recursive: true, force: true });
});

type Replies = MainRigOptions['replies'];
const start = async (replies: Replies): Promise<MainRig> => {
  const prepareHome = (home: string): void => writeWorkflowPack(home, guardedWorkflows);
  rig = await startMain({ ...(replies && { replies }), project, prepareHome });
  return rig;
};
const calls = (name: string, args: unknown) => ({ toolCalls: [{ id: 'c1', name, arguments: args }] });
const text = (words: string) => ({ text: words });

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}
const bodyOf = (index: number): Body => rig.model.chats()[index]?.json as unknown as Body;
const systemOf = (index: number): string => bodyOf(index).messages[0]?.content ?? '';
const offeredIn = (index: number) => bodyOf(index).tools?.map((tool) => tool.function.name) ?? [];
/** What the model was told of the call before its request. */
const toldIn = (index: number): string => bodyOf(index).messages.at(-1)?.content ?? '';

const answers: Readonly<Record<string, string>> = {};
/** Clicks every card as it opens, and fills the form in. */
function attend(
  clicks: Readonly<Record<string, string>> = answers,
  inputs: object | null = { file: 'notes.md' },
) {
  const hear = (event: SessionEvent): void => {
    if (event.type === 'question-asked') {
      const { questionId, text: asked, options } = event.question;
      const option = Object.entries(clicks).find(([part]) => asked.includes(part))?.[1] ?? options[0] ?? '';
      const place = { sessionId: event.sessionId, turn: event.turn, questionId, option };
      queueMicrotask(() => void rig.app.lines.answer(place));
    }
    if (event.type === 'workflow-started' && event.definition.RequiredInputs.length > 0 && inputs) {
      queueMicrotask(() => must(rig.app.workflowDesk.giveInputs(event.sessionId, { ...inputs })));
    }
  };
  rig.app.log.subscribe((events) => events.forEach(hear));
}
const errors = () =>
  must(rig.app.log.events(rig.sessionId)).flatMap((event) =>
    event.type === 'workflow-error-raised' ? [event.kind] : [],
  );
const begin = calls('agent_start_workflow', { workflowId: 'write_notes', reason: 'You asked for notes.' });
const write = { path: 'notes.md', content: 'Hello.\n' };
const ask = calls('request_user_approval', {
  ...{ action: 'Write notes.md', tool: 'filesystem__write_file', arguments: write },
});

describe('a model that behaves', () => {
  it('[T6-6-2-initiate] [T6-6-6-completion] [T6-7-7-consent] starts, is given the inputs, writes what was approved, and completes', async () => {
    await start([
      begin,
      ask,
      calls('filesystem__write_file', write),
      calls('agent_complete_workflow', { summary: 'The notes are written.' }),
      text('Done. You could send them to the team.'),
    ]);
    attend();
    const turn = await rig.say('write the meeting minutes');
    expect(turn.reply).toMatchObject({ status: 'done', text: 'Done. You could send them to the team.' });
    expect(readFileSync(join(project, 'notes.md'), 'utf8')).toBe('Hello.\n');
    expect(errors()).toEqual([]);
    expect(systemOf(0)).toContain('- write_notes – Write the notes');
    expect(systemOf(1)).toContain(writeNotes.InstructionText);
    expect(systemOf(1)).toContain('{"file":"notes.md"}');
    expect(offeredIn(1)).toEqual(
      expect.arrayContaining(['filesystem__write_file', 'project__list_files', 'agent_complete_workflow']),
    );
    expect(offeredIn(1)).not.toContain('agent_start_workflow');
    expect(rig.state()).toMatchObject({ workflow: null, completedWorkflows: ['write_notes'] });
    expect(turn.workflow?.map(({ kind }) => kind)).toEqual(['started', 'inputs-given', 'approval', 'ended']);
    expect(turn.workflow?.at(-1)).toMatchObject({ followUps: [{ text: 'Send them to the team.' }] });
    expect(systemOf(4)).not.toContain('Active workflow:');
  });

  it('[T6-6-4-context] [T6-7-10-immutable] a replay finds the workflow as it was', async () => {
    await start([begin, text('Shall I write?')]);
    attend();
    await rig.say('write the meeting minutes');
    const replayed = must(rig.app.log.replay(rig.sessionId));
    expect(replayed).toMatchObject({ equal: true });
    expect(rig.state().workflow).toMatchObject({ definition: writeNotes, inputs: { file: 'notes.md' } });
  });

  it('[T6-6-2-autostart] a workflow that starts by itself asks nothing, unless anything has drifted', async () => {
    await start([calls('agent_start_workflow', { workflowId: 'greet_user' }), text('Good morning.')]);
    const turn = await rig.say('say a proper good morning');
    expect(turn.questions ?? []).toEqual([]);
    expect(rig.state().workflow?.definition).toEqual(greet);
  });
});

describe('a model that misbehaves', () => {
  it('[T6-7-2-permitted-tools] a tool that is not listed is not called, and the user sees it', async () => {
    const other = { path: 'other.md', edits: [] };
    await start([
      begin,
      calls('filesystem__edit_file', other),
      calls('agent_run_command', { commandId: 'SetMode', id: 'x' }),
      text('Sorry.'),
    ]);
    attend();
    const turn = await rig.say('write the meeting minutes');
    expect(errors()).toEqual(['tool-not-permitted', 'tool-not-permitted']);
    expect(turn.workflow?.filter(({ kind }) => kind === 'error')).toHaveLength(2);
    expect(toldIn(2)).toContain('is not permitted in this workflow');
  });

  it('[T6-7-3-approval] nothing is written without the approval of exactly that call, and one approval is one write', async () => {
    await start([
      begin,
      calls('filesystem__write_file', write),
      ask,
      calls('filesystem__write_file', { ...write, content: 'Other.\n' }),
      calls('filesystem__write_file', write),
      calls('filesystem__write_file', write),
      text('Sorry.'),
    ]);
    attend();
    await rig.say('write the meeting minutes');
    expect(errors()).toEqual(['approval-missing', 'approval-missing', 'approval-missing']);
    expect(readFileSync(join(project, 'notes.md'), 'utf8')).toBe('Hello.\n');
  });

  it('[T6-7-3-approval] a no is a no', async () => {
    await start([begin, ask, calls('filesystem__write_file', write), text('Sorry.')]);
    attend({ 'Write notes.md': 'Do not approve' });
    await rig.say('write the meeting minutes');
    expect(errors()).toEqual(['approval-missing']);
    expect(existsSync(join(project, 'notes.md'))).toBe(false);
  });

  it('[T6-7-5-isolation] [T6-6-4-one] a second workflow does not start, and the mode stays', async () => {
    await start([
      begin,
      calls('agent_start_workflow', { workflowId: 'greet_user' }),
      calls('agent_change_mode', { mode: 'ddr_authoring', branch: false, reason: 'x' }),
      text('Sorry.'),
    ]);
    attend();
    await rig.say('write the meeting minutes');
    expect(errors()).toEqual(['second-workflow', 'mode-change']);
    expect(rig.state()).toMatchObject({
      modeId: null,
      workflow: { definition: { WorkflowId: 'write_notes' } },
    });
  });

  it('[T6-6-6-criteria] completion that is only claimed is none', async () => {
    await start([begin, calls('agent_complete_workflow', { summary: 'All done.' }), text('Sorry.')]);
    attend();
    const turn = await rig.say('write the meeting minutes');
    expect(errors()).toEqual(['not-complete']);
    expect(turn.questions?.map((one) => one.text)).toEqual(['Start the workflow “Write the notes”?']);
    expect(rig.state().workflow).not.toBeNull();
  });

  it('[T6-7-1-no-invention] a workflow there is not starts nothing, and the user sees what was wanted', async () => {
    await start([calls('agent_start_workflow', { workflowId: 'deploy_all' }), text('Sorry.')]);
    const turn = await rig.say('deploy it all');
    expect(errors()).toEqual(['unknown-workflow']);
    expect(turn.workflow).toMatchObject([
      { kind: 'error', problem: { message: 'Unknown workflow ‘deploy_all’.' } },
    ]);
    expect(rig.state().workflow).toBeNull();
  });

  it('[T6-6-7-inputs] inputs the model makes up are only a proposal; nothing is called before the user gives them', async () => {
    await start([
      calls('agent_start_workflow', { workflowId: 'write_notes', inputs: { file: 'made-up.md' } }),
      text('Waiting.'),
    ]);
    attend({}, null);
    const started = rig.next('workflow-started');
    const line = await rig.send('write the meeting minutes');
    await started;
    expect(rig.state().workflow).toMatchObject({ inputs: null, proposed: { file: 'made-up.md' } });
    const { sessionId } = rig;
    expect(rig.app.workflowDesk.giveInputs(sessionId, { file: '../out.md' })).toMatchObject({
      ok: false,
      error: { code: 'INVALID_INPUT', problems: [{ field: 'file' }] },
    });
    expect(rig.app.workflowDesk.giveInputs(sessionId, {})).toMatchObject({ ok: false });
    must(rig.app.workflowDesk.giveInputs(sessionId, { file: 'mine.md' }));
    await line.done;
    expect(JSON.parse(toldIn(1))).toMatchObject({ inputs: { file: 'mine.md' } });
  });

  it('[T6-7-6-errors] after a tool that failed nothing goes on before the user has chosen', async () => {
    await start([
      begin,
      calls('project__list_files', { path: 'nowhere' }),
      calls('project__list_files', {}),
      text('It failed.'),
    ]);
    attend();
    await rig.say('write the meeting minutes');
    expect(errors()).toEqual(['tool-failed', 'tool-failed']);
    expect(rig.state().workflow).toMatchObject({ halted: { kind: 'tool-failed' }, stepCount: 1 });
    must(rig.app.workflowDesk.choose(rig.sessionId, 'retry'));
    expect(rig.state().workflow?.halted).toBeNull();
  });
});

describe('what the host checks before anything', () => {
  it('[T6-7-4-preconditions] a precondition that does not hold is told with the way out', async () => {
    await start([
      calls('agent_start_workflow', { workflowId: 'needs_focus' }),
      text('You have to choose one.'),
    ]);
    await rig.say('polish the record in focus');
    expect(errors()).toEqual(['precondition-failed']);
    expect(toldIn(1)).toContain('Choose a DDR first.');
    expect(toldIn(1)).toContain('Correct this, choose another workflow, or leave it.');
  });

  it('[T6-8-8-drift] a definition that is not the approved one neither starts nor goes on, and nothing starts by itself', async () => {
    await start([begin, text('Started.'), calls('project__list_files', {}), text('It is halted.')]);
    attend();
    await rig.say('write the meeting minutes');
    const changed = rig.app.plane;
    approveWorkflows(rig.home, guardedWorkflows, { write_notes: 'f'.repeat(64) });
    await rig.app.hostCalls.call(
      { name: 'agent_ddr_manager', argumentsJson: JSON.stringify({ operation: 'list_ddrs', payload: {} }) },
      { sessionId: null, turn: null, actor: 'user', signal: new AbortController().signal },
    );
    expect(changed).toBe(rig.app.plane);
    await rig.say('go on');
    expect(errors()).toEqual(['drift']);
    const checks = await rig.app.doctor();
    expect(checks.find(({ name }) => name === 'workflow write_notes')).toMatchObject({ ok: false });
  });
});

describe('a user who starts one', () => {
  it('[T6-3-3-explicit] by naming it: the form, then the model begins, in either run mode', async () => {
    await start([text('What shall the notes say?'), text('In Agent Mode, too.')]);
    attend({}, null);
    const line = await rig.send('use workflow: write_notes', { runMode: 'agent' });
    await line.done;
    expect(rig.state().workflow).toMatchObject({ startedBy: 'user', inputs: null });
    const ended = rig.next('reply-ended');
    must(rig.app.workflowDesk.giveInputs(rig.sessionId, { file: 'notes.md' }));
    await ended;
    expect(rig.turn(0).reply?.text).toBe('What shall the notes say?');
    const second = await rig.say('go on', { runMode: 'agent' });
    expect(second.reply?.text).toBe('In Agent Mode, too.');
    must(rig.app.workflowDesk.cancel(rig.sessionId));
    expect(rig.state().workflow).toBeNull();
  });
});
