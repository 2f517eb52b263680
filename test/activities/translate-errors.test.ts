import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@temporalio/client';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { MissingJob, RepeatedCall, translated } from '../../activities/translate-errors.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { createLogger, type Logger } from '../../platform/logging/logger.ts';

const lines: string[] = [];
const logger: Logger = createLogger(
  { level: 'info', format: 'json', name: 'worker' },
  (line) => void lines.push(line),
);
const secret = 'ada@example.com';

describe('a failure of an activity', () => {
  it('is typed and not retried when it is a domain error', () => {
    const failure = translated(notFound('Document does not exist', { movedTo: secret }), logger);
    expect(failure).toMatchObject({
      message: 'Document does not exist',
      type: 'NOT_FOUND',
      nonRetryable: true,
    });
    expect((failure as ApplicationFailure).details).toBeUndefined();
  });

  it('is retried when it is a transient domain error', () => {
    for (const status of ['ABORTED', 'UNAVAILABLE'] as const)
      expect(translated(new DomainError(status, 'Later.'), logger)).toMatchObject({
        type: status,
        nonRetryable: false,
      });
  });

  it('is retried when the activity retries all domain errors', () => {
    const failure = translated(notFound('Document does not exist'), logger, { retriesDomainErrors: true });
    expect(failure).toMatchObject({ type: 'NOT_FOUND', nonRetryable: false });
  });

  it.each([false, true])('is final for a job without a row only when it says so: %s', (isFinal) => {
    expect(translated(new MissingJob(isFinal), logger)).toMatchObject({
      message: 'Missing row for job.',
      type: 'NOT_FOUND',
      nonRetryable: isFinal,
    });
  });

  it('is retried after its own delay, and neither logged nor counted, when a call is repeated', () => {
    const logged = lines.length;
    expect(translated(new RepeatedCall('provider-busy', 1_500), logger)).toMatchObject({
      message: 'provider-busy',
      type: 'PROVIDER',
      nextRetryDelay: 1_500,
      category: ApplicationFailureCategory.BENIGN,
      nonRetryable: false,
    });
    expect(lines).toHaveLength(logged);
  });

  it('is retried and contains no values of rows when it comes from the database', () => {
    const error = Object.assign(new Error(`duplicate key: ${secret}`), {
      code: '23505',
      detail: `Key (email)=(${secret}) already exists.`,
    });
    const failure = translated(error, logger);
    expect(failure).toMatchObject({
      message: 'Database failure: duplicate (23505).',
      type: 'DATABASE',
      nonRetryable: false,
    });
    expect(JSON.stringify(failure)).not.toContain(secret);
    expect((failure as ApplicationFailure).cause).toBeUndefined();
  });

  it('is retried and logged, without its text in the history, when it is unexpected', () => {
    const failure = translated(new TypeError(`no such member: ${secret}`), logger);
    expect(failure).toMatchObject({ message: 'Internal error.', type: 'INTERNAL', nonRetryable: false });
    expect((failure as ApplicationFailure).cause).toBeUndefined();
    expect(lines.at(-1)).toContain(`no such member: ${secret}`);
  });

  it('is the first of several, of which each unexpected one is logged', () => {
    const logged = lines.length;
    const nested = new AggregateError([new TypeError('first'), notFound('second')]);
    const failure = translated(new AggregateError([nested, new TypeError('third')]), logger);
    expect(failure).toMatchObject({ type: 'INTERNAL' });
    expect(lines.slice(logged).map((line) => (JSON.parse(line) as { err: Error }).err.message)).toEqual([
      'first',
      'third',
    ]);
  });

  it.each([4, 8, 14])('is retried and not logged when Temporal does not respond (gRPC code %i)', (code) => {
    const logged = lines.length;
    const cause = Object.assign(new Error(secret), { code, details: secret, metadata: {} });
    const failure = translated(new ServiceError('Failed to start Workflow', { cause }), logger);
    expect(failure).toMatchObject({
      message: 'Temporal does not respond.',
      type: 'TEMPORAL',
      nonRetryable: false,
    });
    expect((failure as ApplicationFailure).cause).toBeUndefined();
    expect(lines).toHaveLength(logged);
  });

  it('is passed on unchanged when it comes from Temporal', () => {
    const failure = ApplicationFailure.nonRetryable('enough');
    expect(translated(failure, logger)).toBe(failure);
  });
});
