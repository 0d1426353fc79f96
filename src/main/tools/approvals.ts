/** A question to the user that is open: the answer must name this id and this hash. */
interface OpenApproval {
  readonly hash: string;
  readonly settle: (answer: ApprovalAnswer) => void;
  /** Commits the answer before it takes effect. */
  readonly commit: (approved: boolean) => boolean;
}

export type ApprovalAnswer = 'approved' | 'denied' | 'withdrawn';

/** The questions open at this moment, across all runs. */
export interface Approvals {
  /** Waits for a person; `withdrawn` when the signal aborts first. */
  readonly ask: (
    question: { readonly id: string; readonly hash: string; readonly commit: (approved: boolean) => boolean },
    signal: AbortSignal,
  ) => Promise<ApprovalAnswer>;
  /** False when no question with that id and hash is open, or the answer cannot be recorded. */
  readonly answer: (id: string, hash: string, approved: boolean) => boolean;
}

export function createApprovals(): Approvals {
  const open = new Map<string, OpenApproval>();
  return {
    ask: ({ id, hash, commit }, signal) =>
      new Promise((resolve) => {
        const withdraw = (): void => settle('withdrawn');
        const settle = (answer: ApprovalAnswer): void => {
          open.delete(id);
          signal.removeEventListener('abort', withdraw);
          resolve(answer);
        };
        open.set(id, { hash, settle, commit });
        if (signal.aborted) withdraw();
        else signal.addEventListener('abort', withdraw, { once: true });
      }),
    answer: (id, hash, approved) => {
      const question = open.get(id);
      if (!question || question.hash !== hash || !question.commit(approved)) return false;
      question.settle(approved ? 'approved' : 'denied');
      return true;
    },
  };
}
