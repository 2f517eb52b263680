import { z } from 'zod';
import type { PauseScope } from '../../../domain/webhooks/pauses/change-pause.ts';
import { exactlyOne } from '../../rules.ts';
import { milliseconds } from '../../schemas.ts';
import { endpointId } from '../../webhooks/webhook-endpoint.ts';
import { keyId } from '../key-id.ts';

/** The deliveries that an operation covers: exactly one member is set. */
export const pauseScope = z
  .strictObject({
    all: z.literal(true).optional().meta({ description: 'Deliveries of every key.' }),
    keyId: keyId.optional().describe('Deliveries of this API key.'),
    endpointId: endpointId.optional().describe('Deliveries to this endpoint, `ep_…`.'),
  })
  .check(exactlyOne(['all', 'keyId', 'endpointId'], 'Send exactly one of all, keyId and endpointId.'));

export function scopeOf({ keyId: key, endpointId: endpoint }: z.output<typeof pauseScope>): PauseScope {
  if (endpoint !== undefined) return { endpointId: endpoint };
  return key === undefined ? 'all' : { keyId: key };
}

/** The public id that the scope names, or `all`. */
export const targetOf = ({ keyId: key, endpointId: endpoint }: z.output<typeof pauseScope>): string =>
  endpoint ?? key ?? 'all';

export const pauseResponse = z
  .strictObject({
    paused: z.boolean().meta({ description: 'Whether deliveries are paused, by this scope or a wider one.' }),
    pausedAt: milliseconds.nullable().meta({
      description:
        'Start of the pause of this scope, in milliseconds since the epoch. Null while it is not paused.',
    }),
  })
  .meta({ id: 'WebhookPause' });
