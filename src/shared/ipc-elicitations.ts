import { z } from 'zod';
import { ElicitAnswer, type PendingElicitation } from './elicitation';
import { call } from './ipc-call';

/** Calls about servers' questions to the user. */
export const elicitationCalls = {
  /** The open questions, oldest first, for a reloaded window that missed their pushes. */
  'elicitation-list': call<readonly PendingElicitation[]>()(z.undefined()),
  /** The user's answer; sent to the server and never stored. */
  'elicitation-answer': call<null>()(z.object({ id: z.string().min(1).max(64), answer: ElicitAnswer })),
} as const;

/** A server's question to the user was asked or closed. */
export type ElicitationPush =
  | { readonly type: 'elicitation-asked'; readonly elicitation: PendingElicitation }
  | { readonly type: 'elicitation-over'; readonly id: string };
