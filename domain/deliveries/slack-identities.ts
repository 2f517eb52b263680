import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { FoundAccount } from '../../platform/senders/slack-sender.ts';
import { tablesOf } from '../tables.ts';
import { isFence } from '../users/lock-users.ts';

/** Identifies a lookup of accounts. Another token or address invalidates earlier results. */
export interface SlackDirectory {
  readonly tenantId: string;
  /** `lookupVersion` of token and address. */
  readonly version: number;
}

/** 32 bits of a hash of the token and the address. Other settings of Slack do not change it. */
export const lookupVersion = (botToken: string, email: string): number =>
  sha256(`${botToken}\n${email.toLowerCase()}`).readInt32BE(0);

const IdentityRow = z.strictObject({
  user_id: z.string(),
  config_version: z.number(),
  slack_id: z.string().nullable(),
});

/** The accounts of users, null for none, by surrogate key of the user and `lookupVersion`: `12 345`. */
export type SlackAccounts = Map<string, { readonly slackId: string | null }>;

/** Returns the stored accounts of users: found in the last 30 days, or not found in the last day. Others must be looked up. */
export async function rememberedAccounts(
  em: EntityManager,
  tenantId: string,
  users: readonly string[],
): Promise<SlackAccounts> {
  if (users.length === 0) return new Map();
  const found = await rowsOf(
    em,
    IdentityRow,
    sql`select user_id, config_version, slack_id from slack_identity
      where user_id = any(${users}::bigint[]) and api_key_id = ${tenantId}
        and found_at > now() - case when slack_id is null then interval '1 day' else interval '30 days' end`,
  );
  return new Map(
    found.map(({ user_id, config_version, slack_id }) => [
      `${user_id} ${String(config_version)}`,
      { slackId: slack_id },
    ]),
  );
}

/** Stores an account, or that there is none, unless the user's data is being deleted. */
export async function rememberAccount(
  em: EntityManager,
  { tenantId, version }: SlackDirectory,
  user: string,
  { slackId }: Extract<FoundAccount, { slackId: string | null }>,
): Promise<void> {
  await sql`insert into slack_identity (user_id, api_key_id, config_version, slack_id, found_at)
    select id, ${tenantId}, ${version}, ${slackId}, now() from app_user u
    where id = ${user} and api_key_id = ${tenantId} and deleted_at is null and not exists (
      select from user_deletion d where d.api_key_id = u.api_key_id and d.user_ext_id = u.ext_id
        and ${isFence('d')})
    for key share
    on conflict (user_id) do update set config_version = excluded.config_version, slack_id = excluded.slack_id,
      found_at = excluded.found_at`.execute(tablesOf(em));
}
