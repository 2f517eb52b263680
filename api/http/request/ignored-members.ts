/** Bytes of the header. A path of `memberPath` always fits: 200 characters of at most 9 bytes each, as they are encoded. */
const longest = 2_048;

/** The paths as the value of `X-Ignored-Members`: percent-encoded, as many whole ones as fit. */
export function ignoredMembers(paths: readonly string[]): string {
  let written = '';
  for (const path of paths) {
    const next = `${written === '' ? '' : ','}${encodeURIComponent(path)}`;
    if (written.length + next.length > longest) break;
    written += next;
  }
  return written;
}
