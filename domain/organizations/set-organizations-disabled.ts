import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf, changedBy } from '../../platform/database/statements.ts';
import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { createAndLock } from '../create-and-lock.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';

/**
 * Disables or re-enables organizations. Disabled ones fail access checks and token generation; administrative calls still
 * work. `create`: creates missing ones, also what a deletion takes meanwhile.
 */
export async function setOrganizationsDisabled(
  em: EntityManager,
  tenant: Tenant,
  {
    organizationIds,
    disabled,
    create,
  }: { organizationIds: readonly string[]; disabled: boolean; create: boolean },
): Promise<Outcomes> {
  const setExisting = async () => setStateOfExisting(em, tenant, organizationIds, disabled);
  const updated = create
    ? await createAndLock(
        async () => insertWithState(em, tenant, organizationIds, disabled),
        async () => {
          const found = await setExisting();
          return organizationIds.every((id) => found.has(id)) ? found : undefined;
        },
      )
    : await setExisting();
  return outcomes(organizationIds, updated, {
    ok: () => done('Updated disable state for organization Successfully'),
    otherwise: () => failed('not-found', messages.organizationMissing),
  });
}

async function insertWithState(
  em: EntityManager,
  tenant: Tenant,
  organizationIds: readonly string[],
  disabled: boolean,
): Promise<void> {
  const created = await changedBy(
    em,
    sql`insert into organization (api_key_id, ext_id, name, disabled)
      select ${tenant.id}, id, id, ${disabled} from unnest(${organizationIds}::text[]) as t (id) order by id collate "C"
      on conflict (api_key_id, ext_id) do nothing`,
  );
  countUsage(em, tenant.id, 'organizations', created);
}

/** Returns the customer's ids of those that exist. */
async function setStateOfExisting(
  em: EntityManager,
  tenant: Tenant,
  organizationIds: readonly string[],
  disabled: boolean,
): Promise<ReadonlySet<string>> {
  const updated = await tablesOf(em)
    .with('locked', (tables) =>
      tables
        .selectFrom('organization')
        .select('id')
        .where('api_key_id', '=', tenant.id)
        .where('ext_id', '=', anyOf(organizationIds))
        .orderBy('ext_id')
        .forNoKeyUpdate(),
    )
    .updateTable('organization as o')
    .from('locked')
    .set({ disabled, updated_at: sql`now()` })
    .whereRef('o.id', '=', 'locked.id')
    .returning('o.ext_id')
    .$narrowType<{ ext_id: string }>()
    .execute();
  return new Set(updated.map(({ ext_id }) => ext_id));
}
