import { subscribe } from 'node:diagnostics_channel';
import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type Tracer,
} from '@opentelemetry/api';

/** The diagnostics of a request that undici publishes, both Node's own and the package. */
interface OutgoingRequest {
  readonly method: string;
  readonly origin: string | URL;
  addHeader(name: string, value: string): void;
}

interface Message {
  readonly request: OutgoingRequest;
  readonly response?: { readonly statusCode: number };
  readonly error?: { readonly code?: string; readonly name?: string };
}

/**
 * Traces the HTTP calls within spans and sends `traceparent` with them. Spans contain only host and port of the URL.
 */
export function traceOutgoingCalls(tracer: Tracer): void {
  const spans = new WeakMap<OutgoingRequest, Span>();
  const on = (event: string, handle: (message: Message, span: Span | undefined) => void): void =>
    subscribe(`undici:request:${event}`, (published) => {
      const message = published as Message;
      handle(message, spans.get(message.request));
    });
  on('create', ({ request }) => {
    if (trace.getActiveSpan() === undefined) return;
    const span = startSpan(tracer, request);
    spans.set(request, span);
    const headers: Record<string, string> = {};
    propagation.inject(trace.setSpan(context.active(), span), headers);
    for (const [name, value] of Object.entries(headers)) request.addHeader(name, value);
  });
  on('headers', ({ response }, span) => {
    if (response === undefined) return;
    span?.setAttribute('http.response.status_code', response.statusCode);
    if (response.statusCode >= 400) span?.setStatus({ code: SpanStatusCode.ERROR });
  });
  on('trailers', (_, span) => span?.end());
  on('error', ({ error }, span) => {
    span?.setAttribute('error.type', error?.code ?? error?.name ?? 'unknown');
    span?.setStatus({ code: SpanStatusCode.ERROR }).end();
  });
}

function startSpan(tracer: Tracer, { method, origin }: OutgoingRequest): Span {
  const { protocol = '', hostname = '', port = '' } = URL.parse(String(origin)) ?? {};
  return tracer.startSpan(method, {
    kind: SpanKind.CLIENT,
    attributes: {
      'http.request.method': method,
      'url.scheme': protocol.slice(0, -1),
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    },
  });
}
