import { z } from 'zod';
import type { JsonObject } from '#shared/json';
import type { MessageProcess, StartMessageProcess } from '../system/message-process';

/** A message of a conversation, as the process of a local model takes it. */
export interface LocalMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** What main sends to the process of a local model: the file to load first, then one reply at a time. */
export type ToModelProcess =
  | {
      readonly type: 'load';
      readonly path: string;
      readonly threads: number;
      readonly contextTokens: number;
    }
  | {
      readonly type: 'reply';
      readonly id: number;
      readonly messages: readonly LocalMessage[];
      readonly maxTokens?: number;
      readonly temperature?: number;
      readonly stop?: readonly string[];
      /** The reply is one JSON value of this schema; `true`: any JSON value. */
      readonly json?: JsonObject | true;
    }
  | { readonly type: 'stop'; readonly id: number };

/** A process that runs one local model. */
export type ModelProcess = MessageProcess<ToModelProcess>;
export type StartLocalModel = StartMessageProcess<ToModelProcess>;

const id = z.number().int();
const count = z.number().int().nonnegative();

/** What the process answers. A model's file is foreign data in native code, so main checks every message. */
export const FromModelProcess = z.discriminatedUnion('type', [
  z.object({ type: z.literal('loaded') }),
  z.object({ type: z.literal('load-failed'), detail: z.string(), memory: z.boolean() }),
  z.object({ type: z.literal('text'), id, text: z.string() }),
  z.object({ type: z.literal('thinking'), id, text: z.string() }),
  z.object({
    type: z.literal('end'),
    id,
    inputTokens: count,
    cachedTokens: count,
    outputTokens: count,
    /** Why the reply ended: by itself, at the limit of its length, or because main stopped it. */
    reason: z.enum(['complete', 'cut', 'stopped']),
  }),
  z.object({ type: z.literal('reply-failed'), id, detail: z.string(), tooLong: z.boolean() }),
]);
export type FromModelProcess = z.infer<typeof FromModelProcess>;
