import { sql } from 'kysely';
import { z } from 'zod';
import { rowsOf } from '../../../platform/database/statements.ts';
import { nameOfNumber } from '../../name-of-number.ts';
import { isVisible } from '../../documents/resolve-document.ts';
import { activityLogKind } from '../../activity-logs/activity-log.ts';
import { threadRoles } from '../../comments/thread-person.entity.ts';
import { notificationRecordKind } from '../../notifications/notification.ts';
import type { Tables } from '../../tables.ts';
import { recordingKind } from '../../recordings/recording.ts';
import { recordUserKinds } from '../../users/record-user.entity.ts';
import { sectionPage, type Section } from './section.ts';

/** Kinds of records that are scrubbed of mentions. */
export const mentionSources = ['activity', 'notification', 'recording', 'commentAnnotation'] as const;

/**
 * Another person's record that names the exported one; an annotation also for the comments and reactions in it. Its content
 * is not exported.
 */
export interface Mention {
  readonly source: (typeof mentionSources)[number];
  readonly id: string;
  readonly documentId: string;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
}

/** Annotations come after the kinds of `record_user`. Their people are in `thread_person`. */
const annotationKind = 32_767;

const kindNumbers = { ...recordUserKinds, commentAnnotation: annotationKind } as const;

const MentionRow = z.strictObject({
  kind: z.literal(Object.values(kindNumbers)),
  record_id: z.string(),
  ext_id: z.string().nullable(),
  document_ext_id: z.string().nullable(),
  ts: z.string().nullable(),
});

/** `time` and `author`: its columns. */
const recordOf = (table: keyof Tables, kind: number, { time = 'ts', author = 'actor_id' } = {}) => sql`
  select r.ext_id, ${sql.ref(`r.${time}`)} as ts, r.document_id from ${sql.table(table)} r
  where r.id = n.record_id and n.kind = ${sql.lit(kind)} and n.user_id = any(r.mentioned)
    and ${sql.ref(`r.${author}`)} <> n.user_id`;

const recordings = recordOf('recording', recordingKind, { time: 'updated_at', author: 'creator_id' });

const annotations = sql`
  select t.ext_id, t.updated_at as ts, t.document_id from thread t
  where t.id = n.record_id and n.kind = ${sql.lit(annotationKind)} and t.creator_id is distinct from n.user_id`;

/**
 * Records that name the person in free JSON, and annotations that name them other than as an author. A page may be
 * short: it skips records that no longer name the person.
 */
export const mentions: Section<Mention> = async (em, { tenant, organization, user }, { after, limit }) => {
  const [kind = '0', recordId = '0'] = after ?? [];
  const found = await rowsOf(
    em,
    MentionRow,
    sql`with next as materialized (
        (select n.user_id, n.kind, n.record_id from record_user n
          where n.user_id = ${user} and n.org_id = ${organization} and n.api_key_id = ${tenant.id}
            and (n.kind, n.record_id) > (${kind}::smallint, ${recordId}::bigint)
          order by n.kind, n.record_id limit ${limit.rows + 1})
        union all
        (select p.user_id, ${sql.lit(annotationKind)}::smallint, p.thread_id from thread_person p
          where p.user_id = ${user} and p.org_id = ${organization} and p.api_key_id = ${tenant.id}
            and p.thread_id > ${Number(kind) === annotationKind ? recordId : '0'}::bigint
            and p.roles & ~${sql.lit(threadRoles.author)} <> 0
          order by p.thread_id limit ${limit.rows + 1})
        order by kind, record_id limit ${limit.rows + 1})
      select n.kind, n.record_id, r.ext_id, r.ts, d.ext_id as document_ext_id from next n
      left join lateral (
        ${recordOf('activity', activityLogKind)} union all ${recordOf('notification', notificationRecordKind)}
        union all ${recordings} union all ${annotations} offset 0) r on true
      left join lateral (
        select d.ext_id from document d where d.id = r.document_id and d.deleted_at is null and ${isVisible} offset 0) d on true
      order by n.kind, n.record_id`,
  );
  const { rows: page, next } = sectionPage(found, limit, ({ kind, record_id }) => [String(kind), record_id]);
  return { rows: page.flatMap(mentionOf), next };
};

const mentionOf = ({ kind, ext_id, document_ext_id, ts }: z.infer<typeof MentionRow>): Mention[] =>
  ext_id === null || document_ext_id === null
    ? []
    : [
        {
          source: nameOfNumber(kindNumbers, kind),
          id: ext_id,
          documentId: document_ext_id,
          timestamp: Number(ts),
        },
      ];
