/** What is logged, in the past tense. */
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

/** What happened to the app, its servers, its workers and its storage, for whoever looks for a cause later. */
export interface EventLog {
  /** Where it is written; absolute. */
  readonly file: string;
  /** Never fails: what cannot be written is left out. Texts are redacted; no argument, result or key belongs here. */
  write(event: LogEvent, fields?: Readonly<Record<string, string | number | boolean | null>>): void;
}
