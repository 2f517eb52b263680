import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { lockDocument } from '../documents/resolve-document.ts';
import { lockOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { refusingFencedFirst } from '../users/refusing-fenced-first.ts';
import { lockUsers, refuseFencedUsers } from '../users/lock-users.ts';
import { wholeDocument } from './thread-view.entity.ts';
import { userKeyOf } from './write-comments.ts';

/** A read mark to set. */
export interface ViewedRequest {
  readonly organizationId: string;
  readonly documentId: string;
  readonly userId: string;
  /** Undefined for the whole document. */
  readonly annotationIds: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  readonly viewedAt: number;
}

/**
 * Marks annotations, or a whole document, as read by a user. Ignores unknown annotations and times before the mark.
 * Locks the annotations, so that a deletion finds the marks.
 */
export async function setViewed(em: EntityManager, tenant: Tenant, request: ViewedRequest): Promise<void> {
  const { userId, annotationIds, viewedAt } = request;
  const named = { organizationId: request.organizationId, userIds: [userId] };
  const { organization, document } = await refusingFencedFirst(em, tenant, named, async () => {
    const organization = await lockOrganization(em, tenant, request.organizationId);
    return { organization, document: await lockDocument(em, tenant, organization, request.documentId) };
  });
  const users = await lockUsers(em, tenant, [userId]);
  await refuseFencedUsers(em, users, [organization.id]);
  const marked =
    annotationIds === undefined
      ? sql`select ${sql.lit(wholeDocument)}::bigint as id`
      : sql`select id from thread where org_id = ${organization.id} and ext_id = any(${annotationIds}::text[])
          and document_id = ${document.id} and api_key_id + 0 = ${tenant.id} order by id for key share`;
  await sql`insert into thread_view (user_id, document_id, thread_id, api_key_id, org_id, viewed_at)
    select ${userKeyOf(users, userId)}, ${document.id}, m.id, ${tenant.id}, ${organization.id}, ${viewedAt}::bigint
    from (${marked}) m order by m.id
    on conflict (user_id, document_id, thread_id) do update set viewed_at = excluded.viewed_at
    where thread_view.viewed_at < excluded.viewed_at`.execute(tablesOf(em));
}
