import { appError } from '#shared/app-error';
import type { Origin } from '#shared/approval';
import type { Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { ApprovalAnswer, Approvals } from './approvals';
import type { FactBuffer } from './fact-buffer';

/** `all` and `none` answer every write without a card; `ask` waits for a person. */
export type WritePolicy = 'all' | 'none' | 'ask';

export interface ApprovalQuestion {
  readonly turn: number;
  readonly runId: string;
  readonly nodeId: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly hash: string;
  readonly origins?: readonly Origin[];
}

/** What a call is after the user changed its arguments. */
export type EditedCall = Pick<ApprovalQuestion, 'arguments' | 'hash'>;

/** Checks changed arguments as the gate checks any call's. */
export type EditCheck = (args: Json) => Result<EditedCall>;

export interface Asking {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly approvals: Approvals;
  readonly approve: WritePolicy;
  readonly facts: FactBuffer;
  /** A person is being waited for; returns how to say that the wait is over. */
  readonly onWaiting: () => () => void;
}

export interface Asked extends EditedCall {
  readonly answer: ApprovalAnswer;
}

/** Puts the questions of one node to the user; what the node waits for at the same time becomes one card. */
export interface AskDesk {
  /** A call of the node begins; returns how to say that it is over. */
  readonly began: () => () => void;
  /** Without a check there is nothing to edit. */
  readonly ask: (question: ApprovalQuestion, signal: AbortSignal, check?: EditCheck) => Promise<Asked>;
}

/** A card does not wait longer than this for a slow read beside its writes. Milliseconds. */
const patienceMs = 400;

interface Gathered {
  readonly request: (card: string) => SessionFact;
  readonly withdraw: () => void;
}

/** When a card is shown: as soon as nothing of the node goes on but what waits for the user, or after a moment. */
function createCards({ clock, ids, facts }: Asking) {
  let underWay = 0;
  let waiting = 0;
  let gathered: Gathered[] = [];
  let callOff: (() => void) | null = null;
  const show = (): void => {
    callOff?.();
    callOff = null;
    const batch = gathered;
    gathered = [];
    if (batch.length === 0) return;
    const card = ids.next('card');
    if (!facts.record(batch.map(({ request }) => request(card))))
      for (const { withdraw } of batch) withdraw();
  };
  const showIfAllWait = (): void => {
    if (waiting >= underWay) show();
  };
  return {
    began: () => {
      underWay += 1;
      return () => {
        underWay -= 1;
        showIfAllWait();
      };
    },
    gather: (one: Gathered): void => {
      waiting += 1;
      gathered.push(one);
      callOff ??= clock.after(patienceMs, show);
      // What the script began in the same breath is not here yet.
      queueMicrotask(showIfAllWait);
    },
    settled: (one: Gathered): void => {
      waiting -= 1;
      gathered = gathered.filter((other) => other !== one);
    },
  };
}

interface Open {
  readonly now: () => EditedCall;
  readonly request: (card?: string) => SessionFact;
  readonly answered: (approved: boolean) => SessionFact;
  readonly edit: (args: Json) => Result<null>;
}

/** One question as it stands: an edit changes what its facts and its hash say. */
function openQuestion(
  { facts }: Asking,
  approvalId: string,
  question: ApprovalQuestion,
  check: EditCheck | undefined,
): Open {
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

export function createAskDesk(asking: Asking): AskDesk {
  const { approvals, approve, facts, ids, onWaiting } = asking;
  const cards = createCards(asking);
  const askPerson = async (id: string, open: Open, editable: boolean, signal: AbortSignal) => {
    const broken = new AbortController();
    const resume = onWaiting();
    const { answered, edit } = open;
    const asked = approvals.ask(
      { id, hash: () => open.now().hash, answered, record: facts.record, ...(editable && { edit }) },
      AbortSignal.any([signal, broken.signal]),
    );
    const one: Gathered = { request: open.request, withdraw: () => broken.abort() };
    cards.gather(one);
    const answer = await asked;
    cards.settled(one);
    resume();
    return { ...open.now(), answer };
  };
  return {
    began: cards.began,
    ask: async (question, signal, check) => {
      const approvalId = ids.next('apr');
      const open = openQuestion(asking, approvalId, question, check);
      if (approve === 'ask') return askPerson(approvalId, open, check !== undefined, signal);
      const approved = approve === 'all';
      const recorded = facts.record([open.request(), open.answered(approved)]);
      return { ...open.now(), answer: recorded && approved ? 'approved' : 'denied' };
    },
  };
}
