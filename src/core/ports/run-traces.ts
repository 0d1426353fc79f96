/** A span attribute value, of the kinds OpenTelemetry defines. */
export type SpanValue = string | number | boolean | readonly string[];
export type SpanValues = Readonly<Record<string, SpanValue>>;

/** A span event; milliseconds since the epoch. */
export interface SpanMoment {
  readonly name: string;
  readonly at: number;
  readonly values: SpanValues;
}

/** A span of a run; milliseconds since the epoch. */
export interface RunSpan {
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Why it failed; absent on success. */
  readonly failure?: string;
  readonly values: SpanValues;
  readonly moments: readonly SpanMoment[];
}

/**
 * The trace of a run: its summary, and a span for each node that began and each model call (none unless the
 * trace is a full one).
 */
export interface RunTrace {
  readonly run: RunSpan;
  readonly nodes: readonly RunSpan[];
}

/** Exports traces. Never fails a run: traces that cannot be written are dropped. */
export interface RunTraces {
  /** The trace must already be free of secrets and large data. */
  write(trace: RunTrace): void;
  /** Resolves when all written traces have been sent. */
  close(): Promise<void>;
}
