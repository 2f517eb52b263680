import { afterAll, describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '../../platform/database/migrate.ts';
import { startTestApi } from '../support/api.ts';
import { aClient } from '../support/client.ts';
import { anEmptyDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { aTenantByCalls, freshId, type TestTenant } from '../support/factories.ts';
import { aMailServer } from '../support/mail-server.ts';
import { startProcess } from '../support/processes.ts';
import { aRelease } from '../support/release.ts';
import { waitingOf } from '../support/senders.ts';
import { aNamespace } from '../support/temporal.ts';
import { release020 } from './releases.ts';

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const release = await aRelease(release020);
closing.push(() => release.remove());
const database = await anEmptyDatabase();
closing.push(database.drop);
const mail = await aMailServer();
closing.push(mail.close);

const organizationId = 'acme';
const documentId = 'plan';
const [ben, carl] = ['ben', 'carl'].map((userId) => ({ userId, email: `${userId}@users.test` }));

const notify = async (tenant: Pick<TestTenant, 'ok'>, notificationId: string) =>
  tenant.ok('/v2/notifications/add', {
    organizationId,
    documentId,
    notificationId,
    actionUser: { userId: 'ada', name: 'Ada' },
    displayHeadlineMessageTemplate: '{actionUser} asked',
    displayBodyMessage: 'Is this the plan?',
    notifyUsers: [ben, carl],
  });

/** Has 0.2.0 write the rows of a year: all services on, and a notification every other week. */
async function aYear(): Promise<TestTenant> {
  await release.command(database.url, 'migrate');
  const api = await release.start('api', database.url);
  try {
    const tenant = await aTenantByCalls({ url: api.url, database });
    await tenant.ok('/v2/workspace/notificationconfig/update', {
      useNotificationService: true,
      notificationServiceConfig: {
        delayConfig: { isEnabled: true, delaySeconds: 60 },
        batchConfig: { document: { isEnabled: true, batchWindowSeconds: 600, maxActivities: 5 } },
      },
    });
    await tenant.ok('/v2/workspace/emailconfig/update', {
      useEmailService: true,
      emailServiceConfig: { type: 'default', fromEmail: 'team@acme.test', fromCompany: 'Acme' },
    });
    await tenant.ok('/v2/organizations/add', { organizations: [{ organizationId }] });
    await tenant.ok('/v2/organizations/documents/add', { organizationId, documents: [{ documentId }] });
    await tenant.ok('/v2/users/add', { organizationId, documentId, users: [ben, carl] });
    await tenant.ok('/v2/notifications/config/set', {
      organizationId,
      userIds: ['ben'],
      config: { inbox: 'NONE', email: 'ALL', slack: 'ALL' },
    });
    for (let week = 0; week < 52; week += 2) {
      await notify(tenant, `week-${String(week)}`);
      await database.sql(`update notification set ts = ts - $1::bigint where ext_id = $2`, [
        week * 7 * 86_400_000,
        `week-${String(week)}`,
      ]);
    }
    await database.sql(`update key_config set first_enabled_at = now() - interval '1 year'`);
    return tenant;
  } finally {
    await api.stop();
  }
}

describe('a database that 0.2.0 has written for a year', () => {
  it('sends no message after its upgrade, and later notifications once its e-mail settings are saved', async () => {
    const written = await aYear();
    await migrateDatabase(database.url);
    const environment = {
      ...(await aNamespace()),
      STEWARD_SMTP_URL: mail.url,
      STEWARD_MAIL_FROM: 'steward@mail.test',
    };
    const api = await startTestApi({ database, environment });
    closing.push(api.close);
    const worker = await startProcess('worker', database.url, environment);
    closing.push(() => worker.kill());
    const tenant = aClient(api.url, written.headers);
    const nothing = { notices: 0, windows: 0, outgoing: 0 };
    const ended = async () => database.sql(`select from delivery_log where api_key_id = $1`, [written.id]);

    const { data } = await tenant.ok<{ state: object }>('/v2/workspace/emailconfig/get');
    expect(data.state).toEqual({ status: 'held', reason: 'not-confirmed', since: null });
    // With the settings of 0.2.0, a new notification plans no e-mail either.
    await notify(tenant, 'unconfirmed');
    expect([await waitingOf(api, written), await ended()]).toEqual([nothing, []]);

    await tenant.ok('/v2/workspace/emailconfig/update', { useEmailService: true });
    await tenant.ok('/v2/workspace/notificationconfig/update', {
      notificationServiceConfig: {
        delayConfig: { isEnabled: false },
        batchConfig: { document: { isEnabled: false } },
      },
    });
    const last = freshId('after');
    await notify(tenant, last);
    // The same sender sends both, and would have sent the year's earlier due notifications first.
    await eventually(async () => expect(await ended()).toHaveLength(2));
    expect(mail.mails.map(({ to }) => to).toSorted()).toEqual(['ben@users.test', 'carl@users.test']);
    expect(await waitingOf(api, written)).toEqual(nothing);
    const { data: explained } = await tenant.ok<{ email: object }>('/v2/notifications/explain', {
      organizationId,
      notificationId: 'week-10',
      userId: 'carl',
    });
    expect(explained.email).toMatchObject({ outcome: 'not-planned', source: 'computed', deliveryIds: [] });
  });
});
