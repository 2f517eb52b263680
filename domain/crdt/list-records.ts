import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { ResolvedDocument } from '../documents/resolve-document.ts';
import type { PageLimit } from '../page-limit.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** A record without its content. */
const CrdtSummaryRow = z.strictObject({
  editor_id: z.string(),
  type: z.number(),
  content_key: z.string(),
  /** A PostgreSQL bigint. */
  version: z.string(),
  /** Null while the last write is not decoded yet. */
  content_bytes: z.number().nullable(),
  last_update: z.date(),
  updated_by: z.string().nullable(),
});
export type CrdtSummaryRow = z.infer<typeof CrdtSummaryRow>;

/** SQL: the bytes that a response adds to the ids of a record: names of members, numbers and the time. */
const memberBytes = sql.lit(256);

const FoundRow = CrdtSummaryRow.extend({
  /** Within the byte limit, or the first of the page. */
  fits: z.boolean(),
});

/** A page of records without their content. */
export interface CrdtSummaryPage {
  readonly records: readonly CrdtSummaryRow[];
  /** The next page starts after this editor; undefined at the end. */
  readonly next: string | undefined;
  /** True when the byte limit ended the page. */
  readonly cut: boolean;
}

/** Lists the records of a document without their content, in the order of editor ids. */
export async function listRecords(
  em: EntityManager,
  tenant: Tenant,
  document: ResolvedDocument,
  { after, limit }: { readonly after: string; readonly limit: PageLimit },
): Promise<CrdtSummaryPage> {
  const found = await rowsOf(
    em,
    FoundRow,
    sql`with next as (
        select c.editor_id, c.type, c.content_key, c.version,
          case when c.decoded_version = c.version then c.decoded_bytes end as content_bytes, c.last_update,
          (select u.ext_id from app_user u where u.id = c.last_updated_by) as updated_by
        from crdt c
        where c.api_key_id = ${tenant.id} and c.document_id = ${document.id} and c.editor_id > ${after}
        order by c.editor_id limit ${limit.rows + 1}),
      sized as (
        select n.*, row_number() over (order by editor_id) as position,
          sum(${memberBytes} + 2 * octet_length(editor_id) + 6 * octet_length(content_key) + 2 * coalesce(octet_length(updated_by), 0))
            over (order by editor_id) as upto from next n)
      select editor_id, type, content_key, version, content_bytes, last_update, updated_by,
        upto <= ${limit.bytes}::bigint or position = 1 as fits
      from sized order by editor_id`,
  );
  const records = found
    .filter(({ fits }) => fits)
    .slice(0, limit.rows)
    .map((row): CrdtSummaryRow => {
      const { fits: _, ...record } = row;
      return record;
    });
  const more = found.length > records.length;
  return {
    records,
    next: more ? records.at(-1)?.editor_id : undefined,
    cut: more && records.length < limit.rows,
  };
}
