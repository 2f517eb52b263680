import type { ItemFailure } from './errors.ts';

export interface FailedOutcome {
  readonly success: false;
  readonly message: string;
  readonly code: ItemFailure;
}

/**
 * Outcome of one item of a batch. Items fail independently of each other. A success has all `Members`, a failure some of
 * them, and only a failure has a `code`.
 */
export type Outcome<Members extends object = object> =
  | (Readonly<Members> & { readonly success: true; readonly message: string; readonly code?: never })
  | (FailedOutcome & Readonly<Partial<Members>>);

/** Outcomes by the customer's id, in request order. */
export type Outcomes<Members extends object = object> = ReadonlyMap<string, Outcome<Members>>;

export function done(message: string): Outcome;
export function done<Members extends object>(message: string, members: Members): Outcome<Members>;
export function done(message: string, members: object = {}): Outcome {
  return { ...members, success: true, message };
}

export const failed = (code: ItemFailure, message: string): FailedOutcome => ({
  success: false,
  message,
  code,
});

/** Returns `ok` for each id that the statement wrote, else `otherwise`. */
export function outcomes<Members extends object = object>(
  ids: readonly string[],
  written: ReadonlySet<string>,
  {
    ok,
    otherwise,
  }: {
    readonly ok: (id: string) => Outcome<Members>;
    readonly otherwise: (id: string) => Outcome<Members>;
  },
): Outcomes<Members> {
  return new Map(ids.map((id) => [id, written.has(id) ? ok(id) : otherwise(id)]));
}
