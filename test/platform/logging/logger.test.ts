import { describe, expect, it } from '@jest/globals';
import { PostgreSqlPlatform } from '@mikro-orm/postgresql';
import { logContext } from '../../../platform/logging/log-context.ts';
import { createLogger } from '../../../platform/logging/logger.ts';

function lines(format: 'json' | 'pretty', level = 'info') {
  const written: string[] = [];
  const logger = createLogger({ level, format, name: 'tests' }, (line) => void written.push(line));
  return { written, logger };
}

describe('a log line', () => {
  it('is one JSON object with level, time and process', () => {
    const { written, logger } = lines('json');
    logger.info({ port: 3000 }, 'listening\nnext');
    expect(written).toHaveLength(1);
    expect(written[0]?.trimEnd()).not.toContain('\n');
    expect(JSON.parse(written[0] ?? '')).toMatchObject({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      process: 'tests',
      port: 3000,
      msg: 'listening\nnext',
    });
  });

  it('for a terminal is one readable line', () => {
    const { written, logger } = lines('pretty');
    logger.warn({ port: 3000, reason: 'a\nb' }, 'listening');
    expect(written).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d warn  tests: listening port=3000 reason="a\\nb"\n$/),
    ]);
  });

  it.each(['json', 'pretty'] as const)('in %s never contains a member named as a secret', (format) => {
    const { written, logger } = lines(format);
    const secrets = {
      authToken: 's-1',
      apiKey: 's-2',
      token: 's-3',
      secret: 's-4',
      password: 's-5',
      authorization: 's-6',
    };
    logger.info({ ...secrets, request: secrets }, 'x');
    expect(written.join('')).not.toMatch(/s-\d/);
    expect(written.join('').match(/\[secret\]/g)).toHaveLength(12);
  });

  it('is not written below the log level', () => {
    const { written, logger } = lines('json', 'warn');
    logger.info('x');
    expect(written).toEqual([]);
  });

  it.each([
    ['of PostgreSQL', (error: Error) => error],
    [
      'of MikroORM',
      (error: Error) => new PostgreSqlPlatform().getExceptionConverter().convertException(error),
    ],
  ])('contains the details of an error %s without row values', (_, converted) => {
    const { written, logger } = lines('json');
    const error = Object.assign(
      new Error('duplicate key value violates unique constraint "organization_ext"'),
      {
        code: '23505',
        constraint: 'organization_ext',
        detail: 'Key (ext_id)=(acme) already exists.',
        parameters: ['acme'],
      },
    );
    logger.error({ err: converted(error) }, 'unexpected error');
    expect(written[0]).not.toContain('acme');
    expect(JSON.parse(written[0] ?? '')).toMatchObject({
      err: { code: '23505', constraint: 'organization_ext', stack: expect.stringContaining('duplicate key') },
    });
  });
});

describe('the log context', () => {
  it('adds its fields to each line that is logged within it', async () => {
    const written: string[] = [];
    const options = { level: 'info', format: 'json', name: 'tests', context: true } as const;
    const logger = createLogger(options, (line) => void written.push(line));
    await logContext.run({ jobId: 'job_1', attempt: 2 }, async () => {
      await Promise.resolve();
      logger.info({ attempt: 3 }, 'within');
    });
    logger.info('after');
    const [within, after] = written.map((line) => JSON.parse(line) as object);
    expect(within).toMatchObject({ jobId: 'job_1', attempt: 3, msg: 'within' });
    expect(after).not.toHaveProperty('jobId');
  });
});
