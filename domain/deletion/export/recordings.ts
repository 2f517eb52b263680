import { sql } from 'kysely';
import { rowsWithin, withinBytes, type Sizing } from '../../../platform/database/within-bytes.ts';
import { isVisible } from '../../documents/resolve-document.ts';
import { RecordingRow } from '../../recordings/read-recordings.ts';
import { BoundedRow, withinLimit, type PageLimit } from '../../page-limit.ts';
import { sectionPage, type ExportedPerson, type Section } from './section.ts';

const FoundRow = RecordingRow.extend(BoundedRow.shape);

/** Recordings of the person, in the order of writing. */
export const recordings: Section<RecordingRow> = async (em, person, { after, limit }) => {
  const found = await rowsWithin(em, FoundRow, (sizing) =>
    statement(person, after?.[0] ?? '0', limit, sizing),
  );
  const { fitting, cut } = withinLimit(found);
  const page = sectionPage(fitting, limit, ({ id }) => [id]);
  const last = fitting.at(-1);
  return cut ? { ...page, next: last === undefined ? after : [last.id], cut } : page;
};

const statement = (
  { tenant, organization, user }: ExportedPerson,
  after: string,
  limit: PageLimit,
  sizing: Sizing,
) => sql`
  with page as (
    select r.id, r.ext_id, r.created_at, r.updated_at, r.body, d.ext_id as document_ext_id
    from recording r cross join lateral (
      select d.ext_id from document d where d.id = r.document_id and d.deleted_at is null and ${isVisible} offset 0) d
    where r.creator_id = ${user} and r.org_id = ${organization} and r.id > ${after}::bigint and r.api_key_id = ${tenant.id}
    order by r.id limit ${limit.rows + 1}),
  ${withinBytes(sizing, {
    from: 'page',
    order: sql`s.id`,
    content: 'body',
    type: 'json',
    beside: sql`2 * (octet_length(ext_id) + octet_length(document_ext_id))`,
    limit,
  })}
  select id, ext_id, created_at, updated_at, case when fits then body end as body, document_ext_id, fits, candidates
  from within order by nth`;
