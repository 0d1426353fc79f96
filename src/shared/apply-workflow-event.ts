import type { FactOf, SessionEvent } from './session-event';
import type {
  WorkflowTimelineEvent,
  WorkflowRun,
  WorkflowSessionState,
  WorkflowStep,
} from './workflow-state';

type Numbered = Pick<SessionEvent, 'at'>;
export type WorkflowFact = FactOf<
  | 'workflow-started'
  | 'workflow-inputs-given'
  | 'workflow-step-ended'
  | 'workflow-approval-answered'
  | 'workflow-approval-used'
  | 'workflow-error-raised'
  | 'workflow-error-answered'
  | 'workflow-ended'
  | 'workflows-pinned'
>;

/** The changes of one fact, and the timeline event to show on its line. */
export interface WorkflowChange {
  readonly state: Partial<WorkflowSessionState>;
  readonly moment?: WorkflowTimelineEvent;
}

/** Maximum steps in the state, as many as any check needs; older ones are only counted. */
const maxSteps = 200;
const noChange: WorkflowChange = { state: {} };

function start(event: FactOf<'workflow-started'> & Numbered): WorkflowRun {
  const { workflowRunId, definition, hash, by, turn, proposed, at } = event;
  return {
    workflowRunId,
    definition,
    hash,
    turn,
    proposed,
    startedAt: at,
    startedBy: by,
    inputs: definition.RequiredInputs.length === 0 ? {} : null,
    steps: [],
    stepCount: 0,
    approvals: [],
    halted: null,
  };
}

const addStep = (run: WorkflowRun, step: WorkflowStep): Partial<WorkflowRun> => ({
  steps: [...run.steps, step].slice(-maxSteps),
  stepCount: run.stepCount + 1,
});

/** Marks the first unused approval of this call as used. */
function use(run: WorkflowRun, hash: string): Partial<WorkflowRun> {
  const index = run.approvals.findIndex((one) => one.hash === hash && one.approved && !one.used);
  return {
    approvals: run.approvals.map((one, position) => (position === index ? { ...one, used: true } : one)),
  };
}

type RunFact = Exclude<
  WorkflowFact,
  { type: 'workflow-started' | 'workflow-error-raised' | 'workflows-pinned' }
>;

/** Changes of a fact to the active workflow; `null` when it ended. */
const runFolds: {
  readonly [T in RunFact['type']]: (run: WorkflowRun, event: FactOf<T>) => Partial<WorkflowRun> | null;
} = {
  'workflow-inputs-given': (_run, { inputs }) => ({ inputs }),
  'workflow-step-ended': (run, { tool, arguments: args, outcome }) =>
    addStep(run, { tool, arguments: args, outcome }),
  'workflow-approval-answered': (run, { approval }) => ({
    approvals: [...run.approvals, { ...approval, used: false }],
  }),
  'workflow-approval-used': (run, { hash }) => use(run, hash),
  'workflow-error-answered': () => ({ halted: null }),
  'workflow-ended': () => null,
};

const moments: {
  readonly [T in RunFact['type']]: (
    title: string,
    event: FactOf<T>,
    run: WorkflowRun,
  ) => WorkflowTimelineEvent | undefined;
} = {
  'workflow-inputs-given': (title, { inputs }) => ({ kind: 'inputs-given', title, inputs }),
  'workflow-step-ended': () => undefined,
  'workflow-approval-answered': (title, { approval }) => ({ kind: 'approval', title, approval }),
  'workflow-approval-used': () => undefined,
  'workflow-error-answered': (title, { choice }) => ({ kind: 'choice', title, choice }),
  'workflow-ended': (title, { outcome, summary }, { definition }) => ({
    kind: 'ended',
    title,
    outcome,
    summary,
    followUps: outcome === 'completed' ? (definition.FollowUpOptions ?? []) : [],
  }),
};

function changeRun(state: WorkflowSessionState, event: RunFact): WorkflowChange {
  const { workflow } = state;
  if (workflow?.workflowRunId !== event.workflowRunId) return noChange;
  // The tables pair each type with its fold; the compiler cannot follow the lookup.
  const fold = runFolds[event.type] as (run: WorkflowRun, event: RunFact) => Partial<WorkflowRun> | null;
  const show = moments[event.type] as (
    title: string,
    event: RunFact,
    run: WorkflowRun,
  ) => WorkflowTimelineEvent | undefined;
  const changes = fold(workflow, event);
  const moment = show(workflow.definition.Title, event, workflow);
  const ended: Partial<WorkflowSessionState> =
    event.type === 'workflow-ended' && event.outcome === 'completed'
      ? { completedWorkflows: [...new Set([...state.completedWorkflows, workflow.definition.WorkflowId])] }
      : {};
  return {
    state: { workflow: changes && { ...workflow, ...changes }, ...ended },
    ...(moment && { moment }),
  };
}

function raise(state: WorkflowSessionState, event: FactOf<'workflow-error-raised'>): WorkflowChange {
  const { kind, message, tool, halts, workflowRunId, workflowId } = event;
  const problem = { kind, message, ...(tool !== undefined && { tool }) };
  const running = state.workflow?.workflowRunId === workflowRunId ? state.workflow : null;
  const moment = {
    kind: 'error' as const,
    title: running?.definition.Title ?? workflowId,
    workflowId,
    problem,
  };
  return { state: running && halts ? { workflow: { ...running, halted: problem } } : {}, moment };
}

/** Returns the workflow part of a session's state after one more fact. Pure. */
export function applyWorkflowEvent(
  state: WorkflowSessionState,
  event: WorkflowFact & Numbered,
): WorkflowChange {
  if (event.type === 'workflow-started') {
    const moment = { kind: 'started' as const, title: event.definition.Title, by: event.by };
    return { state: { workflow: start(event) }, moment };
  }
  if (event.type === 'workflow-error-raised') return raise(state, event);
  if (event.type === 'workflows-pinned') return { state: { workflowPin: event.pin } };
  return changeRun(state, event);
}
