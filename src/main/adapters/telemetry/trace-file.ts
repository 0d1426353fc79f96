import type { HrTime } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { createRotatingFile, type RotatingFileOptions } from './rotating-file';

const defaults = { bytesEach: 4_000_000, files: 5 };

const milliseconds = ([seconds, nanoseconds]: HrTime): number => seconds * 1_000 + nanoseconds / 1e6;

function asRow(span: ReadableSpan): object {
  const { traceId, spanId } = span.spanContext();
  return {
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId ?? null,
    name: span.name,
    start: milliseconds(span.startTime),
    end: milliseconds(span.endTime),
    status: span.status,
    attributes: span.attributes,
    events: span.events.map(({ name, time, attributes }) => ({ name, at: milliseconds(time), attributes })),
  };
}

/** Writes spans as lines of JSON to a folder of limited size. A disk error costs the trace, not the run. */
export function createTraceFile(folder: string, options: Partial<RotatingFileOptions> = {}): SpanExporter {
  const file = createRotatingFile(folder, 'runs', { ...defaults, ...options });
  return {
    export(spans, done) {
      const text = spans.map((span) => `${JSON.stringify(asRow(span))}\n`).join('');
      try {
        file.append(text);
        done({ code: 0 });
      } catch (error) {
        done({ code: 1, error: error instanceof Error ? error : new Error(String(error)) });
      }
    },
    shutdown: () => Promise.resolve(),
  };
}
