import { expect, it } from '@jest/globals';
import { notificationsCaused } from '../../domain/deletion/stores/notifications-caused.ts';
import type { IdentifiedScope } from '../../domain/deletion/stores/personal-data-store.ts';
import { notificationRecords } from '../../domain/notifications/notification-records.ts';
import { inTransaction, type EntityManager } from '../../platform/database/orm.ts';
import { inADocument, notificationsScene, users } from '../api/notification-calls.ts';
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
