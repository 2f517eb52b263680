import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import { tablesOf, type Tables } from '../../tables.ts';
import type { JsonKind } from '../../users/json-name.entity.ts';
import { jsonRecords, recordsNaming } from '../stores/json-stores.ts';
import { type JsonRecords, batchByName } from '../stores/batch-by-name.ts';
import { indexedNamesOf, identify } from '../stores/addresses.ts';
import type { PersonScope } from '../stores/personal-data-store.ts';
import type { Section } from './section.ts';

/** Kinds of records in an organization whose free JSON may name a person, in the order of the export. */
export const namingSources = [
  'activity',
  'notification',
  'recording',
  'agentExecution',
  'organization',
  'folder',
  'document',
  'commentAnnotation',
] as const;
export type NamingSource = (typeof namingSources)[number];

/** The kinds of records of a source in the index of names: an annotation also stands for its comments. */
const kindsOf = (source: NamingSource): readonly JsonKind[] =>
  source === 'commentAnnotation' ? ['thread', 'comment'] : [source];

/** Another person's record whose free JSON names the exported one and that `mentions` does not list. */
export interface NamingRecord {
  readonly source: NamingSource;
  readonly id: string;
}

const sources: readonly (readonly [NamingSource, JsonRecords])[] = namingSources.flatMap((source) =>
  kindsOf(source).flatMap((kind) =>
    jsonRecords.filter((records) => records.kind === kind).map((records) => [source, records] as const),
  ),
);

/** Max batches of the index read per page. */
const maxBatches = 20;

/** Reads records kind after kind by the index of names. A page may be short, and may repeat an annotation of another. */
export const namedIn: Section<NamingRecord> = async (
  em,
  { tenant, organization, user },
  { after, limit },
) => {
  const scope = await identify(em, await scopeOf(em, { tenantId: tenant.id, user, organization }));
  const { named: people, identifiers } = scope;
  const found: NamingRecord[] = [];
  let [at, from] = [Number(after?.[0] ?? '0'), after?.[1] ?? '-1'];
  for (
    let batches = 0;
    at < sources.length && batches < maxBatches && found.length < limit.rows;
    batches += 1
  ) {
    const [source, records] = sources[at] as (typeof sources)[number];
    const { ids, last } = await batchByName(em, records, scope, indexedNamesOf(identifiers), [from]);
    const named = await recordsNaming(em, records, people, identifiers, ids);
    const own = named.filter(({ elsewhere }) => !elsewhere).map(({ id }) => id);
    const customers = await customerIds(em, tenant.id, records.table, own);
    const taken = customers.slice(0, limit.rows - found.length);
    found.push(...taken.map(({ ext_id: id }) => ({ source, id })));
    if (taken.length < customers.length) {
      // The next page continues within the batch.
      from = taken.at(-1)?.id ?? from;
      break;
    }
    [at, from] = last?.[0] === undefined ? [at + 1, '-1'] : [at, last[0]];
  }
  const rows = [...new Map(found.map((one) => [`${one.source} ${one.id}`, one])).values()];
  return { rows, next: at < sources.length ? [String(at), from] : undefined };
};

async function scopeOf(
  em: EntityManager,
  {
    tenantId,
    user,
    organization,
  }: { readonly tenantId: string; readonly user: string; readonly organization: string },
): Promise<PersonScope> {
  const users = await tablesOf(em)
    .selectFrom('app_user')
    .select(['id', 'ext_id as userId'])
    .where('id', '=', user)
    .where('api_key_id', '=', tenantId)
    .$narrowType<{ userId: string }>()
    .execute();
  return { tenantId, users, organizations: [organization] };
}

const CustomerIdRow = z.strictObject({ id: z.string(), ext_id: z.string() });

async function customerIds(
  em: EntityManager,
  tenantId: string,
  table: keyof Tables,
  ids: readonly string[],
): Promise<z.infer<typeof CustomerIdRow>[]> {
  if (ids.length === 0) return [];
  const named =
    table === 'comment'
      ? sql`select t.id, h.ext_id from comment t join thread h on h.id = t.thread_id`
      : sql`select t.id, t.ext_id from ${sql.table(table)} t`;
  return rowsOf(
    em,
    CustomerIdRow,
    sql`${named}
      where t.id = any(${ids}::bigint[]) and t.api_key_id + 0 = ${tenantId} and t.ext_id is not null order by t.id`,
  );
}
