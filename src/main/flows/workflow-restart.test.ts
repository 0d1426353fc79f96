import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { turnAt } from '#shared/session-state';
import { buildEntry } from '../../testing/build-entry';
import { writeNotes } from '../../testing/guarded-workflows';
import { must } from '../../testing/stored-session';
import type { HalfDone, WorkflowStage } from '../../testing/workflow-child';
import { createNodeHost } from '../adapters/cli/node-host';
import type { App } from '../app';
import { compose } from '../compose/compose';

let child: string;
let projectServer: string;
let home = '';
let app: App | null = null;
beforeAll(async () => {
  projectServer = await buildEntry('project-server/index.ts');
  child = await buildEntry('testing/workflow-child.ts', ['libsql']);
}, 120_000);
afterEach(async () => {
  await app?.close();
  app = null;
  rmSync(home, { recursive: true, force: true });
});

/** Runs the child until its workflow reaches the stage, then kills it. */
async function killedAt(stage: WorkflowStage): Promise<HalfDone> {
  const args = [child, projectServer, stage];
  const process_ = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  await new Promise<void>((done) => {
    process_.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (said.includes('\n')) process_.kill('SIGKILL');
    });
    process_.on('close', () => done());
  });
  return JSON.parse(said) as HalfDone;
}

/** Opens the same home folder in another Patina after the kill. */
async function reopened(stage: WorkflowStage) {
  const left = await killedAt(stage);
  home = left.home;
  const host = must(createNodeHost(resolve('out/main'), { home, project: home }));
  const again = must(compose({ ...host, env: { PATINA_DISCOVERY: 'off' } }));
  app = again;
  const { sessionId } = left;
  const { readOnly } = must(again.log.open(sessionId));
  expect(readOnly).toBeNull();
  expect(must(again.log.replay(sessionId))).toMatchObject({ equal: true });
  const state = () => {
    const now = again.log.state(sessionId);
    if (!now) throw new Error('The session is not open.');
    return now;
  };
  const openQuestions = () => (turnAt(state(), 0)?.questions ?? []).filter(({ status }) => status === 'open');
  return { app: again, left, sessionId, state, openQuestions };
}

describe('a workflow after Patina was killed and restarted: [T6-7-5-continuity] [T6-6-4-context]', () => {
  it('has not started if its start was unanswered, and the user can start it', async () => {
    const { app: again, sessionId, state } = await reopened('startAsked');
    expect(state().workflow).toBeNull();
    const model = { providerId: 'none', model: 'none' };
    const sent = must(
      await again.lines.send({
        sessionId,
        runMode: 'ask',
        ui: true,
        model,
        text: 'use workflow: write_notes',
      }),
    );
    expect(sent).toBeTruthy();
    expect(state().workflow).toMatchObject({ startedBy: 'user', inputs: null });
  }, 120_000);

  it('still asks for its inputs, and accepts them', async () => {
    const { app: again, sessionId, state } = await reopened('inputsAsked');
    expect(state().workflow).toMatchObject({ definition: writeNotes, inputs: null });
    expect(again.workflowController.giveInputs(sessionId, { file: '../out.md' })).toMatchObject({
      ok: false,
    });
    must(again.workflowController.giveInputs(sessionId, { file: 'notes.md' }));
    expect(state().workflow).toMatchObject({ inputs: { file: 'notes.md' } });
  }, 120_000);

  it('still asks for its approval, and nothing is approved', async () => {
    const { state, openQuestions } = await reopened('approvalAsked');
    expect(state().workflow).toMatchObject({ inputs: { file: 'notes.md' }, approvals: [], stepCount: 0 });
    expect(openQuestions()).toMatchObject([{ text: 'Write notes.md' }]);
  }, 120_000);

  it('keeps an approval that is not used yet', async () => {
    const { app: again, left, sessionId, state } = await reopened('approved');
    expect(must(again.log.replay(sessionId)).stateHash).toBe(left.stateHash);
    expect(state().workflow).toMatchObject({
      definition: writeNotes,
      inputs: { file: 'notes.md' },
      halted: null,
      approvals: [{ action: 'Write notes.md', approved: true, used: false }],
    });
    // The session is usable: the user cancels the workflow, which only a writer can do.
    must(again.workflowController.cancel(sessionId));
    expect(state().workflow).toBeNull();
  }, 120_000);

  it('stays stopped by an error, and continues as the user chooses', async () => {
    const { app: again, left, sessionId, state } = await reopened('halted');
    expect(must(again.log.replay(sessionId)).stateHash).toBe(left.stateHash);
    expect(state().workflow).toMatchObject({ halted: { kind: 'tool-failed' }, stepCount: 1 });
    must(again.workflowController.choose(sessionId, 'correct'));
    expect(state().workflow).toMatchObject({ halted: null });
  }, 120_000);

  it('is not complete while the user is asked whether it is', async () => {
    const { state, openQuestions } = await reopened('completionAsked');
    expect(state()).toMatchObject({
      completedWorkflows: [],
      workflow: { stepCount: 1, approvals: [{ approved: true, used: true }], halted: null },
    });
    expect(openQuestions()).toEqual([]);
  }, 120_000);
});
