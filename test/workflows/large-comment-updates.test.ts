import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { aDocument, aTenant, type TestTenant } from '../support/factories.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { anInstallation, type Installation } from './migrations.ts';

const environment = { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };

let installation: Installation;

beforeAll(async () => {
  installation = await anInstallation({ environment });
});
afterAll(() => installation.close());

const annotations = 90;
/** Annotations whose bodies exceed the 16 MiB that a call reads at once. */
const textLength = 200_000;
const members = ['ben', 'cid', 'dan'];

const completed = async (tenant: TestTenant, jobId: string | undefined) =>
  eventually(async () => {
    const { data } = await tenant.ok<{ status: string }>('/v2/jobs/get', { jobId });
    if (data.status !== 'completed') throw new Error(`It is ${JSON.stringify(data)}`);
  });

const count = async (tenant: TestTenant, text: string) =>
  installation.api.database.sql<Record<string, number | string>>(text, [tenant.id]);

describe('an update of annotations of more than 16 MiB', () => {
  it('changes all of them, and its job notifies each member of each change once', async () => {
    const tenant = await aTenant(installation.api);
    await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await anEndpoint(installation.api, tenant, 'http://127.0.0.1/');
    const location = await aDocument(tenant);
    await tenant.ok('/v2/users/add', { ...location, users: members.map((userId) => ({ userId })) });
    const actions = [{ id: 'large', metadata: { text: 'x'.repeat(textLength) } }];
    for (const from of [0, annotations / 2])
      await tenant.ok('/v2/commentannotations/add', {
        ...location,
        commentAnnotations: Array.from({ length: annotations / 2 }, (_, at) => ({
          annotationId: `a${String(from + at)}`,
          actions,
          commentData: [{ from: { userId: 'ada' } }],
        })),
      });
    const { jobId } = await tenant.ok('/v2/commentannotations/update', {
      ...location,
      updatedData: { status: { id: 'DONE', name: 'Done', type: 'terminal' } },
      actionUser: { userId: 'eve' },
      triggerNotification: true,
    });
    expect(jobId).toEqual(expect.any(String));
    await installation.startWorker(environment);
    await completed(tenant, jobId);
    const statuses = await count(
      tenant,
      'select status_id, count(*)::int as threads from thread where api_key_id = $1 group by 1',
    );
    expect(statuses).toEqual([{ status_id: 'DONE', threads: annotations }]);
    const notified = await count(
      tenant,
      `select u.ext_id, count(*)::int as notifications from notification_recipient r join app_user u on u.id = r.user_id
       where r.api_key_id = $1 group by 1 order by 1`,
    );
    expect(notified).toEqual(['ada', ...members].map((ext_id) => ({ ext_id, notifications: annotations })));
    const events = await count(
      tenant,
      'select type, count(*)::int as events from event where api_key_id = $1 group by 1 order by 1',
    );
    expect(events).toEqual([
      { type: 'comment_annotation.status_change', events: annotations },
      { type: 'notification.add', events: annotations },
    ]);
  });
});
