import { z } from 'zod';
import { ElicitAnswer, type PendingElicitation } from './elicitation';
import { call } from './ipc-call';

/** What the window does about servers' questions to the user. */
export const elicitationCalls = {
  /** The questions that are open, oldest first: a window that was loaded again has missed their pushes. */
  'elicitation-list': call<readonly PendingElicitation[]>()(z.undefined()),
  /** The user's answer; it goes to the server and is kept nowhere. */
  'elicitation-answer': call<null>()(z.object({ id: z.string().min(1).max(64), answer: ElicitAnswer })),
} as const;

/** A server asks the user something, or does not any more. */
export type ElicitationPush =
  | { readonly type: 'elicitation-asked'; readonly elicitation: PendingElicitation }
  | { readonly type: 'elicitation-over'; readonly id: string };
