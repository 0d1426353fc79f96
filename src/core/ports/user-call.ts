/** Why the user is called back to a session. */
export type CallReason = 'needs-you' | 'done' | 'failed';

/** A call to a user who is away from the window. */
export interface UserCall {
  readonly sessionId: string;
  readonly reason: CallReason;
  /** The session's title. */
  readonly title: string;
}
