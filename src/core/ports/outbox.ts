import type { Result } from '#shared/result';
import type { EntityHeader } from '#shared/work-context';

/** A message to a list, ready to be written. Names and text may contain any characters. */
export interface OutgoingMail {
  readonly senderName: string;
  readonly list: EntityHeader;
  readonly template: EntityHeader;
  readonly subject: string;
  readonly text: string;
}

/** Queue of messages for an external delivery program. */
export interface Outbox {
  /** Writes one message and returns its file name in the outbox. HOST/STORAGE when it cannot be written. */
  put(mail: OutgoingMail): Promise<Result<{ readonly file: string }>>;
}
