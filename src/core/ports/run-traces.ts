/** A value of a span: OpenTelemetry's own kinds. */
export type SpanValue = string | number | boolean | readonly string[];
export type SpanValues = Readonly<Record<string, SpanValue>>;

/** Something that happened in a span; milliseconds since the epoch. */
export interface SpanMoment {
  readonly name: string;
  readonly at: number;
  readonly values: SpanValues;
}

/** One stretch of a run's time; milliseconds since the epoch. */
export interface RunSpan {
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Why it failed; absent: it did not. */
  readonly failure?: string;
  readonly values: SpanValues;
  readonly moments: readonly SpanMoment[];
}

/** A run as it is traced: its summary, and a span for each node that began and each model call (none when the trace is not a full one). */
export interface RunTrace {
  readonly run: RunSpan;
  readonly nodes: readonly RunSpan[];
}

/** Where traces go. Nothing here fails a run: what cannot be written is left out. */
export interface RunTraces {
  /** What is given holds no secret and no large data any more. */
  write(trace: RunTrace): void;
  /** Settles when what was written has left. */
  close(): Promise<void>;
}
