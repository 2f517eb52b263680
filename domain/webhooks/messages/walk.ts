import { readByIndex, walkAlongIndex } from '../../../platform/database/look-ups.ts';
import { rows } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { Key, Walk } from '../stretch.ts';

/** Most rows that one page looks at: where filters leave few of them it is short, with more behind it. */
export const mostExamined = 20_000;

/**
 * Runs a statement that walks along an index. It answers the rows that fit, and, of a walk that was stopped, the row at
 * its edge (`edge`): the first that was not looked at, or, backward, the last that was.
 */
export async function readWalk<Row extends object>(
  em: EntityManager,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
  keyOf: (row: Row) => Key,
): Promise<Walk<Row>> {
  const found = await readByIndex(
    em,
    async (reading) => rows<Row & { readonly edge: boolean }>(reading, text, values),
    walkAlongIndex,
  );
  const edge = found.find((row) => row.edge);
  return { rows: found.filter((row) => !row.edge), stoppedAt: edge && keyOf(edge) };
}

/** SQL: the event with a public id. Looked up by that alone, whatever else is asked of it: a key may have any number. */
export const eventById = (parameter: string): string =>
  `(select * from event where public_id = ${parameter} offset 0)`;
