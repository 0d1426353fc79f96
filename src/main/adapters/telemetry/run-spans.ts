import { join } from 'node:path';
import {
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type HrTime,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  SimpleSpanProcessor,
  type SpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { RunSpan, RunTraces, SpanValues } from '../../../core/ports/run-traces';
import { proxyAgentsFor } from '../system/proxy-agent';
import type { ProxyHost } from '../system/system-proxy';
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

export interface RunSpansDeps extends ProxyHost {
  readonly home: string;
  readonly version: string;
}

const asAttributes = (values: SpanValues): Attributes =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  );

/** Exports to a collector only when one is configured, through the OTLP exporter's own variables. */
function processors({ home, ...host }: RunSpansDeps): SpanProcessor[] {
  const file = new SimpleSpanProcessor(createTraceFile(join(home, 'traces')));
  const base = host.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (base === undefined || base.trim() === '') return [file];
  const url = `${base.trim().replace(/\/+$/, '')}/v1/traces`;
  const agents = proxyAgentsFor(host);
  const options = { url, timeoutMillis: 5_000, ...(agents && { httpAgentOptions: agents }) };
  return [file, new BatchSpanProcessor(new OTLPTraceExporter(options))];
}

/**
 * Exports runs as OpenTelemetry spans: to `PATINA_HOME/traces`, and to a collector when
 * `OTEL_EXPORTER_OTLP_ENDPOINT` names one.
 */
export function createRunSpans(deps: RunSpansDeps): RunTraces {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'patina', 'service.version': deps.version }),
    spanLimits: { attributeValueLengthLimit: 1_000, attributeCountLimit: 64, eventCountLimit: 256 },
    spanProcessors: processors(deps),
  });
  const tracer = provider.getTracer('patina.agent', deps.version);
  const begin = ({ name, startedAt, values }: RunSpan, context: Context) =>
    tracer.startSpan(name, { startTime: startedAt, attributes: asAttributes(values) }, context);
  const finish = (span: ReturnType<typeof begin>, { moments, failure, endedAt }: RunSpan): void => {
    for (const { name, values, at } of moments) span.addEvent(name, asAttributes(values), at);
    const failed = failure === undefined ? {} : { message: failure };
    span.setStatus({ code: failure === undefined ? SpanStatusCode.OK : SpanStatusCode.ERROR, ...failed });
    span.end(endedAt);
  };
  return {
    write({ run, nodes }) {
      const root = begin(run, ROOT_CONTEXT);
      const within = trace.setSpan(ROOT_CONTEXT, root);
      for (const node of nodes) finish(begin(node, within), node);
      finish(root, run);
    },
    close: () => provider.shutdown().catch(() => undefined),
  };
}
