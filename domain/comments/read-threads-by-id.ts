import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsWithin, withinBytes } from '../../platform/database/within-bytes.ts';
import { isVisible } from '../documents/resolve-document.ts';
import { BoundedRow, withinLimit, type PageLimit } from '../page-limit.ts';
import { matchesFilter, type AnnotationFilter } from './annotation-filter.ts';
import type { ThreadLocation } from './lock-threads.ts';
import { beside, shown, type ThreadRow } from './thread-page.ts';
import type { ThreadBody } from './thread.entity.ts';

/** Columns are null where an id has no matching thread. */
const FoundRow = z
  .strictObject({
    id: z.string().nullable(),
    ext_id: z.string(),
    document_id: z.string().nullable(),
    location_id: z.string().nullable(),
    creator_id: z.string().nullable(),
    kind: z.number().nullable(),
    suggestion: z.number().nullable(),
    created_at: z.string().nullable(),
    updated_at: z.string().nullable(),
    comment_count: z.number().nullable(),
    reaction_count: z.number().nullable(),
    body: z.custom<ThreadBody>(),
    document_ext_id: z.string().nullable(),
    folder_ext_id: z.string().nullable(),
  })
  .extend(BoundedRow.shape);

/** Times of an update, in milliseconds, exclusive. */
interface UpdateBounds {
  readonly updatedAfter?: number | undefined;
  readonly updatedBefore?: number | undefined;
}

/** Reads the first threads of a document by their ids, in this order, up to a byte limit. Null for an unknown id. */
export async function readThreadsById(
  em: EntityManager,
  { organization, document }: ThreadLocation,
  annotationIds: readonly string[],
  filter: AnnotationFilter & UpdateBounds,
  limit: PageLimit,
): Promise<{ readonly threads: readonly (ThreadRow | null)[]; readonly cut: boolean }> {
  const { updatedAfter = null, updatedBefore = null } = filter;
  const found = await rowsWithin(
    em,
    FoundRow,
    (sizing) => sql`
      with sent as (
        select s.ext_id, s.position from unnest(${annotationIds}::text[]) with ordinality as s (ext_id, position)),
      page as (
        select s.position, s.ext_id, t.id, t.document_id, t.location_id, t.creator_id, t.kind, t.suggestion, t.created_at,
          t.updated_at, t.comment_count, t.reaction_count, coalesce(t.content_bytes, 0) as content_bytes, t.body,
          t.document_ext_id, t.folder_ext_id
        from sent s left join lateral (
          select t.*, d.ext_id as document_ext_id, (select f.ext_id from folder f where f.id = d.folder_id) as folder_ext_id
          from thread t cross join lateral (select * from document where id = t.document_id offset 0) d
          where t.org_id = ${organization} and t.ext_id = s.ext_id and t.document_id = ${document} and d.deleted_at is null
            and ${isVisible} and ${matchesFilter(filter)}
            and (${updatedAfter}::bigint is null or t.updated_at > ${updatedAfter})
            and (${updatedBefore}::bigint is null or t.updated_at < ${updatedBefore})
          offset 0) t on true),
      ${withinBytes(sizing, {
        from: 'page',
        order: sql`s.position`,
        content: 'body',
        type: 'json',
        beside: sql`coalesce(${beside}, 0)`,
        limit,
      })}
      select ${shown} from within order by nth`,
  );
  const { fitting, cut } = withinLimit(found);
  return { threads: fitting.map((row) => (row.id === null ? null : (row as ThreadRow))), cut };
}
