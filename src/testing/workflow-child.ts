import { writeSync } from 'node:fs';
import { must } from './stored-session';
import { notes, startWorkflowRig, text } from './workflow-rig';

/** What the child says once its workflow is half done and everything of it is on disk. */
export interface HalfDone {
  readonly home: string;
  readonly sessionId: string;
  readonly stateHash: string;
}

/** Main with a workflow half done (inputs given, one write approved, none made); it stays until it is killed. */
const [, , projectServer = ''] = process.argv;
const rig = await startWorkflowRig([notes.begin, notes.ask, text('Shall I write it now?')], projectServer);
rig.attend();
await rig.say('write the meeting minutes');
const { stateHash } = must(rig.app.log.replay(rig.sessionId));
const said: HalfDone = { home: rig.home, sessionId: rig.sessionId, stateHash };
writeSync(1, `${JSON.stringify(said)}\n`);
setInterval(() => undefined, 60_000);
