import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildEntry } from '../testing/build-entry';
import { writeNotes } from '../testing/guarded-workflows';
import { must } from '../testing/stored-session';
import type { HalfDone } from '../testing/workflow-child';
import { createNodeHost } from './adapters/cli/node-host';
import { compose } from './compose';

let child: string;
let projectServer: string;
let home = '';
beforeAll(async () => {
  projectServer = await buildEntry('project-server/index.ts');
  child = await buildEntry('testing/workflow-child.ts', ['libsql']);
}, 120_000);
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Runs the child until its workflow is half done, then kills it. */
async function killedHalfway(): Promise<HalfDone> {
  const process_ = spawn(process.execPath, [child, projectServer], { stdio: ['ignore', 'pipe', 'inherit'] });
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

describe('a workflow and the end of Patina', () => {
  it('[T6-7-5-continuity] [T6-6-4-context] killed in the middle and opened again, the workflow stands where it stood', async () => {
    const { sessionId, stateHash, ...left } = await killedHalfway();
    home = left.home;
    const host = must(createNodeHost(resolve('out/main'), { home, project: home }));
    const app = must(compose({ ...host, env: { PATINA_DISCOVERY: 'off' } }));
    const { state, readOnly } = must(app.log.open(sessionId));
    expect(readOnly).toBeNull();
    expect(must(app.log.replay(sessionId))).toMatchObject({ equal: true, stateHash });
    expect(state.workflow).toMatchObject({
      ...{ definition: writeNotes, inputs: { file: 'notes.md' }, halted: null },
      approvals: [{ action: 'Write notes.md', approved: true, used: false }],
    });
    // It can be gone on with: the user cancels it, which only a writer can.
    must(app.workflowDesk.cancel(sessionId));
    expect(app.log.state(sessionId)?.workflow).toBeNull();
    await app.close();
  }, 120_000);
});
