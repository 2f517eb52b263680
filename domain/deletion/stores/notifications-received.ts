import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import { reachesOthers, removeNotifications } from '../../notifications/remove-notifications.ts';
import { tablesOf } from '../../tables.ts';
import { hasRows, stepOf, runBatch, BatchRow, type PersonIndex } from './person-index.ts';
import type { PersonalDataStore, PersonScope } from './personal-data-store.ts';

/** Rows per batch. */
const chunk = { count: 20_000, remove: 2_000 } as const;

const index: PersonIndex = {
  table: 'notification_recipient',
  columns: ['user_id', 'org_id', 'ts', 'audience_id'],
  organization: { column: 'org_id' },
};

/**
 * Notifications that a person received, by recipient_org, with the address they were sent to. A notification without
 * recipients is removed; a user who gets it only by e-mail or Slack counts as a recipient. Rows of replaced audiences
 * are removed and not counted.
 */
export const notificationsReceived: PersonalDataStore = {
  name: 'notificationsReceived',
  kinds: ['notificationsReceived'],
  async remove(em, scope, after) {
    const batch = await runBatch(em, index, scope, after, {
      limit: chunk.remove,
      row: BatchIdsRow,
      select: sql`(select array_agg(audience_id::text order by user_id, audience_id) from next) as audiences,
        (select array_agg(user_id::text order by user_id, audience_id) from next) as users`,
    });
    const { audiences, users } = batch;
    if (audiences === null || users === null) return { counts: {}, last: null };
    // The lock order of every writer: notifications by time, then their recipients.
    await sql`select from notification where audience = any(${audiences}::bigint[]) and api_key_id = ${scope.tenantId}
      order by ts, id for update`.execute(tablesOf(em));
    const taken = await removeRecipients(em, scope, audiences, users);
    return stepOf(batch, chunk.remove, { notificationsReceived: taken });
  },
  async count(em, scope, after) {
    const people = scope.users.map(({ id }) => id);
    const batch = await runBatch(em, index, scope, after, {
      limit: chunk.count,
      row: BatchRow.extend({ received: z.number() }),
      // A notification that its recipient caused is counted as caused.
      select: sql`(select count(*)::integer from next r cross join lateral (
          select from notification n where n.audience = r.audience_id and n.actor_id <> all(${people}::bigint[]) offset 0) as n) as received`,
    });
    return stepOf(batch, chunk.count, { notificationsReceived: batch.received });
  },
  remains: async (em, scope) => hasRows(em, index, scope),
};

const BatchIdsRow = BatchRow.extend({
  audiences: z.array(z.string()).nullable(),
  users: z.array(z.string()).nullable(),
});

const LeftRow = z.strictObject({ id: z.string(), is_empty: z.boolean(), taken: z.number() });

/** Removes recipients of locked notifications. Clears the hashes, whose request names the removed recipients. */
async function removeRecipients(
  em: EntityManager,
  { tenantId, users: people }: PersonScope,
  audiences: readonly string[],
  users: readonly string[],
): Promise<number> {
  const left = await rowsOf(
    em,
    LeftRow,
    sql`with gone as (
       delete from notification_recipient r using unnest(${audiences}::bigint[], ${users}::bigint[]) as g (audience_id, user_id)
       where r.audience_id = g.audience_id and r.user_id = g.user_id and r.api_key_id = ${tenantId} returning r.audience_id),
     removed as materialized (select audience_id, count(*)::integer as taken from gone group by audience_id)
     update notification n set recipient_count = n.recipient_count - t.taken, content_hash = null, canonical_hash = null
     from removed t where n.audience = t.audience_id and n.audience = any(${audiences}::bigint[]) and n.api_key_id = ${tenantId}
     returning n.id, t.taken, n.recipient_count <= 0 and not ${reachesOthers(people.map(({ id }) => id))} as is_empty`,
  );
  await removeNotifications(
    em,
    tenantId,
    left.filter(({ is_empty }) => is_empty).map(({ id }) => id),
  );
  return left.reduce((sum, { taken }) => sum + taken, 0);
}
