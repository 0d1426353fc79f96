import { z } from 'zod';
import { AttachRequest, type Attached, type AttachOption, type ItemContent } from './context-item';
import { call } from './ipc-call';
import { SnapshotHash } from './workspace';

const sessionId = z.string().min(1).max(64).optional();

/** Calls about what the user attaches to a line. */
export const itemCalls = {
  /**
   * Reads what the user names and stores it as an item of the next line. HOST/NOT_FOUND; HOST/INVALID_INPUT for a
   * binary file or one that is too large.
   */
  'item-attach': call<Attached>()(AttachRequest.extend({ sessionId })),
  /** What can be attached and matches a text, best first. */
  'item-options': call<readonly AttachOption[]>()(z.object({ sessionId, text: z.string().max(500) })),
  /** The stored content of an item, as it is sent. HOST/NOT_FOUND, HOST/STORAGE. */
  'item-read': call<ItemContent>()(z.object({ hash: SnapshotHash })),
} as const;
