/** Reads the value of a `datetime-local` field, which is in the reader’s zone; undefined for none. In milliseconds. */
export function timeOf(text: string | undefined): number | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** The value of a `datetime-local` field at a time in milliseconds. */
export function localTime(at: number | undefined): string | undefined {
  if (at === undefined) return undefined;
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return Number.isNaN(local.getTime()) ? undefined : local.toISOString().slice(0, 16);
}
