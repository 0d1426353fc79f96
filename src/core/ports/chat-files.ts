import type { Result } from '#shared/result';
import type { ImportSource, SessionFile, SkippedItems } from '#shared/session-file';
import type { TimedFact } from './session-store';

/** One conversation of a file: of another app as facts, or a session of Patina with its events. */
export type ReadChat =
  | {
      readonly kind: 'chat';
      readonly id: string;
      readonly turns: number;
      readonly facts: readonly TimedFact[];
    }
  | { readonly kind: 'patina'; readonly file: SessionFile };

export interface ChatFileSummary {
  readonly source: ImportSource;
  readonly skipped: readonly SkippedItems[];
}

/**
 * Reads the conversations of a file (JSON, or the ZIP archive that an app exports) beside main, one at a time, so
 * that a large file blocks nothing. Errors: HOST/NOT_FOUND, HOST/STORAGE when it cannot be read, HOST/INVALID_INPUT
 * when it is not a known export format.
 */
export type ReadChatFile = (
  path: string,
  onChat: (chat: ReadChat) => void,
) => Promise<Result<ChatFileSummary>>;
