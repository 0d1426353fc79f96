import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HrTime } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';

export interface TraceFileOptions {
  /** A file that has grown beyond this becomes an older one. */
  readonly bytesEach?: number;
  /** The newest file and those before it. */
  readonly files?: number;
}

const defaults = { bytesEach: 4_000_000, files: 5 };

const milliseconds = ([seconds, nanoseconds]: HrTime): number => seconds * 1_000 + nanoseconds / 1e6;

function asRow(span: ReadableSpan): object {
  const { traceId, spanId } = span.spanContext();
  return {
    ...{ traceId, spanId, parentSpanId: span.parentSpanContext?.spanId ?? null, name: span.name },
    ...{ start: milliseconds(span.startTime), end: milliseconds(span.endTime), status: span.status },
    attributes: span.attributes,
    events: span.events.map(({ name, time, attributes }) => ({ name, at: milliseconds(time), attributes })),
  };
}

/** Makes room: `runs.jsonl` becomes `runs-1.jsonl`, that one `runs-2.jsonl`, and the oldest is written over. */
function rotate(folder: string, files: number): void {
  const nameOf = (age: number): string => join(folder, age === 0 ? 'runs.jsonl' : `runs-${age}.jsonl`);
  for (let age = files - 2; age >= 0; age -= 1) {
    if (existsSync(nameOf(age))) renameSync(nameOf(age), nameOf(age + 1));
  }
}

/** Spans as lines of JSON in a folder that never grows beyond its bound. A disk that refuses costs the trace, not the run. */
export function createTraceFile(folder: string, options: TraceFileOptions = {}): SpanExporter {
  const { bytesEach, files } = { ...defaults, ...options };
  const file = join(folder, 'runs.jsonl');
  return {
    export(spans, done) {
      const text = spans.map((span) => `${JSON.stringify(asRow(span))}\n`).join('');
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        if (existsSync(file) && statSync(file).size + text.length > bytesEach) rotate(folder, files);
        appendFileSync(file, text, { mode: 0o600 });
        done({ code: 0 });
      } catch (error) {
        done({ code: 1, error: error instanceof Error ? error : new Error(String(error)) });
      }
    },
    shutdown: () => Promise.resolve(),
  };
}
