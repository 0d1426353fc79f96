import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeNotes } from '../../testing/guarded-workflows';
import { must } from '../../testing/stored-session';
import { useWorkflowHarness } from '../../testing/use-workflow-harness';
import { calls, notes, text, type WorkflowHarness } from '../../testing/workflow-harness';
import { writeWorkflowPack } from '../../testing/workflow-pack';

let harness: WorkflowHarness;
const start = useWorkflowHarness();

const begin = (workflowId: string) => ({ name: 'agent_start_workflow', arguments: { workflowId } });
const together = (...all: readonly { readonly name: string; readonly arguments: unknown }[]) => ({
  toolCalls: all.map((call, at) => ({ id: `c${at}`, ...call })),
});
const started = () =>
  must(harness.app.log.events(harness.sessionId)).flatMap((event) =>
    event.type === 'workflow-started' ? [event.definition.WorkflowId] : [],
  );
const written = () => existsSync(join(harness.project, 'notes.md'));

describe('a deceptive model', () => {
  it('[T6-6-6-criteria] does not complete a workflow in prose: it continues, and the user sees that', async () => {
    harness = await start([notes.begin, text('The workflow is complete: notes.md is written.')]);
    harness.attend();
    const turn = await harness.say('write the meeting minutes');
    expect(harness.state().workflow).toMatchObject({ definition: writeNotes, stepCount: 0 });
    expect(turn.workflow?.map(({ kind }) => kind)).toEqual(['started', 'inputs-given']);
    expect(written()).toBe(false);
  });

  it.each([
    ['write_notes', 'greet_user'],
    ['greet_user', 'write_notes'],
  ])(
    '[T6-7-5-isolation] [T6-6-4-one] that names %s and %s in one reply starts only the first',
    async (one, two) => {
      harness = await start([together(begin(one), begin(two)), text('Both at once.')]);
      harness.attend();
      await harness.say('do both');
      expect(started()).toEqual([one]);
      expect(harness.errors()).toEqual(['second-workflow']);
    },
  );

  it('[T6-7-5-isolation] starts nothing with a yes to a card older than the running workflow', async () => {
    harness = await start([calls('agent_start_workflow', { workflowId: 'write_notes' }), text('Then not.')]);
    const asked = harness.next('question-asked');
    const line = await harness.send('write the meeting minutes');
    await asked;
    const [card] = harness.turn(0).questions ?? [];
    expect(card?.detail).toContain('Tools it may use: ');
    const place = { sessionId: harness.sessionId, turn: 0, questionId: card?.questionId ?? '' };
    await harness.send('use workflow: greet_user');
    expect(started()).toEqual(['greet_user']);
    expect(await harness.app.lines.answer({ ...place, option: 'Start' })).toMatchObject({
      ok: false,
      error: { code: 'STATE' },
    });
    must(await harness.app.lines.answer({ ...place, option: 'Not now' }));
    await line.done;
    expect(started()).toEqual(['greet_user']);
  });

  it('[T6-7-3-approval] cannot reuse an approval of a cancelled run', async () => {
    harness = await start([
      ...[notes.begin, notes.ask, text('Approved.'), notes.begin, notes.write],
      text('I used the old approval.'),
    ]);
    harness.attend();
    await harness.say('write the meeting minutes');
    expect(harness.state().workflow?.approvals).toMatchObject([{ approved: true, used: false }]);
    must(harness.app.workflowController.cancel(harness.sessionId));
    await harness.say('write the meeting minutes again');
    expect(harness.errors()).toEqual(['approval-missing']);
    expect(written()).toBe(false);
  });

  it('[T6-6-4-cards] learns that nothing was approved when a card closes with its workflow', async () => {
    harness = await start([notes.begin, notes.ask, notes.write, text('It is over.')]);
    harness.attend({ clicks: { 'Write notes.md': 'never clicked' } });
    const asked = harness.next('workflow-inputs-given').then(() => harness.next('question-asked'));
    const line = await harness.send('write the meeting minutes');
    await asked;
    must(harness.app.workflowController.cancel(harness.sessionId));
    await line.done;
    expect(harness.turn(0).questions).toMatchObject([
      { status: 'answered', answer: 'Start' },
      { status: 'withdrawn', withdrawn: 'workflow-ended' },
    ]);
    expect(harness.toldIn(2)).toContain('The workflow that asked for this is over');
    expect(written()).toBe(false);
    const replay = must(harness.app.log.replay(harness.sessionId));
    expect(replay.equal).toBe(true);
  });

  it('[T6-6-4-cards] gets an answer to the completion card, and no other card closes', async () => {
    harness = await start([calls('agent_start_workflow', { workflowId: 'write_notes' }), text('Then not.')]);
    const asked = harness.next('question-asked');
    const line = await harness.send('write the meeting minutes');
    await asked;
    await harness.send('use workflow: greet_user');
    must(harness.app.workflowController.cancel(harness.sessionId));
    const [card] = harness.turn(0).questions ?? [];
    const place = { sessionId: harness.sessionId, turn: 0, questionId: card?.questionId ?? '' };
    must(await harness.app.lines.answer({ ...place, option: 'Not now' }));
    await line.done;
    expect(harness.turn(0).questions).toMatchObject([{ status: 'answered', answer: 'Not now' }]);
  });

  it('[T6-7-3-approval] is not asked twice about an approved call, which is still one call', async () => {
    harness = await start([notes.begin, notes.ask, notes.ask, notes.write, notes.write, text('Done.')]);
    harness.attend();
    const turn = await harness.say('write the meeting minutes');
    expect(turn.questions?.map((one) => one.text)).toEqual([
      'Start the workflow “Write the notes”?',
      'Write notes.md',
    ]);
    expect(harness.errors()).toEqual(['approval-missing']);
    expect(harness.state().workflow?.steps.filter(({ outcome }) => outcome === 'done')).toHaveLength(1);
  });

  it('[T6-10-1-mode] cannot use authoring outside its mode; it is offered in no call', async () => {
    const draft = {
      operation: 'draft_workflow',
      workflowId: 'mine_own',
      title: 'Mine',
      description: 'Mine.',
    };
    harness = await start([calls('agent_workflow_authoring', draft), text('I may not.')]);
    await harness.say('make a workflow of your own');
    expect(harness.offeredIn(0)).not.toContain('agent_workflow_authoring');
    expect(harness.toldIn(1)).toContain('CAPABILITY_DENIED');
    expect(existsSync(join(harness.home, 'workflows', 'drafts'))).toBe(false);
  });

  it('[T6-10-3-shapes] [T6-5-1-missing-operation] gets the tools’ own error shapes for wrong arguments', async () => {
    const hostile = { operation: 'draft_workflow', workflowId: { a: 1 }, title: null, all: 'ünïcode 🦄' };
    harness = await start([
      ...[calls('agent_workflow_registry', { operation: 7, workflowId: null }), text('I may not.')],
      ...[calls('agent_workflow_authoring', hostile), text('I may not.')],
    ]);
    harness.attend();
    await harness.say('what is there?');
    expect(harness.toldIn(1)).toContain('Unknown operation ‘7’. There are: list_workflows');
    await harness.say('/mode workflow_authoring');
    await harness.say('draft something odd');
    const told = JSON.parse(harness.toldIn(3)) as { readonly errors: readonly { readonly field: string }[] };
    expect(told).toMatchObject({ ok: false });
    expect(told.errors.map(({ field }) => field)).toEqual(['workflowId', 'title', 'all']);
  });

  it.each([
    ['diagnose_host', 'Unknown workflow ‘diagnose_host’.'],
    ['old_way', 'Workflow ‘old_way’ is disabled.'],
  ])('[T6-7-8-hidden] [T6-8-5-disabled] cannot start %s, and the user sees why', async (id, message) => {
    const old = { ...writeNotes, WorkflowId: 'old_way', Title: 'The old way', Status: 'disabled' as const };
    harness = await start([calls('agent_start_workflow', { workflowId: id }), text('I may not.')], {
      prepareHome: (home) => writeWorkflowPack(home, [old]),
    });
    const turn = await harness.say('look whether everything works');
    expect(started()).toEqual([]);
    expect(turn.workflow).toMatchObject([{ kind: 'error', problem: { kind: 'unknown-workflow', message } }]);
  });
});
