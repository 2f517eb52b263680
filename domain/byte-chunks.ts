/** Max bytes of stored bodies that one statement of a change reads or writes. */
const maxChunkBytes = 2_097_152;

/** Splits rows into chunks of at most 2 MiB, each with at least one row. */
export function byteChunks<Row>(rows: readonly Row[], bytesOf: (row: Row) => number): Row[][] {
  const chunks: Row[][] = [];
  let bytes = maxChunkBytes;
  for (const row of rows) {
    bytes += bytesOf(row);
    if (bytes > maxChunkBytes) {
      chunks.push([]);
      bytes = bytesOf(row);
    }
    chunks.at(-1)?.push(row);
  }
  return chunks;
}
