import { sql, type RawBuilder } from 'kysely';
import { readByIndex, walkAlongIndex } from '../../../platform/database/planner.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowsOf, type RowDeclaration } from '../../../platform/database/statements.ts';
import { tablesOf } from '../../tables.ts';
import type { Key, Walk } from '../stretch.ts';

/** Most rows that one page looks at: where filters leave few of them it is short, with more behind it. */
export const maxExamined = 20_000;

/**
 * Runs a statement that walks along an index. It answers the rows that fit, and, of a walk that was stopped, the row at
 * its edge (`edge`): the first that was not looked at, or, backward, the last that was.
 */
export async function readWalk<Row extends { readonly edge: boolean }>(
  em: EntityManager,
  row: RowDeclaration<Row>,
  statement: RawBuilder<unknown>,
  keyOf: (row: Row) => Key,
): Promise<Walk<Row>> {
  const found = await readByIndex(em, async (reading) => rowsOf(reading, row, statement), walkAlongIndex);
  const edge = found.find((one) => one.edge);
  return { rows: found.filter((one) => !one.edge), stoppedAt: edge && keyOf(edge) };
}

/** The event with a public id. Looked up by that alone, whatever else is asked of it: a key may have any number. */
export const eventOf = (em: EntityManager, tenantId: string, messageId: string) =>
  tablesOf(em)
    .selectFrom((tables) =>
      tables.selectFrom('event').selectAll().where('public_id', '=', messageId).offset(sql.lit(0)).as('e'),
    )
    .select(['e.at', 'e.id'])
    .where('e.api_key_id', '=', tenantId);
