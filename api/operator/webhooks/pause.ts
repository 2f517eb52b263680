import { pauseDeliveries } from '../../../domain/webhooks/pauses/change-pause.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { pauseResponse, pauseScope, scopeOf, targetOf } from './scope.ts';

export const pauseWebhooks = endpoint({
  paths: ['/v2/operator/webhooks/pause'],
  credentials: 'operator',
  operatorScope: 'operate',
  mutates: true,
  audit: { action: 'webhooks.pause', target: ({ data }) => targetOf(data) },
  summary: 'Pauses deliveries of every API key, of one key or of one endpoint.',
  description:
    'Messages wait, and none counts as failed. Repeating the call changes nothing. Attempts that run, or ' +
    'begin at that moment, may complete. Events are still recorded, and customers see their messages as ' +
    'pending. An unknown key or endpoint fails with `NOT_FOUND`. The audit log records the call.',
  data: pauseScope,
  response: dataResponse(pauseResponse),
  errors: ['NOT_FOUND'],
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data }, { em, audit }) {
    const { keyId, paused, pausedAt } = await pauseDeliveries(em, scopeOf(data));
    audit.key(keyId);
    return succeeded('Deliveries paused successfully.', { paused, pausedAt: pausedAt?.getTime() ?? null });
  },
});
