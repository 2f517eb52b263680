import type { EntityManager } from '../../platform/database/orm.ts';
import { notFound } from '../errors.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { userTexts } from '../users/user-texts.ts';
import type { SlackReader } from './test-messages.ts';

/** Finds the data that identifies a user's Slack account. Throws NOT_FOUND for an unknown or deleted user. */
export async function findSlackReader(
  em: EntityManager,
  tenant: Tenant,
  userId: string,
): Promise<SlackReader> {
  const found = await tablesOf(em)
    .selectFrom('app_user')
    .select(['email', 'metadata'])
    .where('api_key_id', '=', tenant.id)
    .where('ext_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (found === undefined) throw notFound(userTexts.missing);
  const account: unknown = Reflect.get(found.metadata, 'slackUserId');
  return {
    email: found.email,
    slackUserId: typeof account === 'string' && account !== '' ? account : undefined,
  };
}
