import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { sendNotices } from '../../activities/send-notices.ts';
import { databaseClock } from '../../domain/deliveries/clock.ts';
import { openSenders } from '../../domain/deliveries/senders.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import { aDocument, aTenant } from '../support/factories.ts';
import { aFakeProvider, type FakeProvider } from '../support/fake-provider.ts';
import { messagingBy, notifiedIn } from '../support/senders.ts';

let api: TestApi;
let slack: FakeProvider;

beforeAll(async () => {
  api = await startTestApi();
  slack = await aFakeProvider({
    status: 200,
    body: JSON.stringify({ ok: true, ts: '171.1', user: { id: 'U7' } }),
  });
});
afterAll(async () => {
  await slack.close();
  await api.close();
});

describe('sendNotices', () => {
  it('ends 1 s after its last Slack message, so that a turn in another process keeps the rate limit', async () => {
    const tenant = await aTenant(api);
    await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
    await tenant.ok('/v2/workspace/slackconfig/update', {
      useSlackService: true,
      slackServiceConfig: { botToken: 'xoxb-pace' },
    });
    const location = await aDocument(tenant);
    const { organizationId } = location;
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'ben' }] });
    await tenant.ok('/v2/notifications/config/set', {
      organizationId,
      userIds: ['ben'],
      config: { slack: 'ALL' },
    });
    const messages = () => slack.calls.filter(({ path }) => path === '/api/chat.postMessage').length;
    const messaging = { ...messagingBy(undefined), slackUrl: `${slack.url}/api` };
    for (const nth of [1, 2]) {
      await notifiedIn(tenant, location);
      const senders = openSenders(messaging, () => undefined);
      const dependencies = activityDependencies(api, api.orm, {
        sending: { senders, messaging, clock: databaseClock },
      });
      const began = performance.now();
      const turn = { tenantId: tenant.keyId, channel: 'slack', now: Date.now() } as const;
      await new MockActivityEnvironment().run(sendNotices(dependencies), turn);
      expect(messages()).toBe(nth);
      expect(performance.now() - began).toBeGreaterThanOrEqual(990);
      await senders.close();
    }
  });
});
