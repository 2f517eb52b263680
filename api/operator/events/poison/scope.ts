import { z } from 'zod';
import type { PoisonScope } from '../../../../domain/webhooks/delivery/change-poison-events.ts';
import { exactlyOne } from '../../../rules.ts';
import { text } from '../../../schemas.ts';
import { keyId } from '../../key-id.ts';

/** One event, or the events of a key: exactly one member is set. */
export const poisonScope = z
  .strictObject({
    eventId: text(200)
      .min(1)
      .optional()
      .describe('Id of one poison event, `evt_…`, max 200 characters. Excludes `keyId`.'),
    keyId: keyId.optional().meta({ description: 'The 1,000 oldest poison events of the key.' }),
  })
  .check(exactlyOne(['eventId', 'keyId'], 'Send exactly one of eventId and keyId.'));

export const scopeOf = ({ eventId, keyId: key = '' }: z.output<typeof poisonScope>): PoisonScope =>
  eventId === undefined ? { keyId: key } : { eventId };

export const poisonResult = z
  .strictObject({ events: z.int().meta({ description: 'Number of events.' }) })
  .meta({ id: 'PoisonEventCount' });
