import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { dayMs } from '../../../platform/units.ts';
import { classifyDatabaseError } from '../../../platform/database/failures.ts';
import { inTransaction, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import { deletionOf } from '../../delete-batch.ts';
import { DomainError } from '../../errors.ts';
import { accessRoleNumbers } from '../../tenancy/access-roles.ts';
import { tablesOf } from '../../tables.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { lockKnownUsers } from '../../users/lock-known-users.ts';
import { lockUsers, refuseFencedUsers, type LockedUsers } from '../../users/lock-users.ts';
import { resourcesWithAncestors, effectiveAccessType } from '../resources-with-ancestors.ts';
import type { AccessQuery } from '../effective-access-statement.ts';
import { kinds } from '../resource.ts';
import { LocatedRow } from '../verdict.ts';
import type { ProviderResponse } from './provider-responses.ts';

/** One user and one resource, with the provider's cached decision if it has not expired. */
const CachedRow = LocatedRow.extend({
  /** Surrogate key of the user; null for an unknown one. */
  user_id: z.string().nullable(),
  /** Customer's id of the parent folder; null at the root. */
  parent_ext_id: z.string().nullable(),
  is_cached: z.boolean(),
  has_access: z.boolean().nullable(),
  cached_role: z.number().nullable(),
  /** Unix time in seconds; null when the provider sent none. */
  cached_until: z.number().nullable(),
});
export type CachedRow = z.infer<typeof CachedRow>;

/** SQL: the hash of an id that the provider was asked about. Resources are cached by surrogate keys, which outlive ids. */
const hashOf = (id: RawBuilder<unknown>) => sql`hashtextextended(${id}, 0)`;

/**
 * Reads every user and resource, in the order of the query. Reading a decision does not extend it. A decision about a
 * document's former id is not one about its present id.
 */
export async function readCachedResponses(
  em: EntityManager,
  tenant: Tenant,
  query: AccessQuery,
  configVersion: number,
): Promise<CachedRow[]> {
  return rowsOf(
    em,
    CachedRow,
    sql`with ${resourcesWithAncestors(tenant, query)}
      select u.user_ext, u.id as user_id, r.ordinal::int as ordinal, r.kind, r.ext_id, r.org_ext_id, r.organization, r.resource,
        r.organization_disabled, r.document_disabled,
        case when r.kind <> ${kinds.organization} and ${query.types ?? false} then ${effectiveAccessType(tenant)} end as type,
        (select p.ext_id from folder p where p.id = r.parent) as parent_ext_id,
        a.has_access is not null as is_cached, a.has_access, a.role as cached_role,
        floor(extract(epoch from case when a.expiry_stated then a.expires_at end))::float8 as cached_until
      from named u cross join r
      left join lateral (
        select a.* from provider_answer a
        where a.api_key_id = ${tenant.id} and a.config_version = ${configVersion} and a.user_id = u.id
          and a.kind = r.kind and a.resource_id = r.resource and a.asked_id_hash = ${hashOf(sql.ref('r.ext_id'))}
          and a.expires_at > statement_timestamp() offset 0) a on true
      order by u.ordinal, r.ordinal`,
  );
}

/** A decision, with its resource by surrogate keys. */
export interface ResponseToCache {
  readonly userId: string;
  /** Surrogate key of the user before the call of the provider; null for an unknown user. */
  readonly user: string | null;
  readonly kind: number;
  readonly resource: string;
  /** The customer's id of the resource that the provider was asked about. */
  readonly askedId: string;
  readonly organization: string;
  readonly response: ProviderResponse;
}

/** Lifetime of a decision without an expiry. */
const defaultTtlMs = 300_000;

/** Rows of earlier configurations that one call deletes. */
const maxDeletedRows = 1_000;

/**
 * Returns today's partition, which is emptied 24 hours after the end of the day; the parent table when a decision is
 * valid for longer. A trigger keeps a decision unique over all of them, so this process may choose by its own clock.
 */
function tableOf(responses: readonly ResponseToCache[], now: number): string {
  const longer = responses.some(({ response }) => (response.expiresAt ?? 0) > now + dayMs);
  return longer ? 'provider_answer' : `provider_answer_${String(Math.floor(now / dayMs) % 3)}`;
}

/** `users`: surrogate keys by the customer's ids. */
const upsert = (
  tenant: Tenant,
  configVersion: number,
  responses: readonly ResponseToCache[],
  users: ReadonlyMap<string, string>,
  now: number,
) => sql`
  insert into ${sql.table(tableOf(responses, now))} (api_key_id, config_version, user_id, kind, resource_id, has_access, role, expires_at,
    expiry_stated, asked_id_hash)
  select ${tenant.id}, ${configVersion}, s.user_id, s.kind, s.resource_id, s.has_access, s.role,
    case when s.until is null then now() + ${defaultTtlMs} * interval '1 millisecond' else to_timestamp(s.until / 1000) end,
    s.until is not null, ${hashOf(sql.ref('s.asked_id'))}
  from unnest(${responses.map(({ userId }) => users.get(userId))}::bigint[], ${responses.map(({ kind }) => kind)}::smallint[],
    ${responses.map(({ resource }) => resource)}::bigint[], ${responses.map(({ response }) => response.hasAccess)}::boolean[],
    ${responses.map(({ response: { accessRole } }) => accessRole && accessRoleNumbers[accessRole])}::smallint[],
    ${responses.map(({ response }) => response.expiresAt ?? null)}::float8[], ${responses.map(({ askedId }) => askedId)}::text[])
    as s (user_id, kind, resource_id, has_access, role, until, asked_id)
  order by s.user_id, s.kind, s.resource_id
  on conflict (api_key_id, config_version, user_id, kind, resource_id) do update
  set has_access = excluded.has_access, role = excluded.role, expires_at = excluded.expires_at,
    expiry_stated = excluded.expiry_stated, asked_id_hash = excluded.asked_id_hash`;

const deleteEarlier = (tenant: Tenant, configVersion: number) =>
  deletionOf({
    table: 'provider_answer',
    where: sql`api_key_id = ${tenant.id} and config_version < ${configVersion}`,
    max: maxDeletedRows,
  });

/**
 * Caches decisions about users who were not deleted during the call of the provider; caches nothing when a user is fenced
 * by a deletion. `now` in milliseconds.
 */
export async function cacheResponses(
  orm: Orm,
  tenant: Tenant,
  configVersion: number,
  responses: readonly ResponseToCache[],
  now = Date.now(),
): Promise<void> {
  if (responses.length === 0) return;
  try {
    await inTransaction(orm, async (em) => {
      const users = await lockAsked(em, tenant, responses);
      const present = responses.filter(({ userId, user }) => user === null || users.get(userId) === user);
      await refuseFencedUsers(em, users, [...new Set(present.map(({ organization }) => organization))]);
      await upsert(tenant, configVersion, present, users, now).execute(tablesOf(em));
      await deleteEarlier(tenant, configVersion).execute(tablesOf(em));
    });
  } catch (error) {
    // Not caching is always right: the response is known.
    if (!(error instanceof DomainError) && classifyDatabaseError(error) !== 'conflict') throw error;
  }
}

/** Locks the users, and creates rows only for those who had none before the call of the provider. */
async function lockAsked(
  em: EntityManager,
  tenant: Tenant,
  responses: readonly ResponseToCache[],
): Promise<LockedUsers> {
  const [known, unknown] = [new Set<string>(), new Set<string>()];
  for (const { userId, user } of responses) (user === null ? unknown : known).add(userId);
  const present = known.size === 0 ? [] : await lockKnownUsers(em, tenant, [...known]);
  return new Map([...present, ...(await lockUsers(em, tenant, [...unknown]))]);
}
