import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { isVisible } from '../documents/resolve-document.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { audienceKinds } from './thread-audience.entity.ts';
import { visibilityNumbers } from './thread.entity.ts';
import { wholeDocument } from './thread-view.entity.ts';

const CountRow = z.strictObject({ ext_id: z.string(), total: z.number(), unread: z.number() });

/** The counts of one document. */
export interface AnnotationCounts {
  readonly total: number;
  readonly unread: number;
}

/** `user`: a surrogate key; undefined for an unknown user. The other ids are the customer's. */
export interface CountRequest {
  readonly user: string | undefined;
  readonly documentIds: readonly string[];
  readonly statusIds: readonly string[] | undefined;
}

/**
 * SQL: whether a user may see a thread `t`. This holds for a public thread, a thread of the user, and one whose
 * audience has the user or an organization of the user.
 */
const mayBeSeenBy = (
  tenantId: string,
  user: string,
) => sql`(t.visibility = ${sql.lit(visibilityNumbers.public)}
  or t.creator_id = ${user}::bigint
  or exists (select from thread_audience a
    where a.thread_id = t.id and a.kind = ${sql.lit(audienceKinds.user)} and a.ref_id = ${user}::bigint)
  or exists (select from thread_audience a
    cross join lateral (select from access m where m.user_id = ${user}::bigint and m.kind = ${sql.lit(resourceKindNumbers.organization)}
      and m.resource_id = a.ref_id and m.is_member and m.api_key_id + 0 = ${tenantId} offset 0) m
    where a.thread_id = t.id and a.kind = ${sql.lit(audienceKinds.organization)}))`;

/**
 * Counts the annotations of documents that a user may see. Unread are those whose last change is another user's and
 * later than the user's read mark. Omits unknown documents.
 */
export async function countUnread(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  { user, documentIds, statusIds }: CountRequest,
): Promise<ReadonlyMap<string, AnnotationCounts>> {
  // No user has the key 0.
  const key = user ?? '0';
  const found = await rowsOf(
    em,
    CountRow,
    sql`select d.ext_id, n.total, n.unread from document d
      left join lateral (
        select viewed_at from thread_view
        where user_id = ${key} and document_id = d.id and thread_id = ${sql.lit(wholeDocument)} offset 0) w on true
      cross join lateral (
        select count(*)::integer as total, (count(*) filter (where t.last_actor_id is distinct from ${key}::bigint
          and t.updated_at > greatest(coalesce(w.viewed_at, -1), coalesce(v.viewed_at, -1))))::integer as unread
        from thread t left join (
          select thread_id, viewed_at from thread_view where user_id = ${key} and document_id = d.id offset 0) v on v.thread_id = t.id
        where t.document_id = d.id and (${statusIds ?? null}::text[] is null or t.status_id = any(${statusIds ?? null}))
          and ${mayBeSeenBy(tenant.id, key)}
        offset 0) n
      where d.org_id = ${organization.id} and d.ext_id = any(${documentIds}::text[]) and ${isVisible}`,
  );
  return new Map(found.map(({ ext_id, ...counts }) => [ext_id, counts]));
}
