import { appError } from '#shared/app-error';
import type {
  ApprovalDecision,
  ApprovalEdit,
  ArgumentSources,
  KnownName,
  TaintSource,
} from '#shared/approval';
import type { FileChange, Undo } from '#shared/file-change';
import type { DataFlow } from '#shared/data-flow';
import type { Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import { createApprovalCards, type BatchedQuestion, type StepCards } from './approval-cards';
import type { FactBuffer } from './fact-buffer';

/** An open question to the user. An answer must name its id and the hash of the call as currently shown. */
export interface Question {
  readonly id: string;
  /** The current hash of the call; an edit changes it. */
  readonly hash: () => string;
  /** Builds the fact that records an answer. */
  readonly answered: (decision: Answered) => SessionFact;
  /** Commits facts to the session of the question; false when the session cannot be written. */
  readonly record: (facts: readonly SessionFact[]) => boolean;
  /** Checks edited arguments; absent: nothing can be edited. */
  readonly edit?: EditQuestion;
}

/** Checks edited arguments, then returns how to show them, or the reason for refusing them. */
type EditQuestion = (args: Json) => Promise<Result<() => Result<null>>>;

type Answered = Pick<ApprovalDecision, 'approved' | 'said'>;

/** `said`: the user refused the call and wants something else. */
export type ApprovalAnswer =
  | { readonly type: 'approved' }
  | { readonly type: 'denied'; readonly instead?: string }
  | { readonly type: 'withdrawn' };

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
  readonly edit: (edit: ApprovalEdit) => Promise<Result<null>>;
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
        const withdraw = (): void => complete({ type: 'withdrawn' });
        const complete = (answer: ApprovalAnswer): void => {
          open.delete(question.id);
          signal.removeEventListener('abort', withdraw);
          resolve(answer);
        };
        open.set(question.id, { question, complete });
        if (signal.aborted) withdraw();
        else signal.addEventListener('abort', withdraw);
      }),
    answer: (decisions) => {
      const found = decisions.map((decision) => ({
        one: find(decision.approvalId, decision.hash),
        decision,
      }));
      const facts = found.flatMap(({ one, decision }) => (one ? [one.question.answered(decision)] : []));
      const [first] = found;
      const twice = new Set(decisions.map(({ approvalId }) => approvalId)).size < decisions.length;
      if (!first?.one || twice || facts.length < decisions.length) return false;
      if (!first.one.question.record(facts)) return false;
      for (const { one, decision } of found) one?.complete(answerOf(decision));
      return true;
    },
    edit: async ({ approvalId, hash, arguments: args }) => {
      const found = find(approvalId, hash);
      const edited = (await found?.question.edit?.(args)) ?? err(notOpen);
      if (!edited.ok) return edited;
      // The question may have been answered or edited while the new arguments were checked.
      return find(approvalId, hash) === found ? edited.value() : err(notOpen);
    },
  };
}

/** The answer in a decision of the user, given now or in an earlier process. */
export function answerOf({ approved, said: instead }: Answered): ApprovalAnswer {
  if (approved) return { type: 'approved' };
  return { type: 'denied', ...(instead !== undefined && { instead }) };
}

/** `all` and `none` answer every write without a card; `ask` waits for a person. */
export type WritePolicy = 'all' | 'none' | 'ask';

