import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockPeople } from '../users/lock-named.ts';
import { indexRecords } from '../users/name-index.ts';
import { mergedPeople } from '../users/named-users.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { activityRecordKind, writeBody, type ActivityBody, type WrittenBody } from './activity.ts';

/** Members of a record that replace what stands; each whole, never merged. */
export interface ActivityPatch {
  readonly id: string;
  readonly members: Readonly<Record<string, unknown>>;
}

const refusal = (code: 'not-found' | 'failed-precondition'): Outcome =>
  failed(code, 'Failed to update activity.');

/** Updates the records that exist; one that does not, or may not change, fails alone. Emits nothing. */
export async function updateActivities(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  patches: readonly ActivityPatch[],
): Promise<Outcomes> {
  const existing = await readBodies(
    em,
    organization,
    patches.map(({ id }) => id),
  );
  const immutable = tenant.switches.activitiesImmutable;
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
  readonly body: ActivityBody;
}

async function readBodies(
  em: EntityManager,
  organization: ResolvedOrganization,
  ids: readonly string[],
): Promise<ReadonlyMap<string, BodyRow>> {
  const found = await rows<BodyRow & { ext_id: string }>(
    em,
    `select id, ext_id, body from activity where org_id = $1 and ext_id = any($2) order by ext_id for no key update`,
    [organization.id, ids],
  );
  return new Map(found.map(({ ext_id, ...row }) => [ext_id, row]));
}

type Changed = WrittenBody & { readonly row: string };

function change({ members }: ActivityPatch, existing: BodyRow | undefined): Changed[] {
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
  await rows(
    em,
    `with sent as (select * from unnest($3::bigint[], $4::text[], $5::bytea[], $6::json[]) as t (id, mentioned, hash, body)),
     written as (
       update activity a set body = s.body, content_hash = s.hash, mentioned = s.mentioned::bigint[]
       from sent s where a.id = s.id and a.org_id = $2 and a.api_key_id = $1 returning a.id, a.mentioned)
     insert into record_user (user_id, kind, record_id, api_key_id, org_id)
     select u.id, ${String(activityRecordKind)}, w.id, $1, $2 from written w cross join lateral unnest(w.mentioned) as u (id)
     on conflict do nothing`,
    [
      tenant.id,
      organization.id,
      changed.map(({ row }) => row),
      surrogates.map((ids) => `{${ids.join(',')}}`),
      changed.map(({ hash }) => hash),
      changed.map(({ json }) => json),
    ],
  );
  await indexRecords(
    em,
    tenant,
    'activity',
    changed.map(({ row, names }) => ({ id: row, names })),
  );
}
