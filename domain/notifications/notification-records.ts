import type { EntityManager } from '../../platform/database/orm.ts';
import { row, rows } from '../../platform/database/sql.ts';
import type { PlaceRecords } from '../cascade/place-records.ts';
import type { Place, RecordKind, Step, Walk } from '../documents/record-kinds.ts';
import { step, type StepRow } from '../documents/record-step.ts';
import { removeNextRecipients, removeNotifications } from './remove-notifications.ts';

/** Rows a step. Counting reads an index alone; a notification that goes takes its recipients with it. */
const chunk = { count: 250_000, remove: 1_000 } as const;

const first: Place = ['0', '-9223372036854775808', '0'];

const beyond = (limit: string, columns: string, rest = '') =>
  `select ${columns} from notification
   where document_id = any($1) and (document_id, ts, id) > (($2::bigint[])[1], ($2::bigint[])[2], ($2::bigint[])[3]) and api_key_id = $3
   order by document_id, ts, id limit ${limit} ${rest}`;

/** Notifications, along the index over document, time and key. */
export const notificationRecords: RecordKind = {
  name: 'notifications',
  async count(em: EntityManager, { tenantId, documents, after }: Walk): Promise<Step> {
    const found = await row<StepRow>(
      em,
      `select count(*)::int as records, max(array[document_id, ts, id])::text[] as last
       from (${beyond(String(chunk.count), 'document_id, ts, id')}) as next`,
      [documents, after ?? first, tenantId],
    );
    return step(found, chunk.count);
  },
  async remove(em: EntityManager, { tenantId, documents, after }: Walk): Promise<Step> {
    // Locked in a statement of its own: whoever adds recipients holds the row, and what they added is seen by the next one.
    const next = await rows<{ id: string; audience: string; place: Place }>(
      em,
      beyond(String(chunk.remove), 'id, audience, array[document_id, ts, id]::text[] as place', 'for update'),
      [documents, after ?? first, tenantId],
    );
    const ids = next.map(({ id }) => id);
    const audiences = next.map(({ audience }) => audience);
    const empty = (await removeNextRecipients(em, tenantId, audiences)) === 0;
    // With recipients removed there may be more: the same notifications are looked at again.
    if (!empty) return { records: 0, last: after ?? first };
    await removeNotifications(em, tenantId, ids);
    return { records: ids.length, last: ids.length < chunk.remove ? null : (next.at(-1)?.place ?? null) };
  },
};

/** What people want to get of single documents; those who moved the document along keep them. */
export const preferenceRecords: RecordKind = {
  name: 'preferences',
  async count(em: EntityManager, { tenantId, documents, after }: Walk): Promise<Step> {
    const found = await row<StepRow>(
      em,
      `select count(*)::int as records, max(array[document_id, user_id])::text[] as last from (
         select document_id, user_id from preference
         where document_id = any($1) and document_id <> 0 and api_key_id = $3
           and (document_id, user_id) > (($2::bigint[])[1], ($2::bigint[])[2])
         order by document_id, user_id limit ${String(chunk.count)}) as next`,
      [documents, after ?? ['0', '0'], tenantId],
    );
    return step(found, chunk.count);
  },
  async remove(em: EntityManager, { tenantId, documents }: Walk): Promise<Step> {
    const gone = await rows<{ place: Place }>(
      em,
      `with next as materialized (
         select user_id, org_id, document_id from preference
         where document_id = any($1) and document_id <> 0 and api_key_id = $2
         order by document_id, user_id limit ${String(chunk.remove)})
       delete from preference p using next n
       where p.user_id = n.user_id and p.org_id = n.org_id and p.document_id = n.document_id
       returning array[p.document_id, p.user_id]::text[] as place`,
      [documents, tenantId],
    );
    return { records: gone.length, last: gone.length < chunk.remove ? null : (gone.at(-1)?.place ?? null) };
  },
};

/** What people want to get of a whole organization, and whatever else is left in it. */
export const preferencesOfPlaces: PlaceRecords = {
  async organizations(em, tenantId, ids) {
    const gone = await rows(
      em,
      `with next as materialized (
         select user_id, org_id, document_id from preference where org_id = any($1) and api_key_id = $2 limit 5000)
       delete from preference p using next n
       where p.user_id = n.user_id and p.org_id = n.org_id and p.document_id = n.document_id returning 1 as one`,
      [ids, tenantId],
    );
    return gone.length;
  },
};
