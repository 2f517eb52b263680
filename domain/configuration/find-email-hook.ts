import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { lookupOf } from '../../platform/database/statements.ts';
import type { KeyLimits } from '../tenancy/key-limits.ts';
import { isActive } from '../workspaces/key-activity.ts';
import { emailSendingRow } from './kinds/email.ts';

/** The API key of a URL for SendGrid's reports, and the public key that verifies them. */
export interface EmailHook extends Pick<KeyLimits, 'requestsPerSecond' | 'burst'> {
  /** Surrogate key of the API key. */
  readonly tenantId: string;
  /** Base64 of DER SPKI, P-256; empty when not set. */
  readonly eventPublicKey: string;
  /** Whether neither the key nor its workspace is disabled. */
  readonly active: boolean;
}

const HookRow = z.strictObject({
  tenantId: z.string(),
  eventPublicKey: z.string(),
  active: z.boolean(),
  requestsPerSecond: z.number().nullable(),
  burst: z.number().nullable(),
});

/** Finds the API key of a `hookId` by the index `key_config_hook`. Undefined also for a deleted key. */
export async function findEmailHook(em: EntityManager, hookId: string): Promise<EmailHook | undefined> {
  const [found] = await lookupOf(
    em,
    HookRow,
    sql`select c.api_key_id as "tenantId", coalesce(c.config -> 'emailServiceConfig' ->> 'eventPublicKey', '') as "eventPublicKey",
        ${isActive} as active, k.requests_per_second as "requestsPerSecond", k.request_burst as burst
      from key_config c join api_key k on k.id = c.api_key_id
      where c.kind = ${sql.lit(emailSendingRow)} and c.config ->> 'hookId' = ${hookId} and k.deleted_at is null limit 1`,
  );
  return found;
}
