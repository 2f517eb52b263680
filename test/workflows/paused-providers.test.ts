import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { create } from '../api/webhooks/webhook-calls.ts';
import { aDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { aDocument, calledThrough, type TestTenant } from '../support/factories.ts';
import { aFakeProvider, type FakeProvider } from '../support/fake-provider.ts';
import { aMailServer, type MailServer } from '../support/mail-server.ts';
import { aMailingTenant, notifiedIn } from '../support/senders.ts';
import { aSvixServer, type SvixServer } from '../support/svix-server.ts';
import { aNamespace } from '../support/temporal.ts';
import { aListeningTenant, happened } from '../support/webhooks.ts';
import { anInstallation, type Installation } from './migrations.ts';

let svix: SvixServer;
let slack: FakeProvider;
let mail: MailServer;
let database: TestDatabase;
let original: Installation;
let copy: Installation;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  const sent = { ok: true, ts: '171.1', user: { id: 'U7' } };
  [svix, slack, mail, database] = await Promise.all([
    aSvixServer(),
    aFakeProvider({ status: 200, body: JSON.stringify(sent) }),
    aMailServer(),
    aDatabase(),
  ]);
  environment = {
    ...(await aNamespace()),
    ...svix.environment,
    STEWARD_SLACK_API_URL: `${slack.url}/api`,
    STEWARD_SMTP_URL: mail.url,
    STEWARD_MAIL_FROM: 'steward@mail.test',
  };
  original = await anInstallation({ database, temporal: environment });
  const paused = { ...environment, STEWARD_PAUSED: 'deliveries,jobs' };
  copy = await anInstallation({ database, temporal: paused });
});
afterAll(async () => {
  await Promise.all([original.close(), copy.close()]);
  await Promise.all([svix, slack, mail].map(async (server) => server.close()));
  await database.drop();
});

const sql = <Row extends object>(text: string) => database.sql<Row>(text);

/** A key with an application at Svix. */
async function aTenantBySvix(): Promise<TestTenant> {
  const tenant = await aListeningTenant(original.api);
  // Refused until the application exists.
  await eventually(async () => create(tenant));
  return tenant;
}

/** A key that notifies Ben by e-mail and Slack, with a document. */
async function aNotifyingTenant() {
  const tenant = await aMailingTenant(original.api);
  await tenant.ok('/v2/workspace/slackconfig/update', {
    useSlackService: true,
    slackServiceConfig: { botToken: 'xoxb-of-the-tests' },
  });
  const location = await aDocument(tenant);
  const { organizationId } = location;
  await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'ben', email: 'ben@users.test' }] });
  await tenant.ok('/v2/notifications/config/set', {
    organizationId,
    userIds: ['ben'],
    config: { email: 'ALL', slack: 'ALL' },
  });
  return { tenant, location };
}

/** Requests and connections that the local servers have received. */
const received = () => ({ svix: svix.calls.length, slack: slack.calls.length, mail: mail.connections() });

const slackMessages = () => slack.calls.filter(({ path }) => path === '/api/chat.postMessage').length;
const svixMessages = () => [...svix.applications.values()].flatMap(({ messages }) => messages);

/** Resolves after two whole sweeps, which find what is due now. */
async function afterSweeps(): Promise<void> {
  for (let sweeps = 0; sweeps < 2; sweeps += 1) {
    const [{ now } = { now: new Date() }] = await sql<{ now: Date }>('select clock_timestamp() as now');
    await eventually(async () => {
      const steps = await sql<{ succeeded_at: Date }>(
        `select succeeded_at from sweep_step where name = 'wake_waiting_webhooks'`,
      );
      return steps.some(({ succeeded_at }) => succeeded_at > now);
    });
  }
}

describe('STEWARD_PAUSED=deliveries,jobs of a copy that has work for Svix, Slack and a mail server', () => {
  it('calls none of them, also for calls of the API, and all of them when the variable is unset', async () => {
    const first = await original.startWorker();
    const listening = await aTenantBySvix();
    const { tenant, location } = await aNotifyingTenant();
    await first.stop();
    const before = received();
    expect(before).toMatchObject({ slack: 0, mail: 0 });

    const paused = await copy.startWorker();
    const byCopy = calledThrough(copy.api, tenant);
    await happened(copy.api, listening, [{ type: 'comment.add' }]);
    await notifiedIn(byCopy, location);
    // A key whose application at Svix does not exist yet.
    const later = await aListeningTenant(copy.api);
    await sql(`update event set at = at - interval '1 minute'`);
    await sql(`update outbox set event_at = event_at - interval '1 minute'`);
    await sql(`update notice set due_at = due_at - interval '1 minute'`);
    await sql(`update job set next_sweep_at = now()`);
    const endpoints = await calledThrough(copy.api, listening).call(
      '/v2/workspace/advancedwebhook/endpoints/get',
      {},
    );
    expect([endpoints.status, endpoints.body.error?.status]).toEqual([503, 'UNAVAILABLE']);
    await byCopy.call('/v2/workspace/slackconfig/test', { userId: 'ben' });
    await byCopy.call('/v2/workspace/emailconfig/test', { to: 'ben@users.test' });
    await afterSweeps();
    expect(received()).toEqual(before);

    await paused.stop();
    await original.startWorker();
    await eventually(() => svixMessages().length === 1);
    await eventually(() => mail.mails.length === 1);
    await eventually(() => slackMessages() === 1);
    await eventually(() => svix.applications.size === 2);
    expect(later.keyId).not.toBe(listening.keyId);
  });
});
