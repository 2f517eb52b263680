import { z } from 'zod';

/** Milliseconds: 30 s for the provider, and 5 s for the statements around its call. */
export const testLimitMs = 35_000;

export const testAttempt = z
  .strictObject({
    outcome: z
      .enum(['accepted', 'refused', 'unknown', 'failed'])
      .describe(
        '`accepted`: the provider accepted the message. `refused`: it never will. `unknown`: the connection was lost ' +
          'before its response, or the response took more than 30 seconds. `failed`: a later attempt may succeed, or a setting is missing.',
      ),
    code: z
      .string()
      .describe(
        'SMTP status, HTTP status, error of Slack or of the connection; or the setting that is missing, as ' +
          '`state.reason` names it.',
      ),
    durationMs: z.int().describe('Duration of the attempt, in milliseconds.'),
  })
  .describe('Outcome of the attempt.')
  .meta({ id: 'TestAttempt' });
