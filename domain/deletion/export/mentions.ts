import { visibleDocument } from '../../documents/resolve-document.ts';
import { activityRecordKind } from '../../activities/activity.ts';
import { notificationRecordKind } from '../../notifications/notification.ts';
import { rows } from '../../../platform/database/sql.ts';
import { sectionPage, type Section } from './section.ts';

/** A record of somebody else's that names the person; what it says is theirs. */
export interface Mention {
  readonly source: 'activity' | 'notification';
  readonly id: string;
  readonly documentId: string;
  /** Milliseconds. */
  readonly timestamp: number;
}

interface MentionRow {
  readonly kind: number;
  readonly record_id: string;
  readonly ext_id: string | null;
  readonly document_ext_id: string | null;
  readonly ts: string;
}

const recordOf = (table: string, kind: number): string =>
  `select r.ext_id, r.ts, r.document_id from ${table} r
   where r.id = n.record_id and n.kind = ${String(kind)} and n.user_id = any(r.mentioned) and r.actor_id <> n.user_id`;

/** Records that name the person in free JSON. A page may be short: what names them no more is passed over. */
export const mentions: Section<Mention> = async (em, { tenant, organization, user }, { after, limit }) => {
  const found = await rows<MentionRow>(
    em,
    `with next as materialized (
       select n.user_id, n.kind, n.record_id from record_user n
       where n.user_id = $1 and n.org_id = $2 and n.api_key_id = $3 and (n.kind, n.record_id) > ($4::smallint, $5::bigint)
       order by n.kind, n.record_id limit $6)
     select n.kind, n.record_id, r.ext_id, r.ts, d.ext_id as document_ext_id from next n
     left join lateral (
       ${recordOf('activity', activityRecordKind)} union all ${recordOf('notification', notificationRecordKind)} offset 0) r on true
     left join lateral (
       select d.ext_id from document d where d.id = r.document_id and d.deleted_at is null and ${visibleDocument} offset 0) d on true
     order by n.kind, n.record_id`,
    [user, organization, tenant.id, after?.[0] ?? '0', after?.[1] ?? '0', limit.rows + 1],
  );
  const { rows: page, next } = sectionPage(found, limit, ({ kind, record_id }) => [String(kind), record_id]);
  return { rows: page.flatMap(mentionOf), next };
};

const mentionOf = ({ kind, ext_id, document_ext_id, ts }: MentionRow): Mention[] =>
  ext_id === null || document_ext_id === null
    ? []
    : [
        {
          source: kind === activityRecordKind ? 'activity' : 'notification',
          id: ext_id,
          documentId: document_ext_id,
          timestamp: Number(ts),
        },
      ];
