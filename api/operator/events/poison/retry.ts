import { retryPoisonEvents } from '../../../../domain/webhooks/delivery/change-poison-events.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../../http/response/data.ts';
import { poisonResult, poisonScope, scopeOf } from './scope.ts';

export const retryEvents = endpoint({
  paths: ['/v2/operator/events/poison/retry'],
  credentials: 'operator',
  operatorScope: 'operate',
  mutates: true,
  audit: { action: 'poison_events.retry', target: ({ data }) => data.eventId ?? data.keyId ?? '' },
  summary: 'Dispatches poison events again, at once and with 5 more attempts.',
  description:
    'With `keyId`, retries the 1,000 oldest poison events of the key; repeat the call for more. An ' +
    'unknown event or key fails with `NOT_FOUND`. The audit log records the call. An event that is not a ' +
    'poison event is left as it is.',
  data: poisonScope,
  response: dataResponse(poisonResult),
  errors: ['NOT_FOUND'],
  example: { eventId: 'evt_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data }, { em, audit }) {
    const { keyId, events } = await retryPoisonEvents(em, scopeOf(data));
    audit.key(keyId);
    return succeeded('Poison events retried successfully.', { events });
  },
});
