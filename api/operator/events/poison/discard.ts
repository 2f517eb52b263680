import { discardPoisonEvents } from '../../../../domain/webhooks/delivery/change-poison-events.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../../http/response/data.ts';
import { poisonResult, poisonScope, scopeOf } from './scope.ts';

export const discardEvents = endpoint({
  paths: ['/v2/operator/events/poison/discard'],
  credentials: 'operator',
  operatorScope: 'admin',
  mutates: true,
  audit: { action: 'poison_events.discard', target: ({ data }) => data.eventId ?? data.keyId ?? '' },
  summary: 'Discards poison events: no endpoint receives them.',
  description:
    'Cannot be undone. With `keyId`, discards the 1,000 oldest poison events of the key; repeat the call ' +
    'for more. An unknown event or key fails with `NOT_FOUND`. The audit log records the call. Repeating ' +
    'the call changes nothing.',
  data: poisonScope,
  response: dataResponse(poisonResult),
  errors: ['NOT_FOUND'],
  example: { eventId: 'evt_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data }, { em, audit }) {
    const { keyId, events } = await discardPoisonEvents(em, scopeOf(data));
    audit.key(keyId);
    return succeeded('Poison events discarded successfully.', { events });
  },
});
