/** Max bytes of the header. A path of `memberPath` always fits: 200 characters of at most 9 encoded bytes each. */
const maxHeaderBytes = 2_048;

/** Writes the value of `X-Ignored-Members`: as many percent-encoded paths as fit. */
export function ignoredMembers(paths: readonly string[]): string {
  let written = '';
  for (const path of paths) {
    const next = `${written === '' ? '' : ','}${encodeURIComponent(path)}`;
    if (written.length + next.length > maxHeaderBytes) break;
    written += next;
  }
  return written;
}
