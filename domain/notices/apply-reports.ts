import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf, rowsOf } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { nameOfNumber } from '../name-of-number.ts';
import { tablesOf } from '../tables.ts';
import { channelNumbers } from './channels.ts';
import { finalStatuses, reasonNumbers, type FinalStatus } from './statuses.ts';
import { suppress } from './suppressions.ts';

/** What a provider reports about an e-mail after it has accepted it. */
export interface DeliveryReport {
  readonly deliveryId: string;
  readonly outcome: 'delivered' | 'bounced' | 'complained' | 'failed';
  /** The address that bounced or complained, as the provider writes it. */
  readonly address: string | undefined;
}

/** Returns whether one of these deliveries is being sent: its outcome is recorded within a second. */
export async function someBeingSent(
  em: EntityManager,
  tenantId: string,
  deliveryIds: readonly string[],
): Promise<boolean> {
  const found = await tablesOf(em)
    .selectFrom('outgoing')
    .select('id')
    .where('public_id', '=', anyOf(deliveryIds))
    .where('api_key_id', '=', tenantId)
    .where('claimed_until', '>', sql<Date>`now()`)
    .limit(sql.lit(1))
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Applies reports in order. A repeated report changes nothing, nor does one about a delivery that is unknown or of another
 * key. Addresses that bounced or complained are suppressed, also when the status does not move.
 */
export async function applyReports(
  em: EntityManager,
  keyRing: KeyRing,
  tenantId: string,
  reports: readonly DeliveryReport[],
): Promise<void> {
  const rows = await lockDeliveries(em, tenantId, [...new Set(reports.map(({ deliveryId }) => deliveryId))]);
  const statuses = new Map(rows.map((row) => [row.public_id, nameOfNumber(finalStatuses, row.status)]));
  const known = reports.filter(({ deliveryId }) => statuses.has(deliveryId));
  for (const { deliveryId, outcome } of known)
    if (isMove(statuses.get(deliveryId), outcome)) statuses.set(deliveryId, outcome);
  const moved = rows.flatMap((row) => {
    const status = finalStatuses[statuses.get(row.public_id) ?? 'sent'];
    return status === row.status ? [] : [{ ...row, status }];
  });
  await moveStatuses(em, moved);
  await suppress(em, keyRing, tenantId, known.flatMap(suppressionOf));
}

const ReportedRow = z.strictObject({
  id: z.string(),
  at: z.string(),
  public_id: z.string(),
  status: z.number(),
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
    sql`select id, at::text as at, public_id, status from delivery_log
      where public_id = any(${deliveryIds}::text[]) and api_key_id = ${tenantId}
        and channel = ${sql.lit(channelNumbers.email)}
      order by at, id for update`,
  );
}

/** The statuses that a report moves. A complaint may arrive before the report of the delivery. */
function isMove(status: FinalStatus | undefined, outcome: DeliveryReport['outcome']): boolean {
  if (status === 'sent') return true;
  return outcome === 'complained' && (status === 'delivered' || status === 'bounced' || status === 'failed');
}

async function moveStatuses(em: EntityManager, moved: readonly ReportedRow[]): Promise<void> {
  if (moved.length === 0) return;
  await sql`update delivery_log l set status = m.status,
      reason = case when m.status = ${sql.lit(finalStatuses.failed)} then ${sql.lit(reasonNumbers.refused)} else l.reason end
    from unnest(${moved.map(({ at }) => at)}::timestamptz[], ${moved.map(({ id }) => id)}::bigint[],
      ${moved.map(({ status }) => status)}::smallint[]) as m (at, id, status)
    where l.at = m.at and l.id = m.id and l.at = any(${moved.map(({ at }) => at)}::timestamptz[])`.execute(
    tablesOf(em),
  );
}

const suppressionOf = ({ outcome, address }: DeliveryReport) =>
  (outcome === 'bounced' || outcome === 'complained') && address !== undefined
    ? [{ address, reason: outcome }]
    : [];
