import { writeSync } from 'node:fs';
import type { SessionEvent } from '#shared/session-event';
import type { MainHarnessOptions } from './main-harness';
import { must } from './stored-session';
import { calls, notes, startWorkflowHarness, text, type Attendance } from './workflow-harness';

/** The child's report when its workflow has reached the stage and everything is on disk. */
export interface HalfDone {
  readonly home: string;
  readonly sessionId: string;
  readonly stateHash: string;
}

interface Stage {
  readonly replies: MainHarnessOptions['replies'];
  /** Null: no user at the window. */
  readonly attendance: Attendance | null;
  /** The event to wait for. */
  readonly until: (event: SessionEvent) => boolean;
}

const ended = (event: SessionEvent): boolean => event.type === 'reply-ended';
const asked =
  (part: string) =>
  (event: SessionEvent): boolean =>
    event.type === 'question-asked' && event.question.text.includes(part);
const leftAlone = 'left alone';
const failing = calls('project__list_files', { path: 'nowhere' });
const complete = calls('agent_complete_workflow', { summary: 'Written.' });

/** The stages at which Patina can end during a workflow. */
export const workflowStages = {
  startAsked: { replies: [notes.begin], attendance: null, until: asked('Start the workflow') },
  inputsAsked: {
    replies: [notes.begin],
    attendance: { inputs: null },
    until: (event) => event.type === 'workflow-started',
  },
  approvalAsked: {
    replies: [notes.begin, notes.ask],
    attendance: { clicks: { 'Write notes.md': leftAlone } },
    until: asked('Write notes.md'),
  },
  approved: {
    replies: [notes.begin, notes.ask, text('Shall I write it now?')],
    attendance: {},
    until: ended,
  },
  halted: { replies: [notes.begin, failing, text('It failed.')], attendance: {}, until: ended },
  completionAsked: {
    replies: [notes.begin, notes.ask, notes.write, complete],
    attendance: { clicks: { 'complete?': leftAlone } },
    until: asked('complete?'),
  },
} as const satisfies Readonly<Record<string, Stage>>;
export type WorkflowStage = keyof typeof workflowStages;

/** Runs main with a workflow up to one stage; then waits to be killed. */
async function standAt({ replies, attendance, until }: Stage, projectServer: string): Promise<void> {
  const harness = await startWorkflowHarness([...(replies ?? [])], projectServer);
  if (attendance) harness.attend(attendance);
  const there = new Promise<void>((reached) => {
    harness.app.log.subscribe((events) => {
      if (events.some(until)) reached();
    });
  });
  void harness.say('write the meeting minutes');
  await there;
  const { stateHash } = must(harness.app.log.replay(harness.sessionId));
  const said: HalfDone = { home: harness.home, sessionId: harness.sessionId, stateHash };
  writeSync(1, `${JSON.stringify(said)}\n`);
  setInterval(() => undefined, 60_000);
}

const [, , projectServer, stage = ''] = process.argv;
const wanted = Object.entries(workflowStages).find(([name]) => name === stage)?.[1];
if (projectServer !== undefined && wanted) await standAt(wanted, projectServer);
