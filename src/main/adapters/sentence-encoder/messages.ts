import { z } from 'zod';
import type { Comparison } from '../../../core/ports/sentence-encoder';
import type { MessageProcess, StartMessageProcess } from '../system/message-process';

/** What main sends to the process of the encoder; one comparison at a time. */
export interface ToEncoderProcess extends Omit<Comparison, 'set'> {
  readonly id: number;
  /** The file with the vectors of the set's earlier texts, to be replaced by these; null: not stored. */
  readonly file: string | null;
}

/** What the process answers; `failed` says why it cannot compare. */
export const FromEncoderProcess = z.union([
  z.object({ id: z.number().int(), closeness: z.array(z.number()) }),
  z.object({ id: z.number().int(), failed: z.string() }),
]);
export type FromEncoderProcess = z.infer<typeof FromEncoderProcess>;

export type EncoderProcess = MessageProcess<ToEncoderProcess>;
export type StartSentenceEncoder = StartMessageProcess<ToEncoderProcess>;
