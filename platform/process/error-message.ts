/**
 * The message of a thrown value, which need not be an error. The error of an attempt to connect to several addresses has no
 * message of its own: it has those of the attempts.
 */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, errors = [] }: Error & { readonly errors?: readonly unknown[] } = error;
  return message === '' ? errors.map(errorMessage).join(', ') : message;
}
