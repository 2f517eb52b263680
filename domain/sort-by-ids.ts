/** Returns the rows found, in the order of the requested ids. */
export function sortByIds<Row>(
  found: readonly Row[],
  requestedIds: readonly string[],
  idOf: (row: Row) => string,
): Row[] {
  const byId = new Map(found.map((row) => [idOf(row), row]));
  return requestedIds.map((id) => byId.get(id)).filter((row) => row !== undefined);
}
