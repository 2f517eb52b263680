import type { Tenant } from '../tenancy/tenant.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** Recipients that are shown of one notification, beside the one who was asked about. */
export const mostRendered = 1_000;

export interface Recipient {
  readonly userId: string;
  /** The user's own, else as it was sent; empty when neither is known. */
  readonly email: string;
}

/**
 * The first recipients of each notification, by its surrogate key, and always `asked`, where it is one: one statement for
 * all of them. What is answered is who they are now: an e-mail address that changed shows here. Those of the first
 * notifications whose recipients have at most `maxBytes` bytes, and of one at least: the others are not in the map.
 */
export async function readRecipients(
  em: EntityManager,
  tenant: Tenant,
  notifications: readonly string[],
  asked: string | undefined,
  maxBytes: number = Number.MAX_SAFE_INTEGER,
): Promise<ReadonlyMap<string, readonly Recipient[]>> {
  if (notifications.length === 0) return new Map();
  const found = await rows<{ id: string; recipients: [string, string][] }>(
    em,
    `select id, recipients from (
       select id, nth, recipients, sum(octet_length(recipients::text)) over (order by nth rows unbounded preceding) as upto
       from (select n.id, array_position($1::bigint[], n.id) as nth, (
       select coalesce(json_agg(json_build_array(u.ext_id, coalesce(nullif(u.email, ''), r.email, '')) order by r.user_id), '[]')
       from (
         (select r.user_id, r.email from notification_recipient r
          where r.audience_id = n.audience and r.api_key_id = $2 order by r.user_id limit ${String(mostRendered)})
         union
         (select r.user_id, r.email from notification_recipient r
          where r.audience_id = n.audience and r.user_id = $3::bigint and r.api_key_id = $2)) r
       cross join lateral (
         select u.ext_id, u.email from app_user u where u.id = r.user_id and u.ext_id is not null offset 0) u) as recipients
     from notification n where n.id = any($1::bigint[]) and n.api_key_id = $2) each) sized
     where upto <= $4::bigint or nth = 1`,
    [notifications, tenant.id, asked ?? null, maxBytes],
  );
  return new Map(
    found.map(({ id, recipients }) => [id, recipients.map(([userId, email]) => ({ userId, email }))]),
  );
}

/** The maps in which recipients are told. `fromEntries` makes `__proto__` a member like any other. */
export function recipientMaps(recipients: readonly Recipient[]) {
  return {
    notifyUsers: Object.fromEntries(
      recipients.filter(({ email }) => email !== '').map(({ email }) => [email, true]),
    ),
    notifyUsersByUserId: Object.fromEntries(recipients.map(({ userId }) => [userId, true])),
  };
}
