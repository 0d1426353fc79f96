/** Why the user is called back to a session. */
export type CallReason = 'needs-you' | 'done' | 'failed';

/** The only open approval of a turn, when all of it fits into a notification. */
export interface SmallWrite {
  readonly runId: string;
  readonly approvalId: string;
  readonly hash: string;
  /** The tool and its exact arguments, in printable ASCII. */
  readonly text: string;
}

/** A call to a user who is away from the window. */
export interface UserCall {
  readonly sessionId: string;
  /** The turn that waits or has ended. */
  readonly turn: number;
  readonly reason: CallReason;
  /** The session's title. */
  readonly title: string;
  /** What can be answered without opening the session. */
  readonly write?: SmallWrite;
}
