import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { UnsubscribeSubject } from '../signing/unsubscribe-tokens.ts';
import { tablesOf } from '../tables.ts';
import { fenceStands, notFencedEverywhere } from '../users/lock-users.ts';
import { levelNumbers } from './notification-preference.entity.ts';

/** The notifications for which the reader of a message stops e-mail. */
export type UnsubscribeScope = 'organization' | 'document';

/**
 * Sets the user's e-mail level to NONE. The scope `organization` also clears the levels of its documents, which would
 * otherwise take precedence. No effect for a deleted user, organization or document, for a user under deletion, and when
 * repeated.
 */
export async function unsubscribe(
  em: EntityManager,
  subject: UnsubscribeSubject,
  scope: UnsubscribeScope,
): Promise<void> {
  const document = scope === 'document' ? subject.document : undefined;
  if (!(await lockSubject(em, { ...subject, document }))) return;
  const { apiKeyId, organization, user } = subject;
  const none = levelNumbers.NONE;
  const clearing = sql`with cleared as (
    update preference set email = null, updated_at = now()
    where user_id = ${user} and org_id = ${organization} and document_id <> 0 and email is not null)`;
  await sql`${document === undefined ? clearing : sql``}
    insert into preference as p (user_id, org_id, document_id, api_key_id, email)
    values (${user}, ${organization}, ${document ?? '0'}, ${apiKeyId}, ${none})
    on conflict (user_id, org_id, document_id) do update set email = excluded.email, updated_at = now()
      where p.email is distinct from excluded.email`.execute(tablesOf(em));
}

/** Locks the rows that the preference refers to, in the order of other writers. Returns false when one is deleted. */
async function lockSubject(
  em: EntityManager,
  { apiKeyId, organization, user, document }: UnsubscribeSubject,
): Promise<boolean> {
  const tables = tablesOf(em);
  const held = await tables
    .selectFrom('organization')
    .select('id')
    .where((row) => row.and({ id: organization, api_key_id: apiKeyId }))
    .where('ext_id', 'is not', null)
    .forKeyShare()
    .executeTakeFirst();
  if (held === undefined) return false;
  if (document !== undefined) {
    const present = await tables
      .selectFrom('document')
      .select('id')
      .where((row) => row.and({ id: document, org_id: organization }))
      .where('ext_id', 'is not', null)
      .forKeyShare()
      .executeTakeFirst();
    if (present === undefined) return false;
  }
  const locked = await tables
    .selectFrom('app_user as u')
    .select('u.ext_id')
    .where((row) => row.and({ 'u.id': user, 'u.api_key_id': apiKeyId }))
    .where('u.ext_id', 'is not', null)
    .where(notFencedEverywhere(apiKeyId))
    .forKeyShare('u')
    .executeTakeFirst();
  if (locked === undefined) return false;
  // A separate statement: the one that locks would read the fence in a snapshot from before the lock.
  const fence = await tables
    .selectFrom('user_deletion as d')
    .select('d.user_id')
    .where('d.api_key_id', '=', apiKeyId)
    .where('d.user_ext_id', '=', locked.ext_id)
    .where(fenceStands([organization]))
    .limit(sql.lit(1))
    .executeTakeFirst();
  return fence === undefined;
}
