import { expect, it } from '@jest/globals';
import { limitRepeats } from '../../../platform/logging/limit-repeats.ts';
import { logOutage } from '../../../platform/logging/log-outage.ts';
import { createLogger } from '../../../platform/logging/logger.ts';

it.each([
  ['at level debug when the database is away', 'ECONNREFUSED', { level: 'debug', msg: 'beat failed' }],
  [
    'at level debug when a table is missing, as before migrations',
    '42P01',
    { level: 'debug', msg: 'beat failed' },
  ],
  ['as an error when a statement is wrong', '42601', { level: 'error', msg: 'unexpected error' }],
])('a failure of a repeated act is logged %s', (_, code, line) => {
  const lines: unknown[] = [];
  const logger = createLogger({ level: 'debug', format: 'json', name: 'tests' }, (text) => {
    lines.push(JSON.parse(text));
  });
  logOutage(limitRepeats(logger), 'beat failed')(Object.assign(new Error('no beat'), { code }));
  expect(lines).toMatchObject([{ ...line, err: { code } }]);
});

it('unexpected errors of two acts have a line each', () => {
  const lines: unknown[] = [];
  const logger = createLogger({ level: 'debug', format: 'json', name: 'tests' }, (text) => {
    lines.push(JSON.parse(text));
  });
  const repeating = limitRepeats(logger);
  for (const event of ['beat failed', 'sample failed', 'beat failed'])
    logOutage(repeating, event)(new Error(`reason: ${event}`));
  expect(lines).toMatchObject([
    { msg: 'unexpected error', err: { message: 'reason: beat failed' } },
    { msg: 'unexpected error', err: { message: 'reason: sample failed' } },
  ]);
});
