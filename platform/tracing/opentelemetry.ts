import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Link,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { Logger } from '../logging/logger.ts';
import { within } from '../process/within.ts';
import { logFailures } from './log-failures.ts';
import { traceOutgoingCalls } from './outgoing-spans.ts';
import { SpanIds } from './span-ids.ts';
import { traceStatements } from './statement-spans.ts';
import type { RunningSpan, SpanToRecord, Tracing } from './spans.ts';

const maxCloseMs = 2_000;

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, producer: SpanKind.PRODUCER } as const;

/** Starts OpenTelemetry's SDK, which reads its standard variables. Call at most once per process. */
export function startTracing(service: string, logger: Logger): Tracing {
  const ids = new SpanIds();
  const sdk = startSdk(service, ids);
  logFailures(logger);
  const tracer = trace.getTracer('steward');
  traceStatements(tracer);
  traceOutgoingCalls(tracer);
  return {
    async run({ name, kind, attributes, linked = false, ...parent }, act) {
      const options = { kind: kinds[kind], attributes, links: linked ? activeLinks() : [] };
      // Only these headers: a caller's baggage must not reach other servers.
      const parentContext = propagation.extract(ROOT_CONTEXT, parent);
      return tracer.startActiveSpan(name, options, parentContext, async (span) => {
        try {
          return await act(runningSpan(span));
        } catch (error) {
          fail(span, error instanceof Error ? error.name : 'unknown');
          throw error;
        } finally {
          span.end();
        }
      });
    },
    record: (ended) => record(tracer, ids, ended),
    traceparent() {
      const carrier: { traceparent?: string } = {};
      propagation.inject(context.active(), carrier);
      return carrier.traceparent;
    },
    async close() {
      const sent = sdk.shutdown().catch(() => undefined);
      await within(sent, maxCloseMs, undefined);
    },
  };
}

function startSdk(service: string, ids: SpanIds): NodeSDK {
  const { env } = process;
  // The other detectors report the command line and the user of the operating system.
  env['OTEL_NODE_RESOURCE_DETECTORS'] ??= 'env,serviceinstance';
  const named =
    env['OTEL_SERVICE_NAME'] !== undefined || env['OTEL_RESOURCE_ATTRIBUTES']?.includes('service.name=');
  const sdk = new NodeSDK({
    idGenerator: ids,
    // Traces only.
    metricReaders: [],
    logRecordProcessors: [],
    ...(named !== true && { serviceName: service }),
  });
  sdk.start();
  return sdk;
}

function activeLinks(): Link[] {
  const active = trace.getActiveSpan();
  return active === undefined ? [] : [{ context: active.spanContext() }];
}

const runningSpan = (span: Span): RunningSpan => ({
  traceId: span.spanContext().traceId,
  rename: (name) => void span.updateName(name),
  describe: (attributes) => void span.setAttributes(attributes),
  fail: (type) => fail(span, type),
});

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

function record(tracer: Tracer, ids: SpanIds, ended: SpanToRecord): void {
  const { name, traceparent, spanId, startedAt, endedAt, failed, attributes } = ended;
  const parentContext = propagation.extract(ROOT_CONTEXT, { traceparent });
  const options = { kind: SpanKind.CONSUMER, startTime: startedAt, attributes };
  const span = ids.withSpanId(spanId, () => tracer.startSpan(name, options, parentContext));
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endedAt);
}
