import { z } from 'zod';
import { endpointKinds } from '../../domain/events/endpoint-kinds.ts';
import { nameOfNumber } from '../../domain/name-of-number.ts';
import { namesOf } from '../../domain/names-of.ts';
import { healthLimits, type HealthRow } from '../../domain/webhooks/messages/read-health.ts';
import { parseWebUrl } from '../../platform/network/parse-web-url.ts';
import { milliseconds } from '../schemas.ts';

/** A reason and a host name have up to 255 characters. */
export const maxHealthBytes = 2_048;

/** Each endpoint may read 1,100 index entries. */
export const maxHealthEndpoints = 100;

const moment = milliseconds.nullable();

export const endpointHealthResponse = z
  .strictObject({
    endpointId: z.string().describe('Id of the endpoint, `ep_…`.'),
    kind: z
      .enum(namesOf(endpointKinds))
      .describe(
        'What the endpoint belongs to: `advanced` webhooks, `basicRaw` and `basicProcessed` the two URLs of the ' +
          'basic webhook, `application` the application of the API key at Svix.',
      ),
    host: z
      .string()
      .nullable()
      .meta({ description: 'Host of the URL. The rest is omitted, because it may contain secrets.' }),
    pending: z.int().meta({ description: `Pending messages, at most ${String(healthLimits.pending)}.` }),
    oldestPendingAt: moment.meta({
      description: 'Time of the oldest event of the counted messages, in milliseconds since the epoch.',
    }),
    lastSuccessAt: moment.meta({
      description: `Time of the last success among the latest ${String(healthLimits.attempts)} attempts, in milliseconds since the epoch. Null without one.`,
    }),
    lastFailureAt: moment.meta({
      description: `Time of the last failure among the latest ${String(healthLimits.attempts)} attempts, in milliseconds since the epoch. Null without one.`,
    }),
    failingSince: moment.describe(
      'First failure since the last success, in milliseconds since the epoch. Null while deliveries ' +
        'succeed.',
    ),
    paused: z.boolean().describe('Whether an operator paused the deliveries, by any scope.'),
    disabled: z.boolean().describe('Whether deliveries are stopped.'),
    disabledReason: z
      .string()
      .nullable()
      .meta({ description: 'Why Steward disabled the endpoint. Null when the customer disabled it.' }),
  })
  .meta({ id: 'EndpointHealth' });

/** Writes the state of an endpoint as responses return it. */
export function endpointHealthView(row: HealthRow): z.input<typeof endpointHealthResponse> {
  return {
    endpointId: row.public_id,
    kind: nameOfNumber(endpointKinds, row.kind),
    host: parseWebUrl(row.url)?.host ?? null,
    pending: row.pending,
    oldestPendingAt: row.oldest_pending?.getTime() ?? null,
    lastSuccessAt: row.last_success?.getTime() ?? null,
    lastFailureAt: row.last_failure?.getTime() ?? null,
    failingSince: row.failing_since?.getTime() ?? null,
    paused: row.paused,
    disabled: row.disabled_at !== null,
    disabledReason: row.disabled_at === null ? null : row.disabled_reason,
  };
}
