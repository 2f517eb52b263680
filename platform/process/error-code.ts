/** The code of a thrown value, such as an SQLSTATE or a system's `ENOENT`; an empty text for values without one. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
