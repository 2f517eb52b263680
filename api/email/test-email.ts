import { z } from 'zod';
import { sendTestEmail } from '../../domain/deliveries/test-messages.ts';
import { failedPrecondition } from '../../domain/errors.ts';
import { readEmailChannel } from '../../domain/notices/channel-settings.ts';
import { emailWarnings } from '../configuration/email-warnings.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { email } from '../schemas.ts';
import { testAttempt, testLimitMs } from './test-attempt.ts';
import { withinMinute } from './within-minute.ts';

export const testEmail = outsideEndpoint({
  paths: ['/v2/workspace/emailconfig/test'],
  credentials: 'apiKey',
  audit: { action: 'email.test', target: ({ tenant }) => tenant.keyId },
  summary: 'Sends a sample e-mail with the current settings and returns its attempt.',
  description:
    'Works even while e-mail is off, and ignores the suppression list. Waits for the provider, max 30 ' +
    'seconds. A refused e-mail and a missing setting are successful calls: `attempt` shows why. An API key ' +
    'sends up to 10 samples a minute, else the call fails with `RESOURCE_EXHAUSTED`. Type `custom` fails ' +
    'with `FAILED_PRECONDITION`. The audit log records the call, without the address.',
  data: z.strictObject({ to: email.describe('Address of the recipient, max 254 characters.') }),
  response: dataResponse(
    z.strictObject({
      messageId: z.string().describe('Message-ID of the sample, or the id that SendGrid gave it.'),
      from: z.string().describe('Address of the sender. Empty when the settings contain none.'),
      attempt: testAttempt,
      warnings: z
        .array(z.string())
        .readonly()
        .describe('Features that e-mails lack, as in `warning` of emailconfig.'),
    }),
  ),
  errors: ['FAILED_PRECONDITION', 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED'],
  example: { to: 'ada@example.com' },
  outside: {
    limitMs: testLimitMs,
    async prepare({ data, tenant }, { em, keyRing, messaging, senders, concurrentCalls }) {
      const channel = await readEmailChannel(em, keyRing, tenant.id, messaging);
      if (channel.config.emailServiceConfig.type === 'custom')
        throw failedPrecondition('Type custom sends no e-mail.');
      return async () => {
        await withinMinute(concurrentCalls, tenant.id, 'email_test');
        const tested = await sendTestEmail(senders, tenant.id, channel, data.to, messaging.paused);
        return { ...tested, warnings: emailWarnings(channel, messaging) };
      };
    },
    reach: async (send) => send(),
  },
  async handle({ outcome }) {
    return Promise.resolve(succeeded('Test e-mail sent.', outcome));
  },
});
