import { expect, it } from '@jest/globals';
import { notificationsCaused } from '../../domain/deletion/stores/notifications-caused.ts';
import type { IdentifiedScope } from '../../domain/deletion/stores/personal-data-store.ts';
import { deleteNextFormer } from '../../domain/notifications/remove-notifications.ts';
import { notificationRecords } from '../../domain/notifications/notification-records.ts';
import { inTransaction, type EntityManager } from '../../platform/database/orm.ts';
import { inADocument, notificationsScene, users } from '../api/notification-calls.ts';
import { eventually } from '../support/eventually.ts';
import { withNamedUsers } from '../support/named-users.ts';
import { runCascade } from '../support/run-cascade.ts';

const { api, tenant } = await notificationsScene();

type Position = readonly string[] | null;
type Step = (em: EntityManager, after: Position) => Promise<{ readonly last: Position }>;

it.each(['document', 'user'] as const)(
  'a step of the deletion of a %s deletes at most 5,000 named users, and notifications after them',
  async (of) => {
    const { documentId } = await inADocument(tenant);
    const { named, actor } = await withNamedUsers(api, tenant.id, documentId, 11);
    const [document] = await api.database.sql<{ id: string }>('select id from document where ext_id = $1', [
      documentId,
    ]);
    const people = { tenantId: tenant.id, users: [{ id: actor, userId: 'a' }], organizations: null };
    const identifiers = {} as IdentifiedScope['identifiers'];
    const scope: IdentifiedScope = { ...people, named: people, identifiers };
    const step: Step =
      of === 'document'
        ? async (em, after) =>
            notificationRecords.remove(em, { tenantId: tenant.id, documents: [document?.id ?? ''], after })
        : async (em, after) => notificationsCaused.remove(em, scope, after);
    const left: unknown[] = [];
    let after: Position = null;
    do {
      const start: Position = after;
      ({ last: after } = await inTransaction(api.orm, async (em) => step(em, start)));
      left.push(await named());
    } while (after !== null);
    expect(left).toEqual([6_000, 1_000, 0, 0]);
    const notifications = 'select from notification where document_id = $1';
    expect(await api.database.sql(notifications, [document?.id])).toEqual([]);
  },
);

it('an update that replaces recipients deletes at most 10,000 named users, and a job deletes the others', async () => {
  const calls = await inADocument(tenant);
  const { named, notificationIds } = await withNamedUsers(api, tenant.id, calls.documentId, 16);
  const notifications = notificationIds.map((id) => ({ id, notifyUsers: users('ann') }));
  const { jobId } = await calls.ok('update', { notifications });
  expect(await named()).toBe(6_000);
  await runCascade(api, jobId);
  expect(await named()).toBe(0);
  expect(await calls.ids({ userId: 'ann' })).toHaveLength(16);
});

it('a job keeps a named user whom a concurrent update names again', async () => {
  const { documentId } = await inADocument(tenant);
  const { named } = await withNamedUsers(api, tenant.id, documentId, 1);
  const [former] = await api.database.sql<{ id: string; audience: string }>(
    `select n.id, n.audience from notification n join document d on d.id = n.document_id where d.ext_id = $1`,
    [documentId],
  );
  if (former === undefined) throw new Error('no notification');
  const client = await api.database.connect();
  await client.query('begin');
  await client.query(
    'update named_recipient set audience_id = audience_id + 1000000 where notification_id = $1 and user_id = -7',
    [former.id],
  );
  const deleting = inTransaction(api.orm, async (em) => deleteNextFormer(em, tenant.id, [former]));
  await eventually(async () => {
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%deleted_named%'`;
    expect(await api.database.sql(waiting)).toHaveLength(1);
  });
  await client.query('commit');
  await client.end();
  await deleting;
  expect(await named()).toBe(1);
});
