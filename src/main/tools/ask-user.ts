import type { Json } from '#shared/json';
import type { Ids } from '../ports/ids';
import type { Approvals } from './approvals';
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
}

export interface Asking {
  readonly ids: Ids;
  readonly approvals: Approvals;
  readonly approve: WritePolicy;
  readonly facts: FactBuffer;
  /** A person is being waited for; returns how to say that the wait is over. */
  readonly onWaiting: () => () => void;
}

/** One question to the user with its two facts; `all` and `none` answer it at once. An approval serves one call. */
export async function askUser(
  asking: Asking,
  question: ApprovalQuestion,
  signal: AbortSignal,
): Promise<'approved' | 'denied' | 'withdrawn'> {
  const approvalId = asking.ids.next('apr');
  const { turn, runId, hash } = question;
  const requested = { type: 'approval-requested' as const, ...question, approvalId };
  const answered = (approved: boolean) =>
    ({ type: 'approval-answered', turn, runId, approvalId, approved, hash }) as const;
  if (asking.approve !== 'ask') {
    const approved = asking.approve === 'all';
    return asking.facts.record([requested, answered(approved)]) && approved ? 'approved' : 'denied';
  }
  const commit = (approved: boolean): boolean => asking.facts.record([answered(approved)]);
  const answer = asking.approvals.ask({ id: approvalId, hash, commit }, signal);
  if (!asking.facts.record([requested])) return 'withdrawn';
  const resume = asking.onWaiting();
  try {
    return await answer;
  } finally {
    resume();
  }
}
