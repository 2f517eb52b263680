import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { nameOfNumber } from '../name-of-number.ts';
import { tablesOf } from '../tables.ts';
import { channelNumbers } from './channels.ts';
import { finalStatuses, reasonNumbers, type FinalStatus } from './statuses.ts';
import { suppressionReasons } from './suppression.entity.ts';
import { suppress, type Suppressed } from './suppressions.ts';

/** A provider's report about an e-mail that it has accepted. */
export interface DeliveryReport {
  readonly deliveryId: string;
  readonly outcome: 'delivered' | 'bounced' | 'complained' | 'failed';
  /** The address that bounced or complained, as the provider spells it. */
  readonly address: string | undefined;
}

/**
 * Applies reports in order. Ignores repeated reports, and reports about unknown deliveries. Suppresses addresses that
 * bounced or complained, even if the status does not change, but once per delivery and reason. A repeated report does
 * not suppress an address that was removed from the list.
 */
export async function applyReports(
  em: EntityManager,
  keyRing: KeyRing,
  tenantId: string,
  reports: readonly DeliveryReport[],
): Promise<void> {
  const rows = await lockDeliveries(em, tenantId, [...new Set(reports.map(({ deliveryId }) => deliveryId))]);
  const changed = new Map(rows.map((row) => [row.public_id, { ...row }]));
  const suppressed: Suppressed[] = [];
  for (const { deliveryId, outcome, address } of reports) {
    const row = changed.get(deliveryId);
    if (row === undefined) continue;
    if (isMove(nameOfNumber(finalStatuses, row.status), outcome)) row.status = finalStatuses[outcome];
    if ((outcome !== 'bounced' && outcome !== 'complained') || address === undefined) continue;
    if (suppressionReasons[outcome] <= (row.suppressed ?? 0)) continue;
    row.suppressed = suppressionReasons[outcome];
    suppressed.push({ address, reason: outcome });
  }
  await updateDeliveries(
    em,
    rows.flatMap((row) => {
      const now = changed.get(row.public_id) ?? row;
      return now.status === row.status && now.suppressed === row.suppressed ? [] : [now];
    }),
  );
  await suppress(em, keyRing, tenantId, suppressed);
}

const ReportedRow = z.strictObject({
  id: z.string(),
  at: z.string(),
  public_id: z.string(),
  status: z.number(),
  /** The last of `suppressionReasons` for which a report has suppressed the address; null: none has. */
  suppressed: z.number().nullable(),
});
type ReportedRow = z.infer<typeof ReportedRow>;

/** In key order, so that concurrent reports do not deadlock. */
async function lockDeliveries(
  em: EntityManager,
  tenantId: string,
  deliveryIds: readonly string[],
): Promise<readonly ReportedRow[]> {
  return rowsOf(
    em,
    ReportedRow,
    sql`select id, at::text as at, public_id, status, suppressed from delivery_log
      where public_id = any(${deliveryIds}::text[]) and api_key_id = ${tenantId}
        and channel = ${sql.lit(channelNumbers.email)}
      order by at, id for update`,
  );
}

/** Whether a report changes a status. A complaint may arrive before the report of the delivery. */
function isMove(status: FinalStatus, outcome: DeliveryReport['outcome']): boolean {
  if (status === 'sent') return true;
  return outcome === 'complained' && (status === 'delivered' || status === 'bounced' || status === 'failed');
}

async function updateDeliveries(em: EntityManager, changed: readonly ReportedRow[]): Promise<void> {
  if (changed.length === 0) return;
  const failed = sql.lit(finalStatuses.failed);
  await sql`update delivery_log l set status = m.status, suppressed = m.suppressed,
      reason = case when m.status = ${failed} and l.status <> ${failed} then ${sql.lit(reasonNumbers.refused)} else l.reason end
    from unnest(${changed.map(({ at }) => at)}::timestamptz[], ${changed.map(({ id }) => id)}::bigint[],
      ${changed.map(({ status }) => status)}::smallint[], ${changed.map(({ suppressed }) => suppressed)}::smallint[])
      as m (at, id, status, suppressed)
    where l.at = m.at and l.id = m.id and l.at = any(${changed.map(({ at }) => at)}::timestamptz[])`.execute(
    tablesOf(em),
  );
}
