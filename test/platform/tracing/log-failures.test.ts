import { afterEach, describe, expect, it } from '@jest/globals';
import { diag } from '@opentelemetry/api';
import { createLogger } from '../../../platform/logging/logger.ts';
import { logFailures } from '../../../platform/tracing/log-failures.ts';

afterEach(() => diag.disable());

/** Returns the reasons that are logged while `report` runs. */
function reasonsOf(report: () => void): readonly unknown[] {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  logFailures(createLogger({ level: 'info', format: 'json', name: 'api' }, write));
  report();
  return lines.map((line) => (JSON.parse(line) as { reason: unknown }).reason);
}

describe('a failure that OpenTelemetry reports', () => {
  it('is logged with its text instead of only the name of its component', () => {
    const component = diag.createComponentLogger({ namespace: 'Exporter' });
    const report = (): void => component.warn('export rejected', new Error('status 503'), { body: 'x' });
    expect(reasonsOf(report)).toEqual(['Exporter: export rejected: status 503']);
  });

  it('is logged with the message of an error that arrives as JSON', () => {
    const error = JSON.stringify({ name: 'Error', message: 'connect ECONNREFUSED', stack: 'at …' });
    expect(reasonsOf(() => diag.error(error))).toEqual(['connect ECONNREFUSED']);
  });

  it('is logged with at most 200 characters', () => {
    expect(reasonsOf(() => diag.error('x'.repeat(1_000)))).toEqual(['x'.repeat(200)]);
  });
});
