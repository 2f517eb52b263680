import { diag, DiagLogLevel } from '@opentelemetry/api';
import { limitRepeats } from '../logging/limit-repeats.ts';
import type { Logger } from '../logging/logger.ts';

const maxReasonLength = 200;

/** Logs OpenTelemetry's errors, for example of a collector that does not respond. Its spans are lost. */
export function logFailures(logger: Logger): void {
  const repeating = limitRepeats(logger);
  const warn = (...parts: readonly unknown[]): void =>
    repeating.warn({ reason: reasonOf(parts) }, 'tracing failed');
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** Joins the texts of OpenTelemetry's report: often a component's name, a text and an error. */
function reasonOf(parts: readonly unknown[]): string {
  const texts = parts.map((part) => (part instanceof Error ? part.message : part));
  return texts
    .filter((text) => typeof text === 'string')
    .map(messageOf)
    .join(': ')
    .slice(0, maxReasonLength);
}

/** An error arrives as the JSON of its members. */
function messageOf(text: string): string {
  try {
    const { message, code, name } = JSON.parse(text) as Readonly<Record<string, string>>;
    return message ?? code ?? name ?? '';
  } catch {
    return text;
  }
}
