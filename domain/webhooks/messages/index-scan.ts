import { sql, type RawBuilder } from 'kysely';
import { readByIndex, inIndexOrder } from '../../../platform/database/planner.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { RowDeclaration } from '../../../platform/database/received-rows.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import { tablesOf } from '../../tables.ts';
import type { SortKey, Scan } from '../list-page.ts';

/** Max rows that one page examines: a filtered page may be short although more rows follow. */
export const maxScannedRows = 20_000;

/**
 * Runs a statement that scans an index. It returns the matching rows. A scan that reached its limit also returns one
 * row with `edge`: the first row not examined, or, backward, the last one examined.
 */
export async function readScan<Row extends { readonly edge: boolean }>(
  em: EntityManager,
  row: RowDeclaration<Row>,
  statement: RawBuilder<unknown>,
  keyOf: (row: Row) => SortKey,
): Promise<Scan<Row>> {
  const found = await readByIndex(em, async (reading) => rowsOf(reading, row, statement), inIndexOrder);
  const edge = found.find((one) => one.edge);
  return { rows: found.filter((one) => !one.edge), stoppedAt: edge && keyOf(edge) };
}

/** The event with a public id. `offset 0` makes PostgreSQL use the index on the id, not the one on the key. */
export const eventOf = (em: EntityManager, tenantId: string, messageId: string) =>
  tablesOf(em)
    .selectFrom((tables) =>
      tables.selectFrom('event').selectAll().where('public_id', '=', messageId).offset(sql.lit(0)).as('e'),
    )
    .select(['e.at', 'e.id'])
    .where('e.api_key_id', '=', tenantId);
