import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import type { Choice } from './choose-recipients.ts';

/** A locked notification with the candidates of its current audience. */
interface Decided {
  readonly id: string;
  readonly audience: string;
  readonly choices: readonly Choice[];
}

/** Stores named users who get no inbox entry, in one statement; none without them. Rows of a former audience are replaced. */
export async function writeNamedRecipients(
  em: EntityManager,
  tenantId: string,
  decided: readonly Decided[],
): Promise<void> {
  const rows = decided.flatMap(({ id, audience, choices }) =>
    choices
      .filter(({ notified, candidate }) => !notified && candidate.named)
      .map(({ candidate: { user, email } }) => ({ id, audience, user, email })),
  );
  if (rows.length === 0) return;
  await sql`insert into named_recipient (notification_id, user_id, audience_id, api_key_id, org_id, email)
    select n.id, p.user_id, p.audience_id, n.api_key_id, n.org_id, p.email
    from unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ user }) => user)}::bigint[],
        ${rows.map(({ audience }) => audience)}::bigint[], ${rows.map(({ email }) => email)}::text[])
      as p (notification_id, user_id, audience_id, email)
    cross join lateral (
      select id, api_key_id, org_id from notification where id = p.notification_id and api_key_id = ${tenantId} offset 0) n
    order by n.id, p.user_id
    on conflict (notification_id, user_id) do update set audience_id = excluded.audience_id, email = excluded.email`.execute(
    tablesOf(em),
  );
}
