import { appError } from '#shared/app-error';
import type { ApprovalDecision, ApprovalEdit } from '#shared/approval';
import type { Json } from '#shared/json';
import { err, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';

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
