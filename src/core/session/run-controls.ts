import { appError } from '#shared/app-error';
import type { ApprovalDecision } from '#shared/approval';
import type { Grant, GrantRequest } from '#shared/grant';
import { isObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { PlanDecision, PlanPreview } from '#shared/plan-review';
import type { SessionFact } from '#shared/session-event';
import { noUsage } from '#shared/model';
import { waitingPlan, type RunState, type SessionState, type Turn } from '#shared/session-state';
import type { Agent } from '../ports/agent';
import type { GrantRegistry } from '../tools/grant-registry';
import type { RerunRequest, Conversation } from './conversation';
import type { SessionLog } from './session-log';

export interface RunRef {
  readonly sessionId: string;
  readonly runId: string;
}

/** A person's actions on a run: answer, pause, resume, rerun, confirm the outcome of a write. */
export type RunControls = ReturnType<typeof createRunControls>;

const notOpen = appError('HOST', 'STATE', 'That approval has changed or is no longer open.');
const notRunning = appError('HOST', 'STATE', 'This run is not in progress.');
const notReviewable = appError('HOST', 'STATE', 'No plan of this run waits for a review.');
const notUnknown = appError('HOST', 'STATE', 'The outcome of that write is already recorded.');

/** What happens after an interrupted run's plan is reviewed; by default it resumes. */
interface ReviewedRun {
  readonly resume?: boolean;
}

export interface FoundRun {
  readonly turn: Turn;
  readonly run: RunState;
}

export function findRun(state: SessionState, runId: string): FoundRun | undefined {
  const turn = state.blocks.flat().findLast(({ run }) => run?.runId === runId);
  return turn?.run && { turn, run: turn.run };
}

/** The facts that answer open approvals of an interrupted run; null when one is not open as shown. */
function storedAnswers(
  { turn, run }: FoundRun,
  decisions: readonly ApprovalDecision[],
): readonly SessionFact[] | null {
  const open = run.approvals.filter(({ status }) => status === 'open');
  const known = decisions.every(({ approvalId, hash }) =>
    open.some((approval) => approval.approvalId === approvalId && approval.hash === hash),
  );
  if (run.status !== 'interrupted' || !known) return null;
  const { runId } = run;
  return decisions.map((decision) => ({
    type: 'approval-answered',
    turn: turn.turn,
    runId,
    ...decision,
  }));
}

const noFolder = appError(
  'HOST',
  'STATE',
  'A saved permission belongs to a project folder, and this session has none.',
);

/** Saves the answers on a card as permissions; HOST/STATE when the card is not open as shown. */
function giveGrants(
  grants: GrantRegistry,
  found: FoundRun & { readonly project: string | null; readonly sessionId: string },
  decisions: readonly ApprovalDecision[],
  request: GrantRequest,
): Result<readonly Grant[]> {
  const { project, sessionId } = found;
  if (project === null) return err(noFolder);
  const calls = decisions.flatMap(({ approvalId, hash, approved }) => {
    const shown = found.run.approvals.find((one) => one.approvalId === approvalId && one.hash === hash);
    const open = shown?.status === 'open' && isObject(shown.arguments);
    return open ? [{ tool: shown.tool, arguments: shown.arguments, approved }] : [];
  });
  if (calls.length < decisions.length) return err(notOpen);
  return grants.give(request, calls, {
    project,
    sessionId,
    runId: found.run.runId,
    stage: found.run.stages?.at(-1)?.stage ?? 1,
  });
}

export interface RunControlsDeps {
  readonly log: SessionLog;
  readonly conversation: Conversation;
  readonly agent: Agent;
  readonly grants: GrantRegistry;
}

export function createRunControls({ log, conversation, agent, grants }: RunControlsDeps) {
  const find = ({ sessionId, runId }: RunRef): FoundRun | undefined => {
    const opened = log.open(sessionId);
    return opened.ok ? findRun(opened.value.state, runId) : undefined;
  };
  const record = (sessionId: string, facts: readonly SessionFact[]): Result<null> => {
    const appended = log.append(sessionId, facts);
    return appended.ok ? ok(null) : appended;
  };
  const rerun = (request: RerunRequest): Result<null> => {
    const started = conversation.rerun(request);
    return started.ok ? ok(null) : started;
  };
  const answer = (place: RunRef, decisions: readonly ApprovalDecision[]): Result<null> => {
    if (agent.answer(decisions)) return ok(null);
    const found = find(place);
    const facts = found && storedAnswers(found, decisions);
    if (!found || !facts) return err(notOpen);
    const recorded = record(place.sessionId, facts);
    if (!recorded.ok) return recorded;
    const left = find(place)?.run.approvals.some(({ status }) => status === 'open');
    const hasUnknownOutcome = found.run.writes.some(({ outcome }) => outcome === 'unknown');
    return left || hasUnknownOutcome
      ? ok(null)
      : rerun({ sessionId: place.sessionId, turn: found.turn.turn });
  };
  /**
   * Runs a waiting plan, with the user's changes if they pass the check. An interrupted run resumes with it.
   * HOST/STATE when the plan does not wait as shown; otherwise the findings.
   */
  const review = async (
    place: RunRef,
    decision: PlanDecision,
    more: ReviewedRun = {},
  ): Promise<Result<null>> => {
    const found = find(place);
    const project = log.state(place.sessionId)?.project;
    if (!found || typeof project !== 'string') return err(notReviewable);
    const judged = await agent.judgeReview(project, found.run, decision);
    if (!judged.ok) return judged;
    const { runId } = place;
    if (agent.review(runId, judged.value)) return ok(null);
    const now = find(place);
    if (now?.run.status !== 'interrupted' || !waitingPlan(now.run)) return err(notReviewable);
    const { turn } = now.turn;
    const reviewed = { type: 'plan-reviewed', turn, runId, by: 'user', ...judged.value } as const;
    const recorded = record(place.sessionId, [reviewed]);
    return recorded.ok && more.resume !== false ? rerun({ sessionId: place.sessionId, turn }) : recorded;
  };
  /** Saves the permissions first, so they cover the run's next requests; revokes them if the answer fails. */
  const answerAndGrant = (
    place: RunRef,
    decisions: readonly ApprovalDecision[],
    request?: GrantRequest,
  ): Result<null> => {
    const found = request && find(place);
    if (!request || !found) return answer(place, decisions);
    const project = log.state(place.sessionId)?.project ?? null;
    const { sessionId } = place;
    const granted = giveGrants(grants, { ...found, project, sessionId }, decisions, request);
    if (!granted.ok) return granted;
    const answered = answer(place, decisions);
    if (!answered.ok) {
      grants.revoke(granted.value.map(({ id }) => id));
      return answered;
    }
    const { turn } = found.turn;
    record(place.sessionId, [{ type: 'grants-given', turn, runId: place.runId, grants: [...granted.value] }]);
    return ok(null);
  };
  return {
    /**
     * Answers open approvals, all or none. It also answers those of an interrupted run: when none is open any
     * more, the run resumes and makes the approved calls without asking again. HOST/STATE when an approval is
     * not open as shown. With a request, it also saves the answers as permissions; when they cannot be stored,
     * nothing is answered.
     */
    answer: answerAndGrant,
    /** Pauses or resumes a run; HOST/STATE when it is not running. */
    pause: ({ runId }: RunRef, paused: boolean): Result<null> =>
      agent.pause(runId, paused) ? ok(null) : err(notRunning),
    rerun,
    review,
    /**
     * Ends a run whose plan waits, without running it; also one that was interrupted while it waited. HOST/STATE
     * when none waits.
     */
    rejectPlan: (place: RunRef): Result<null> => {
      const found = find(place);
      if (!found || !waitingPlan(found.run)) return err(notReviewable);
      const { turn } = found.turn;
      if (found.run.status !== 'interrupted') return conversation.stop(place.sessionId, turn);
      const { runId, usage = noUsage } = found.run;
      const ended = {
        type: 'run-ended',
        turn,
        runId,
        outcome: 'cancelled',
        answer: 'Cancelled.',
        usage,
      } as const;
      return record(place.sessionId, [ended]);
    },
    /** Checks a waiting plan as the user edits it. */
    previewPlan: async (place: RunRef, edit: PlanDecision): Promise<Result<PlanPreview>> => {
      const found = find(place);
      const project = log.state(place.sessionId)?.project;
      if (!found || typeof project !== 'string') return err(notReviewable);
      return ok(await agent.previewPlan(project, found.run, edit));
    },
    /** Records the outcome of a write whose outcome was unknown. */
    confirmOutcome: (place: RunRef, callId: string, happened: boolean): Result<null> => {
      const found = find(place);
      const write = found?.run.writes.find((one) => one.callId === callId);
      if (!found || write?.outcome !== 'unknown') return err(notUnknown);
      const outcome = happened ? ('done' as const) : ('failed' as const);
      const { runId } = place;
      return record(place.sessionId, [
        { type: 'write-settled', turn: found.turn.turn, runId, callId, outcome },
      ]);
    },
  };
}
