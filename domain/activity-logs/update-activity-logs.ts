import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockPeople } from '../users/lock-named.ts';
import { indexRecords } from '../users/name-index.ts';
import { mergedPeople } from '../users/named-users.ts';
import { activityLogKind, writeBody, type ActivityLogBody, type WrittenBody } from './activity-log.ts';

/** Members that replace the stored ones, never merged. */
export interface ActivityLogPatch {
  readonly id: string;
  readonly members: Readonly<Record<string, unknown>>;
}

const refusal = (code: 'not-found' | 'failed-precondition'): Outcome =>
  failed(code, 'Failed to update activity.');

/** Updates existing records. A missing or immutable record fails alone. Emits no events. */
export async function updateActivityLogs(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  patches: readonly ActivityLogPatch[],
): Promise<Outcomes> {
  const existing = await readBodies(
    em,
    organization,
    patches.map(({ id }) => id),
  );
  const immutable = tenant.switches.activityLogsImmutable;
  const changed = immutable ? [] : patches.flatMap((patch) => change(patch, existing.get(patch.id)));
  const users = await lockPeople(em, tenant, mergedPeople(changed.map(({ people }) => people)), [
    organization.id,
  ]);
  if (changed.length > 0) await write(em, tenant, organization, changed, users);
  return new Map(
    patches.map(({ id }) => {
      if (!existing.has(id)) return [id, refusal('not-found')];
      return [id, immutable ? refusal('failed-precondition') : done('Activity updated.')];
    }),
  );
}

interface BodyRow {
  readonly id: string;
  readonly body: ActivityLogBody;
}

async function readBodies(
  em: EntityManager,
  organization: ResolvedOrganization,
  ids: readonly string[],
): Promise<ReadonlyMap<string, BodyRow>> {
  const found = await tablesOf(em)
    .selectFrom('activity')
    .select(['id', 'ext_id', 'body'])
    .where('org_id', '=', organization.id)
    .where('ext_id', '=', anyOf(ids))
    .orderBy('ext_id')
    .forNoKeyUpdate()
    .execute();
  return new Map(found.map(({ ext_id, ...row }) => [ext_id, row]));
}

type Changed = WrittenBody & { readonly row: string };

function change({ members }: ActivityLogPatch, existing: BodyRow | undefined): Changed[] {
  return existing === undefined ? [] : [{ row: existing.id, ...writeBody({ ...existing.body, ...members }) }];
}

async function write(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  changed: readonly Changed[],
  users: ReadonlyMap<string, string>,
): Promise<void> {
  const surrogates = changed.map(({ mentioned }) => [...mentioned].map((name) => users.get(name)));
  await sql`with sent as (
      select * from unnest(${changed.map(({ row }) => row)}::bigint[], ${surrogates.map((ids) => `{${ids.join(',')}}`)}::text[],
        ${changed.map(({ hash }) => hash)}::bytea[], ${changed.map(({ json }) => json)}::json[]) as t (id, mentioned, hash, body)),
    written as (
      update activity a set body = s.body, content_hash = s.hash, mentioned = s.mentioned::bigint[]
      from sent s where a.id = s.id and a.org_id = ${organization.id} and a.api_key_id = ${tenant.id} returning a.id, a.mentioned)
    insert into record_user (user_id, kind, record_id, api_key_id, org_id)
    select u.id, ${sql.lit(activityLogKind)}, w.id, ${tenant.id}, ${organization.id}
    from written w cross join lateral unnest(w.mentioned) as u (id)
    on conflict do nothing`.execute(tablesOf(em));
  await indexRecords(
    em,
    tenant,
    'activity',
    changed.map(({ row, names }) => ({ id: row, names })),
  );
}
