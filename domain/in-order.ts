/** The rows that were found, in the order in which their ids were asked for. */
export function inOrder<Row>(
  found: readonly Row[],
  asked: readonly string[],
  idOf: (row: Row) => string,
): Row[] {
  const byId = new Map(found.map((row) => [idOf(row), row]));
  return asked.map((id) => byId.get(id)).filter((row) => row !== undefined);
}
