import { SpanKind, SpanStatusCode, trace, type Span, type Tracer } from '@opentelemetry/api';
import { sentStatements, type SentStatement } from '../database/sent-statements.ts';

const maxTextLength = 2_048;

type TracedStatement = SentStatement & { span?: Span; error?: unknown };

/**
 * Traces the statements within spans, without their values. Records the text of statements with parameters, which is a
 * constant of the code. MikroORM writes values into its texts and sends no parameters.
 */
export function traceStatements(tracer: Tracer): void {
  const ignore = (): void => undefined;
  sentStatements.subscribe({
    start(message) {
      if (trace.getActiveSpan() === undefined) return;
      const statement = message as TracedStatement;
      const operation = /^\s*(\w+)/.exec(statement.text)?.[1] ?? 'statement';
      statement.span = tracer.startSpan(operation, {
        kind: SpanKind.CLIENT,
        attributes: {
          'db.system.name': 'postgresql',
          'db.operation.name': operation,
          ...(statement.values.length > 0 && { 'db.query.text': statement.text.slice(0, maxTextLength) }),
        },
      });
    },
    error(message) {
      const { span, error } = message as TracedStatement;
      const { code, name } = error as { code?: string; name?: string };
      span?.setAttribute('error.type', code ?? name ?? 'unknown').setStatus({ code: SpanStatusCode.ERROR });
    },
    asyncEnd: (message) => (message as TracedStatement).span?.end(),
    end: ignore,
    asyncStart: ignore,
  });
}
