/** Logged events, in the past tense. */
export type LogEvent =
  | 'app-started'
  | 'app-stopped'
  | 'server-started'
  | 'server-refused'
  | 'server-stopped'
  | 'worker-started'
  | 'worker-ended'
  | 'notice-raised'
  | 'call-threw'
  | 'process-failed';

/** Diagnostic log of the app, its servers, its workers and its storage. */
export interface EventLog {
  /** Absolute path of the log file. */
  readonly file: string;
  /**
   * Never fails: an entry that cannot be written is dropped. Texts are redacted; never log an
   * argument, a result or a key.
   */
  write(event: LogEvent, fields?: Readonly<Record<string, string | number | boolean | null>>): void;
}
