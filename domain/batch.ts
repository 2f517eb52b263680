import type { ItemFailure } from './errors.ts';

/** How one item of a batch went; items that fail do not keep the others from succeeding. `code` stands on every failure and on nothing else. */
export interface Outcome {
  readonly success: boolean;
  readonly message: string;
  readonly code?: ItemFailure;
  readonly [member: string]: unknown;
}

/** By the customer's id, in the order of the request. */
export type Outcomes = ReadonlyMap<string, Outcome>;

export const done = (message: string, members: Readonly<Record<string, unknown>> = {}): Outcome => ({
  ...members,
  success: true,
  message,
});

export const failed = (code: ItemFailure, message: string): Outcome => ({ success: false, message, code });

/** One outcome for each id, decided by whether the statement that wrote them answered it. */
export function outcomes(
  ids: readonly string[],
  written: ReadonlySet<string>,
  { ok, otherwise }: { readonly ok: (id: string) => Outcome; readonly otherwise: (id: string) => Outcome },
): Outcomes {
  return new Map(ids.map((id) => [id, written.has(id) ? ok(id) : otherwise(id)]));
}
