import type { ItemFailure } from './errors.ts';

/** Outcome of one item of a batch. Items fail independently of each other. Only failures have a `code`. */
export interface Outcome {
  readonly success: boolean;
  readonly message: string;
  readonly code?: ItemFailure;
  readonly [member: string]: unknown;
}

/** Outcomes by the customer's id, in request order. */
export type Outcomes = ReadonlyMap<string, Outcome>;

export const done = (message: string, members: Readonly<Record<string, unknown>> = {}): Outcome => ({
  ...members,
  success: true,
  message,
});

export const failed = (code: ItemFailure, message: string): Outcome => ({ success: false, message, code });

/** Returns `ok` for each id that the statement wrote, else `otherwise`. */
export function outcomes(
  ids: readonly string[],
  written: ReadonlySet<string>,
  { ok, otherwise }: { readonly ok: (id: string) => Outcome; readonly otherwise: (id: string) => Outcome },
): Outcomes {
  return new Map(ids.map((id) => [id, written.has(id) ? ok(id) : otherwise(id)]));
}
