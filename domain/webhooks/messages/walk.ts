import type { Key, Walk } from '../stretch.ts';

/** Most rows that one page looks at: where filters leave few of them it is short, with more behind it. */
export const mostExamined = 20_000;

/**
 * The rows that fit, and, of a walk that was stopped, the row at its edge (`edge`): the first that was not looked at,
 * or, backward, the last that was.
 */
export function walkOf<Row extends { readonly edge: boolean }>(
  found: readonly Row[],
  keyOf: (row: Row) => Key,
): Walk<Row> {
  const edge = found.find((row) => row.edge);
  return { rows: found.filter((row) => !row.edge), stoppedAt: edge && keyOf(edge) };
}
