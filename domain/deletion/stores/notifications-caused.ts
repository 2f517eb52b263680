import { sql } from 'kysely';
import { z } from 'zod';
import { rowsOf } from '../../../platform/database/statements.ts';
import { removeNextNotices } from '../../notices/remove-notices.ts';
import { deleteNextDependents, removeNotifications } from '../../notifications/remove-notifications.ts';
import {
  anyOfPeople,
  hasRows,
  stepOf,
  remainingUsers,
  runBatch,
  BatchRow,
  type PersonIndex,
} from './person-index.ts';
import type { PersonalDataStore } from './personal-data-store.ts';

/** Rows per batch. Recipients are removed with their notification. */
const chunk = { count: 100_000, remove: 1_000 } as const;

const index: PersonIndex = {
  table: 'notification',
  columns: ['actor_id', 'org_id', 'id'],
  organization: { column: 'org_id' },
};

const BatchIdsRow = BatchRow.extend({ ids: z.array(z.string()).nullable() });
const HeldRow = z.strictObject({ id: z.string(), audience: z.string() });

/** Notifications that a person caused, for any recipient, by notification_actor, with their waiting notices. */
export const notificationsCaused: PersonalDataStore = {
  name: 'notificationsCaused',
  kinds: ['notificationsCaused'],
  async remove(em, scope, after) {
    const batch = await runBatch(em, index, scope, after, {
      limit: chunk.remove,
      row: BatchIdsRow,
      select: sql`(select array_agg(id::text) from next) as ids`,
    });
    if (batch.ids === null) return { counts: {}, last: null };
    // The lock order of every writer. Writers lock the row while they add recipients, so the next statement sees these.
    const held = await rowsOf(
      em,
      HeldRow,
      sql`select id, audience from notification where id = any(${batch.ids}::bigint[])
          and actor_id = ${anyOfPeople(scope.users)} and api_key_id = ${scope.tenantId}
        order by ts, id for update`,
    );
    const dependents = await deleteNextDependents(em, scope.tenantId, held);
    const ids = held.map(({ id }) => id);
    const notices = await removeNextNotices(em, scope.tenantId, ids, 'all');
    // More of them may remain: the next batch starts at the same notifications.
    if (dependents + notices > 0)
      return {
        counts: {},
        last:
          after ??
          remainingUsers(scope, after)
            .slice(0, 1)
            .map(({ id }) => id),
      };
    await removeNotifications(em, scope.tenantId, ids);
    return stepOf(batch, chunk.remove, { notificationsCaused: held.length });
  },
  async count(em, scope, after) {
    const batch = await runBatch(em, index, scope, after, { limit: chunk.count, row: BatchRow });
    return stepOf(batch, chunk.count, { notificationsCaused: batch.found });
  },
  remains: async (em, scope) => hasRows(em, index, scope),
};
