import { rows } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { PersonScope } from './place.ts';
import type { Unwanted } from './without-people.ts';

/** Everyone of the scope at once: a record that names two of them is rewritten once. */
export async function unwantedOf(em: EntityManager, { tenantId, users }: PersonScope): Promise<Unwanted> {
  const found = await rows<{ email: string }>(
    em,
    `select email from app_user where id = any($1::bigint[]) and api_key_id = $2 and email <> ''`,
    [users.map(({ id }) => id), tenantId],
  );
  return {
    userIds: new Set(users.map(({ userId }) => userId)),
    emails: new Set(found.map(({ email }) => email)),
  };
}
