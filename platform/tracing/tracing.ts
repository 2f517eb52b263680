import type { Logger } from '../logging/logger.ts';
import type { Tracing } from './spans.ts';

let opened: Tracing | undefined;

/** W3C trace context of the active span, 55 characters; undefined outside of spans and when tracing is off. */
export const activeTraceparent = (): string | undefined => opened?.traceparent();

/** Loads and starts OpenTelemetry if `on`. `service` is the default of `OTEL_SERVICE_NAME`. */
export async function openTracing(
  on: boolean,
  service: string,
  logger: Logger,
): Promise<Tracing | undefined> {
  if (!on) return undefined;
  const { startTracing } = await import('./opentelemetry.ts');
  opened = startTracing(service, logger);
  return opened;
}
