import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowOf } from '../../../platform/database/statements.ts';
import { tablesOf } from '../../tables.ts';
import type { Destination } from './resolve.ts';

/** A recovery from an outage that has not reached all waiting messages, in the row of its endpoint. */
export interface Recovery {
  /** Retries up to this database time were made due. */
  readonly until: string;
  /** Messages that got their extra attempts are left out. */
  readonly spares: boolean;
}

const RecoveryRow = z.strictObject({ until: z.string().nullable(), spares: z.boolean().nullable() });

/**
 * Reads the recovery and locks the endpoint's row: a concurrent turn continues after the commit of this one. Otherwise it
 * could find no message left, while this transaction has moved some and is rolled back.
 */
export async function lockRecovery(
  em: EntityManager,
  { id, tenantId }: Destination,
): Promise<Recovery | undefined> {
  const stored = await rowOf(
    em,
    RecoveryRow,
    sql`select w.recovered_until::text as until, w.recovery_spares as spares from webhook_endpoint w
      where w.id = ${id} and w.api_key_id = ${tenantId} for no key update of w`,
  );
  if (stored === undefined || stored.until === null) return undefined;
  return { until: stored.until, spares: stored.spares ?? false };
}

/** Undefined: no message is left. */
export async function storeRecovery(
  em: EntityManager,
  { id, tenantId }: Destination,
  recovery: Recovery | undefined,
): Promise<void> {
  await tablesOf(em)
    .updateTable('webhook_endpoint')
    .set(
      recovery === undefined
        ? { recovered_until: null, recovery_spares: null }
        : { recovered_until: sql<Date>`${recovery.until}::timestamptz`, recovery_spares: recovery.spares },
    )
    .where((row) => row.and({ id, api_key_id: tenantId }))
    .execute();
}