interface ApprovalQuestion {
  readonly turn: number;
  readonly runId: string;
  readonly nodeId: string;
  readonly tool: string;
  readonly arguments: Json;
  /** Covers the arguments and, for a file, the content that the card shows. */
  readonly hash: string;
  readonly origins?: readonly TaintSource[];
  readonly file?: FileChange;
  readonly undo?: Undo;
  /** The file has changed since the user approved this call, so the user is asked again. */
  readonly again?: true;
  /** Content of other servers that the call would pass on. */
  readonly flows?: readonly DataFlow[];
  readonly names?: readonly KnownName[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly sources?: readonly ArgumentSources[];
  /** Place of the call among those of its step; questions of one card are shown in this order. */
  readonly order?: number;
}

/** A call after the user edited its arguments. */
type EditedCall = Pick<ApprovalQuestion, 'arguments' | 'hash' | 'file' | 'undo'>;

/** Checks edited arguments the way the gate checks those of any call. */
type EditCheck = (args: Json) => Promise<Result<EditedCall>>;

interface ApprovalBatcherDeps {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly approvals: Approvals;
  readonly approve: WritePolicy;
  readonly facts: FactBuffer;
  /** Called when a wait for a person begins; returns a function that ends the wait. */
  readonly onWaiting: () => () => void;
  /** The step's part in the cards of its run; absent: the step has cards of its own. */
  readonly cards?: StepCards;
}

export interface ApprovalResult extends EditedCall {
  readonly answer: ApprovalAnswer;
}

/** Asks the user the questions of one node; one card shows the questions that wait at the same time. */
export interface ApprovalBatcher extends Pick<StepCards, 'trackCall' | 'suspendCall' | 'deferRefusal'> {
  /** Without a check the user cannot edit the arguments. */
  readonly ask: (
    question: ApprovalQuestion,
    signal: AbortSignal,
    check?: EditCheck,
  ) => Promise<ApprovalResult>;
}

interface OpenQuestion {
  readonly now: () => EditedCall;
  readonly request: (card?: string) => SessionFact;
  readonly answered: (decision: Answered) => SessionFact;
  readonly edit: EditQuestion;
}

/** One open question; an edit changes its facts and its hash. */
function openQuestion(
  { facts }: ApprovalBatcherDeps,
  approvalId: string,
  question: ApprovalQuestion,
  check: EditCheck | undefined,
): OpenQuestion {
  const { turn, runId } = question;
  const { file, undo } = question;
  let now: EditedCall = {
    arguments: question.arguments,
    hash: question.hash,
    ...(file && { file }),
    ...(undo && { undo }),
  };
  return {
    now: () => now,
    request: (card) => {
      const { origins, flows, names, labels, sources, order: _order, ...rest } = question;
      const more = {
        ...(card !== undefined && { card }),
        ...(origins && { origins: [...origins] }),
        ...(flows && { flows: [...flows] }),
        ...(names && { names: [...names] }),
        ...(labels && { labels: { ...labels } }),
        ...(sources && { sources: [...sources] }),
      };
      return { type: 'approval-requested', ...rest, ...now, ...more, approvalId };
    },
    answered: ({ approved, said: instead }) => ({
      type: 'approval-answered' as const,
      turn,
      runId,
      approvalId,
      approved,
      hash: now.hash,
      ...(instead !== undefined && !approved && { said: instead }),
    }),
    edit: async (args) => {
      const edited = (await check?.(args)) ?? err(notEditable);
      if (!edited.ok) return edited;
      return ok(() => {
        if (!facts.record([{ type: 'approval-edited', turn, runId, approvalId, ...edited.value }])) {
          return err(notRecorded);
        }
        now = edited.value;
        return ok(null);
      });
    },
  };
}

const notEditable = appError('HOST', 'STATE', 'This question has no arguments to change.');
const notRecorded = appError('HOST', 'STORAGE', 'The change could not be recorded.');

export function createApprovalBatcher(deps: ApprovalBatcherDeps): ApprovalBatcher {
  const { approvals, approve, facts, ids, onWaiting } = deps;
  const { cards = createApprovalCards(deps).begin() } = deps;
  const askPerson = async (
    { id, order }: { readonly id: string; readonly order: number },
    open: OpenQuestion,
    editable: boolean,
    signal: AbortSignal,
  ) => {
    const notRecordedSignal = new AbortController();
    const resume = onWaiting();
    const { answered, edit } = open;
    const pendingAnswer = approvals.ask(
      { id, hash: () => open.now().hash, answered, record: facts.record, ...(editable && { edit }) },
      AbortSignal.any([signal, notRecordedSignal.signal]),
    );
    const one: BatchedQuestion = { order, request: open.request, withdraw: () => notRecordedSignal.abort() };
    cards.add(one);
    const answer = await pendingAnswer;
    cards.remove(one);
    resume();
    return { ...open.now(), answer };
  };
  return {
    trackCall: cards.trackCall,
    suspendCall: cards.suspendCall,
    deferRefusal: cards.deferRefusal,
    ask: async (question, signal, check) => {
      const approvalId = ids.next('apr');
      const open = openQuestion(deps, approvalId, question, check);
      if (approve === 'ask')
        return askPerson({ id: approvalId, order: question.order ?? 0 }, open, check !== undefined, signal);
      const approved = approve === 'all';
      const recorded = facts.record([open.request(), open.answered({ approved })]);
      return { ...open.now(), answer: { type: recorded && approved ? 'approved' : 'denied' } };
    },
  };
}
