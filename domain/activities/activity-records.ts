import type { EntityManager } from '../../platform/database/orm.ts';
import { row } from '../../platform/database/sql.ts';
import type { RecordKind, Walk } from '../documents/record-kinds.ts';
import { step, type StepRow } from '../documents/record-step.ts';
import { activityRecordKind } from './activity.ts';

/** Rows a step. Counting reads an index alone; removing writes six of them. */
const chunk = { count: 250_000, remove: 5_000 } as const;

const from = (after: Walk['after']): Walk['after'] => after ?? ['0', '-9223372036854775808', '0'];

/** Activity logs, along the index over document, time and key. */
export const activityRecords: RecordKind = {
  name: 'activities',
  async count(em: EntityManager, { documents, after }) {
    const found = await row<StepRow>(
      em,
      `select count(*)::int as records, max(array[document_id, ts, id])::text[] as last from (
         select document_id, ts, id from activity
         where document_id = any($1) and (document_id, ts, id) > (($2::bigint[])[1], ($2::bigint[])[2], ($2::bigint[])[3])
         order by document_id, ts, id limit ${String(chunk.count)}) as next`,
      [documents, from(after)],
    );
    return step(found, chunk.count);
  },
  async remove(em: EntityManager, { tenantId, documents, after }) {
    const found = await row<StepRow>(
      em,
      `with next as materialized (
         select document_id, ts, id from activity
         where document_id = any($1) and (document_id, ts, id) > (($2::bigint[])[1], ($2::bigint[])[2], ($2::bigint[])[3])
         order by document_id, ts, id limit ${String(chunk.remove)}),
       gone as (delete from activity where id = any(array(select id from next)) and api_key_id = $3 returning id, mentioned),
       named as (select g.id, u.user_id from gone g cross join lateral unnest(g.mentioned) as u (user_id)),
       unnamed as (delete from record_user r using named n
         where r.user_id = n.user_id and r.kind = ${String(activityRecordKind)} and r.record_id = n.id)
       select count(*)::int as records, max(array[document_id, ts, id])::text[] as last from next`,
      [documents, from(after), tenantId],
    );
    return step(found, chunk.remove);
  },
};
