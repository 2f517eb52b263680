import { z } from 'zod';
import { invalidMember } from '../../domain/errors.ts';
import { dayMs } from '../../platform/units.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { replayWindowMs } from '../cross-resource/replay-window.ts';
import { rule } from '../rules.ts';
import { milliseconds } from '../schemas.ts';
import { actOnEndpoints, endpointErrors } from './act-on-endpoints.ts';
import { endpointId } from './webhook-endpoint.ts';

/** Milliseconds for which events are retained. */
const maxAgeMs = 30 * dayMs;

const tooOld = 'since must be at most 30 days ago.';

/** The endpoint and the period whose messages to recover. */
export const recoveryRequest = z
  .strictObject({
    endpointId,
    since: milliseconds
      .refine((since) => since >= Date.now() - maxAgeMs - replayWindowMs, { error: tooOld })
      .describe('Start of the period, in milliseconds since the epoch, max 30 days ago.'),
    until: milliseconds
      .optional()
      .describe('End of the period, in milliseconds since the epoch. Absent: now.'),
  })
  .check(
    rule('until must not be before since.', {}, ['since', 'until'], ({ since, until }, context) => {
      if (until !== undefined && until < since)
        context.addIssue({ code: 'custom', path: ['until'], message: '<m> must not be before since.' });
    }),
  );

/**
 * Returns the period of a request, and refuses one that begins too early. Call it in the handler: a period that was recent
 * enough when the call succeeded must not prevent the replay of its response.
 */
export function recoveredPeriod({ since, until }: z.output<typeof recoveryRequest>) {
  const now = Date.now();
  if (since < now - maxAgeMs) throw invalidMember('since', tooOld);
  return { since, until: until ?? now };
}

const { outside, result } = actOnEndpoints(async (endpoints, sent: z.output<typeof recoveryRequest>) =>
  endpoints.recover(sent.endpointId, recoveredPeriod(sent)),
);

export const recoverMessages = outsideEndpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/recover'],
  credentials: 'apiKey',
  audit: { action: 'endpoint.recover_messages', target: ({ data }) => data.endpointId },
  summary: 'Queues one attempt for each failed or canceled message of a period.',
  description:
    'Takes the oldest messages first, max 10,000 per call, and none of `endpoints/test`. A queued message ' +
    'is pending, so a repeated call does not queue it again; repeat the call while `messages` is 10,000. ' +
    'An unknown endpoint fails with `NOT_FOUND`, a disabled one with `FAILED_PRECONDITION`, as do calls ' +
    'while advanced webhooks are off. The audit log records the call.',
  data: recoveryRequest,
  outside,
  response: dataResponse(
    z.strictObject({
      endpointId: z.string().describe('Id of the endpoint.'),
      messages: z
        .int()
        .nullable()
        .meta({ description: 'Number of queued messages; null when Svix recovers them.' }),
    }),
  ),
  errors: endpointErrors,
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01', since: 4_102_444_800_000 },
  async handle(call, work) {
    const { endpointId: id } = call.data;
    const messages = await result(call, work);
    return succeeded('Advanced webhook endpoint messages recovered successfully.', {
      endpointId: id,
      messages,
    });
  },
});
