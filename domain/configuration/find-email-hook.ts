import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { lookupOf } from '../../platform/database/statements.ts';
import { emailSendingRow } from './kinds/email.ts';

/** The API key of a URL for SendGrid's reports, and the public key that verifies them. */
export interface EmailHook {
  /** Surrogate key of the API key. */
  readonly tenantId: string;
  /** Base64 of DER SPKI, P-256; empty when not set. */
  readonly eventPublicKey: string;
}

const HookRow = z.strictObject({ tenantId: z.string(), eventPublicKey: z.string() });

/** Finds the API key of a `hookId` by the index `key_config_hook`. */
export async function findEmailHook(em: EntityManager, hookId: string): Promise<EmailHook | undefined> {
  const [found] = await lookupOf(
    em,
    HookRow,
    sql`select api_key_id as "tenantId", coalesce(config -> 'emailServiceConfig' ->> 'eventPublicKey', '') as "eventPublicKey"
      from key_config where kind = ${sql.lit(emailSendingRow)} and config ->> 'hookId' = ${hookId} limit 1`,
  );
  return found;
}
