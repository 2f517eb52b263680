import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowOf } from '../../../platform/database/statements.ts';
import { involvedRoles } from '../../comments/thread-person.entity.ts';
import { isVisible } from '../../documents/resolve-document.ts';
import { resourceKindNumbers } from '../../tenancy/resource-kinds.ts';

/** A notification and its relation to a user. Surrogate keys, except `document_ext`. */
const ExplainedRow = z.strictObject({
  id: z.string(),
  ts: z.string(),
  recipient_count: z.number(),
  document: z.string(),
  document_ext: z.string(),
  thread: z.string().nullable(),
  actor: z.string(),
  /** The event type of a comment's notification; null for other notifications. */
  event: z.string().nullable(),
  in_inbox: z.boolean(),
  read: z.boolean(),
  /** The notification names the user, who has no inbox entry. */
  is_named: z.boolean(),
  /** The call notified the members of the document; null for comments, and when 0.2.0 wrote the recipients. */
  to_members: z.boolean().nullable(),
  /** The call verified access; null like `to_members`. */
  verify: z.boolean().nullable(),
  /** The user is a member of the document. */
  is_member: z.boolean(),
  /** The thread involves the user. */
  is_involved: z.boolean(),
  /** The user is the author of the comment. */
  is_author: z.boolean(),
});
export type ExplainedRow = Readonly<z.infer<typeof ExplainedRow>>;

interface ExplainedQuery {
  readonly organization: string;
  /** The customer's id. */
  readonly notificationId: string;
  /** Undefined for an unknown user. */
  readonly user: string | undefined;
}

/** Reads a notification and its relation to a user, in one statement. Undefined when the notification does not exist. */
export async function findExplained(
  em: EntityManager,
  tenantId: string,
  { organization, notificationId, user = '0' }: ExplainedQuery,
): Promise<ExplainedRow | undefined> {
  return rowOf(
    em,
    ExplainedRow,
    sql`select n.id, n.ts, n.recipient_count, n.document_id as document, d.ext_id as document_ext, n.thread_id as thread, n.actor_id as actor,
        case when n.thread_id is not null then n.body #>> '{notificationSourceData,actionType}' end as event,
        r.user_id is not null as in_inbox, coalesce(r.read_revision = n.revision, false) as read,
        exists (select from named_recipient x where x.notification_id = n.id and x.user_id = ${user} and x.audience_id = n.audience) as is_named,
        case when n.asked_audience = n.audience then n.to_members end as to_members,
        case when n.asked_audience = n.audience then n.verify end as verify,
        exists (select from access a where a.user_id = ${user} and a.kind = ${sql.lit(resourceKindNumbers.document)}
          and a.resource_id = n.document_id and a.is_member) as is_member,
        exists (select from thread_person p where p.thread_id = n.thread_id and p.user_id = ${user}
          and p.roles & ${sql.lit(involvedRoles)} <> 0) as is_involved,
        exists (select from comment c where c.id = n.comment_id and c.author_id = ${user}) as is_author
      from notification n
      join document d on d.id = n.document_id and d.deleted_at is null and ${isVisible}
      left join lateral (
        select user_id, read_revision from notification_recipient
        where audience_id = n.audience and user_id = ${user} and api_key_id = ${tenantId} offset 0) r on true
      where n.org_id = ${organization} and n.ext_id = ${notificationId} and n.api_key_id = ${tenantId}`,
  );
}
