import { diag, DiagLogLevel } from '@opentelemetry/api';
import { limitRepeats } from '../logging/limit-repeats.ts';
import type { Logger } from '../logging/logger.ts';

const maxReasonLength = 200;

/** Logs what OpenTelemetry reports, such as a collector that does not respond: the spans are dropped. */
export function logFailures(logger: Logger): void {
  const repeating = limitRepeats(logger);
  const warn = (message: string): void => repeating.warn({ reason: reasonOf(message) }, 'tracing failed');
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** OpenTelemetry reports an error as the JSON of its members. */
function reasonOf(message: string): string {
  try {
    const { message: text, code, name } = JSON.parse(message) as Readonly<Record<string, string>>;
    return (text ?? code ?? name ?? '').slice(0, maxReasonLength);
  } catch {
    return message.slice(0, maxReasonLength);
  }
}
