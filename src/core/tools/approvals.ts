import { appError } from '#shared/app-error';
import type { ApprovalDecision, ApprovalEdit, TaintSource } from '#shared/approval';
import type { Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { FactBuffer } from './fact-buffer';

/** An open question to the user. An answer must name its id and the hash of the call as currently shown. */
export interface Question {
  readonly id: string;
  /** The current hash of the call; an edit changes it. */
  readonly hash: () => string;
  /** Builds the fact that records an answer. */
  readonly answered: (approved: boolean) => SessionFact;
  /** Commits facts to the session of the question; false when the session cannot be written. */
  readonly record: (facts: readonly SessionFact[]) => boolean;
  /** Accepts edited arguments or returns the reason for refusing them; absent: nothing can be edited. */
  readonly edit?: (args: Json) => Result<null>;
}

export type ApprovalAnswer = 'approved' | 'denied' | 'withdrawn';

/** The open questions of all runs. */
export interface Approvals {
  /** Waits for a person; returns `withdrawn` when the signal aborts first. */
  readonly ask: (question: Question, signal: AbortSignal) => Promise<ApprovalAnswer>;
  /**
   * Records all answers in one commit or none; false when a question is not open as shown or the commit
   * fails.
   */
  readonly answer: (decisions: readonly ApprovalDecision[]) => boolean;
  /** Changes the arguments of an open question; the hash shown before becomes invalid. */
  readonly edit: (edit: ApprovalEdit) => Result<null>;
}

interface Open {
  readonly question: Question;
  readonly complete: (answer: ApprovalAnswer) => void;
}

const notOpen = appError('HOST', 'STATE', 'That approval has changed or is no longer open.');

export function createApprovals(): Approvals {
  const open = new Map<string, Open>();
  const find = (id: string, hash: string): Open | undefined => {
    const found = open.get(id);
    return found?.question.hash() === hash ? found : undefined;
  };
  return {
    ask: (question, signal) =>
      new Promise((resolve) => {
        const withdraw = (): void => complete('withdrawn');
        const complete = (answer: ApprovalAnswer): void => {
          open.delete(question.id);
          signal.removeEventListener('abort', withdraw);
          resolve(answer);
        };
        open.set(question.id, { question, complete });
        if (signal.aborted) withdraw();
        else signal.addEventListener('abort', withdraw, { once: true });
      }),
    answer: (decisions) => {
      const found = decisions.map(({ approvalId, hash, approved }) => ({
        one: find(approvalId, hash),
        approved,
      }));
      const facts = found.flatMap(({ one, approved }) => (one ? [one.question.answered(approved)] : []));
      const [first] = found;
      const twice = new Set(decisions.map(({ approvalId }) => approvalId)).size < decisions.length;
      if (!first?.one || twice || facts.length < decisions.length) return false;
      if (!first.one.question.record(facts)) return false;
      for (const { one, approved } of found) one?.complete(approved ? 'approved' : 'denied');
      return true;
    },
    edit: ({ approvalId, hash, arguments: args }) => {
      const found = find(approvalId, hash);
      return found?.question.edit ? found.question.edit(args) : err(notOpen);
    },
  };
}

/** `all` and `none` answer every write without a card; `ask` waits for a person. */
export type WritePolicy = 'all' | 'none' | 'ask';

interface ApprovalQuestion {
  readonly turn: number;
  readonly runId: string;
  readonly nodeId: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly hash: string;
  readonly origins?: readonly TaintSource[];
}

/** A call after the user edited its arguments. */
type EditedCall = Pick<ApprovalQuestion, 'arguments' | 'hash'>;

/** Checks edited arguments the way the gate checks those of any call. */
type EditCheck = (args: Json) => Result<EditedCall>;

interface ApprovalBatcherDeps {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly approvals: Approvals;
  readonly approve: WritePolicy;
  readonly facts: FactBuffer;
  /** Called when a wait for a person begins; returns a function that ends the wait. */
  readonly onWaiting: () => () => void;
}

interface ApprovalResult extends EditedCall {
  readonly answer: ApprovalAnswer;
}

/** Asks the user the questions of one node; one card shows the questions that wait at the same time. */
export interface ApprovalBatcher {
  /** Starts to track a call of the node; returns a function that ends it. */
  readonly trackCall: () => () => void;
  /** Without a check the user cannot edit the arguments. */
  readonly ask: (
    question: ApprovalQuestion,
    signal: AbortSignal,
    check?: EditCheck,
  ) => Promise<ApprovalResult>;
}

/** A card waits at most this many milliseconds for a slow read that runs beside its writes. */
const batchWindowMs = 400;

interface BatchedQuestion {
  readonly request: (card: string) => SessionFact;
  readonly withdraw: () => void;
}

/** Shows a card as soon as every running call of the node waits for the user, or after the batch window. */
function createCards({ clock, ids, facts }: ApprovalBatcherDeps) {
  let runningCalls = 0;
  let waitingCalls = 0;
  let batched: BatchedQuestion[] = [];
  let cancelTimer: (() => void) | null = null;
  const show = (): void => {
    cancelTimer?.();
    cancelTimer = null;
    const batch = batched;
    batched = [];
    if (batch.length === 0) return;
    const card = ids.next('card');
    if (!facts.record(batch.map(({ request }) => request(card))))
      for (const { withdraw } of batch) withdraw();
  };
  const showIfAllWait = (): void => {
    if (waitingCalls >= runningCalls) show();
  };
  return {
    trackCall: () => {
      runningCalls += 1;
      return () => {
        runningCalls -= 1;
        showIfAllWait();
      };
    },
    add: (one: BatchedQuestion): void => {
      waitingCalls += 1;
      batched.push(one);
      cancelTimer ??= clock.after(batchWindowMs, show);
      // Calls that the script starts in the same tick have not arrived yet.
      queueMicrotask(showIfAllWait);
    },
    remove: (one: BatchedQuestion): void => {
      waitingCalls -= 1;
      batched = batched.filter((other) => other !== one);
    },
  };
}

interface OpenQuestion {
  readonly now: () => EditedCall;
  readonly request: (card?: string) => SessionFact;
  readonly answered: (approved: boolean) => SessionFact;
  readonly edit: (args: Json) => Result<null>;
}

/** One open question; an edit changes its facts and its hash. */
function openQuestion(
  { facts }: ApprovalBatcherDeps,
  approvalId: string,
  question: ApprovalQuestion,
  check: EditCheck | undefined,
): OpenQuestion {
  const { turn, runId } = question;
  let now: EditedCall = { arguments: question.arguments, hash: question.hash };
  return {
    now: () => now,
    request: (card) => {
      const { origins, ...rest } = question;
      const more = { ...(card !== undefined && { card }), ...(origins && { origins: [...origins] }) };
      return { type: 'approval-requested', ...rest, ...now, ...more, approvalId };
    },
    answered: (approved) => ({
      type: 'approval-answered' as const,
      turn,
      runId,
      approvalId,
      approved,
      hash: now.hash,
    }),
    edit: (args) => {
      const edited = check?.(args) ?? err(notEditable);
      if (!edited.ok) return edited;
      if (!facts.record([{ type: 'approval-edited', turn, runId, approvalId, ...edited.value }])) {
        return err(notRecorded);
      }
      now = edited.value;
      return ok(null);
    },
  };
}

const notEditable = appError('HOST', 'STATE', 'This question has no arguments to change.');
const notRecorded = appError('HOST', 'STORAGE', 'The change could not be recorded.');

export function createApprovalBatcher(deps: ApprovalBatcherDeps): ApprovalBatcher {
  const { approvals, approve, facts, ids, onWaiting } = deps;
  const cards = createCards(deps);
  const askPerson = async (id: string, open: OpenQuestion, editable: boolean, signal: AbortSignal) => {
    const notRecordedSignal = new AbortController();
    const resume = onWaiting();
    const { answered, edit } = open;
    const pendingAnswer = approvals.ask(
      { id, hash: () => open.now().hash, answered, record: facts.record, ...(editable && { edit }) },
      AbortSignal.any([signal, notRecordedSignal.signal]),
    );
    const one: BatchedQuestion = { request: open.request, withdraw: () => notRecordedSignal.abort() };
    cards.add(one);
    const answer = await pendingAnswer;
    cards.remove(one);
    resume();
    return { ...open.now(), answer };
  };
  return {
    trackCall: cards.trackCall,
    ask: async (question, signal, check) => {
      const approvalId = ids.next('apr');
      const open = openQuestion(deps, approvalId, question, check);
      if (approve === 'ask') return askPerson(approvalId, open, check !== undefined, signal);
      const approved = approve === 'all';
      const recorded = facts.record([open.request(), open.answered(approved)]);
      return { ...open.now(), answer: recorded && approved ? 'approved' : 'denied' };
    },
  };
}
