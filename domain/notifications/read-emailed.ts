import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { Recipient } from './read-recipients.ts';

const EmailedRow = z.strictObject({
  id: z.string(),
  recipients: z.array(z.tuple([z.string(), z.string()])),
});

/**
 * Reads the users that the customer's own sender should e-mail about each notification, by its surrogate key, in order, with
 * addresses as in `Recipient`. Omits users who are neither recipients nor members any more: a deletion may have reached
 * them before a job announces the notification. One statement; none without users. Undefined users stay undefined.
 */
export async function readEmailed(
  em: EntityManager,
  tenant: Tenant,
  emailed: ReadonlyMap<string, readonly string[] | undefined>,
): Promise<ReadonlyMap<string, readonly Recipient[] | undefined>> {
  const pairs = [...emailed].flatMap(([id, users = []]) => users.map((user) => [id, user] as const));
  const found =
    pairs.length === 0
      ? []
      : await rowsOf(
          em,
          EmailedRow,
          sql`select k.id, json_agg(json_build_array(u.ext_id, coalesce(nullif(u.email, ''), r.email, x.email, '')) order by k.nth)
              as recipients
            from unnest(${pairs.map(([id]) => id)}::bigint[], ${pairs.map(([, user]) => user)}::bigint[])
              with ordinality as k (id, user_id, nth)
            cross join lateral (
              select audience, document_id from notification where id = k.id and api_key_id = ${tenant.id} offset 0) n
            cross join lateral (
              select ext_id, email from app_user where id = k.user_id and ext_id is not null offset 0) u
            left join lateral (
              select user_id, email from notification_recipient
              where audience_id = n.audience and user_id = k.user_id and api_key_id = ${tenant.id} offset 0) r on true
            left join lateral (
              select user_id, email from named_recipient
              where notification_id = k.id and user_id = k.user_id and audience_id = n.audience offset 0) x on true
            where r.user_id is not null or x.user_id is not null or exists (
              select from access a
              where a.user_id = k.user_id and a.kind = ${sql.lit(resourceKindNumbers.document)}
                and a.resource_id = n.document_id and a.is_member offset 0)
            group by k.id`,
        );
  const recipientsOf = new Map(found.map(({ id, recipients }) => [id, recipients]));
  return new Map(
    [...emailed].map(([id, users]) => [
      id,
      users && (recipientsOf.get(id) ?? []).map(([userId, email]) => ({ userId, email })),
    ]),
  );
}
