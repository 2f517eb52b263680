import { resumeDeliveries } from '../../../domain/webhooks/pauses/change-pause.ts';
import { servedKinds } from '../../../domain/webhooks/provider.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { pauseResponse, pauseScope, scopeOf, targetOf } from './scope.ts';

export const resumeWebhooks = endpoint({
  paths: ['/v2/operator/webhooks/resume'],
  credentials: 'operator',
  operatorScope: 'operate',
  mutates: true,
  audit: { action: 'webhooks.resume', target: ({ data }) => targetOf(data) },
  summary: 'Ends a pause and delivers the messages that wait.',
  description:
    'Pauses of other scopes stay. Repeating the call changes nothing. Workers continue at once, oldest ' +
    'messages first, each endpoint by its own rate limit. An unknown key or endpoint fails with ' +
    '`NOT_FOUND`. The audit log records the call.',
  data: pauseScope,
  response: dataResponse(pauseResponse),
  errors: ['NOT_FOUND'],
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data }, { em, audit, webhooks, wakeEndpoint }) {
    const { keyId, paused, pausedAt, waiting } = await resumeDeliveries(
      em,
      scopeOf(data),
      servedKinds(webhooks.name),
    );
    audit.key(keyId);
    for (const waitingEndpoint of waiting) wakeEndpoint(waitingEndpoint);
    return succeeded('Deliveries resumed successfully.', { paused, pausedAt: pausedAt?.getTime() ?? null });
  },
});
