import { z } from 'zod';
import { sendTestSlackMessage } from '../../domain/deliveries/test-messages.ts';
import { readSlackChannel } from '../../domain/notices/channel-settings.ts';
import { findSlackReader } from '../../domain/deliveries/find-slack-reader.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { idOf } from '../schemas.ts';
import { testAttempt, testLimitMs } from './test-attempt.ts';
import { withinMinute } from './within-minute.ts';

export const testSlack = outsideEndpoint({
  paths: ['/v2/workspace/slackconfig/test'],
  credentials: 'apiKey',
  audit: { action: 'slack.test', target: ({ tenant }) => tenant.keyId },
  summary: 'Sends a sample Slack message with the current settings and returns its attempt.',
  description:
    'Sends to the account in the metadata field `slackUserId` of the user, else to that of their e-mail ' +
    'address. Works even while Slack is off. Waits for Slack, max 30 seconds for its two calls. A refused ' +
    'message, a user without an account and a missing setting are successful calls: `attempt` shows why. An ' +
    'API key sends up to 10 samples a minute, else the call fails with `RESOURCE_EXHAUSTED`. An unknown user ' +
    'fails with `NOT_FOUND`. The audit log records the call, without the user.',
  data: z.strictObject({ userId: idOf('the user') }),
  response: dataResponse(z.strictObject({ attempt: testAttempt })),
  errors: ['NOT_FOUND', 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED'],
  example: { userId: 'u1' },
  outside: {
    limitMs: testLimitMs,
    async prepare({ data, tenant }, { em, keyRing, messaging, senders, concurrentCalls }) {
      const reader = await findSlackReader(em, tenant, data.userId);
      const channel = await readSlackChannel(em, keyRing, tenant.id, messaging);
      return async () => {
        await withinMinute(concurrentCalls, tenant.id, 'slack_test');
        return sendTestSlackMessage(senders, channel, reader, messaging.paused);
      };
    },
    reach: async (send) => send(),
  },
  async handle({ outcome: attempt }) {
    return Promise.resolve(succeeded('Test message sent.', { attempt }));
  },
});
