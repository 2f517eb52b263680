import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** Max recipients shown per notification, in addition to the filtered one. */
export const maxRendered = 1_000;

export interface Recipient {
  readonly userId: string;
  /** The user's e-mail address, else the address sent; empty without both. */
  readonly email: string;
}

/**
 * Reads the first recipients of each notification, by its surrogate key, and `user` if it is a recipient. One statement reads
 * current e-mail addresses. The map omits notifications beyond `maxBytes`, but contains at least one.
 */
export async function readRecipients(
  em: EntityManager,
  tenant: Tenant,
  notifications: readonly string[],
  user: string | undefined,
  maxBytes: number = Number.MAX_SAFE_INTEGER,
): Promise<ReadonlyMap<string, readonly Recipient[]>> {
  if (notifications.length === 0) return new Map();
  const ids = sql`${notifications}::bigint[]`;
  const found = await rowsOf(
    em,
    RecipientsRow,
    sql`select id, recipients from (
        select id, nth, recipients, sum(octet_length(recipients::text)) over (order by nth rows unbounded preceding) as upto
        from (select n.id, array_position(${ids}, n.id) as nth, (
        select coalesce(json_agg(json_build_array(u.ext_id, coalesce(nullif(u.email, ''), r.email, '')) order by r.user_id), '[]')
        from (
          (select r.user_id, r.email from notification_recipient r
           where r.audience_id = n.audience and r.api_key_id = ${tenant.id} order by r.user_id limit ${sql.lit(maxRendered)})
          union
          (select r.user_id, r.email from notification_recipient r
           where r.audience_id = n.audience and r.user_id = ${user ?? null}::bigint and r.api_key_id = ${tenant.id})) r
        cross join lateral (
          select u.ext_id, u.email from app_user u where u.id = r.user_id and u.ext_id is not null offset 0) u) as recipients
      from notification n where n.id = any(${ids}) and n.api_key_id = ${tenant.id}) each) sized
      where upto <= ${maxBytes}::bigint or nth = 1`,
  );
  return new Map(
    found.map(({ id, recipients }) => [id, recipients.map(([userId, email]) => ({ userId, email }))]),
  );
}

const AddressRow = z.strictObject({ audience_id: z.string(), email: z.string() });

/** Reads the address of one recipient, as in `Recipient`, by audience. The map omits audiences without the recipient. */
export async function readAddresses(
  em: EntityManager,
  tenant: Tenant,
  user: string,
  audiences: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (audiences.length === 0) return new Map();
  const found = await rowsOf(
    em,
    AddressRow,
    sql`select r.audience_id, coalesce(nullif(u.email, ''), r.email, '') as email
      from unnest(${audiences}::bigint[]) as k (audience)
      cross join lateral (
        select r.audience_id, r.user_id, r.email from notification_recipient r
        where r.audience_id = k.audience and r.user_id = ${user} and r.api_key_id = ${tenant.id} offset 0) r
      cross join lateral (select u.email from app_user u where u.id = r.user_id offset 0) u`,
  );
  return new Map(found.map(({ audience_id, email }) => [audience_id, email]));
}

const RecipientsRow = z.strictObject({
  id: z.string(),
  recipients: z.array(z.tuple([z.string(), z.string()])),
});

/** The recipient maps of responses. `fromEntries` makes `__proto__` an own member. */
export function recipientMaps(recipients: readonly Recipient[]) {
  return {
    notifyUsers: Object.fromEntries(
      recipients.filter(({ email }) => email !== '').map(({ email }) => [email, true]),
    ),
    notifyUsersByUserId: Object.fromEntries(recipients.map(({ userId }) => [userId, true])),
  };
}
