import type { Result } from '#shared/result';
import type { EntityHeader } from '#shared/work-context';

/** A message to a list, ready to be written down. Names and text may hold anything. */
export interface OutgoingMail {
  readonly senderName: string;
  readonly list: EntityHeader;
  readonly template: EntityHeader;
  readonly subject: string;
  readonly text: string;
}

/** Where messages wait for whatever delivers them. */
export interface Outbox {
  /** Writes one message; the file's name under the outbox. HOST/STORAGE when it cannot be written. */
  put(mail: OutgoingMail): Promise<Result<{ readonly file: string }>>;
}
