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
  summary: 'Discards poison events: no endpoint receives them. Repeating the call changes nothing.',
  data: poisonScope,
  response: dataResponse(poisonResult),
  errors: ['NOT_FOUND'],
  example: { eventId: 'evt_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data }, { em }) {
    const events = await discardPoisonEvents(em, scopeOf(data));
    return succeeded('Poison events discarded successfully.', { events });
  },
});
