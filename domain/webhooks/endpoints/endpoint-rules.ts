import { sql, type RawBuilder } from 'kysely';

/*
 * SQL: the columns that a change of an endpoint sets besides its own members. Rules are columns and no methods of an entity:
 * MikroORM would write URLs into the texts of statements, and prepare none.
 */

/** Strictly greater than the previous `updated_at`, even within one millisecond. */
export const updatedNow = sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`;

interface Switch {
  /** Whether the change disables the endpoint; null keeps its state. */
  readonly disables: RawBuilder<boolean | null>;
  /** Whether the change gives it another URL. */
  readonly moves: RawBuilder<boolean>;
}

/**
 * Enabling clears the reason and `failing_since`; disabling a disabled endpoint keeps its reason. Either ends a recovery.
 * Failures of a former URL do not count towards the five days, and its success ends no outage of the new one.
 */
export function switched({ disables, moves }: Switch) {
  const recovers = sql`not ${moves} and (${disables} is null or not ${disables} and disabled_at is null)`;
  return {
    disabled_at: sql<Date | null>`case when ${disables} is null then disabled_at when ${disables} then coalesce(disabled_at, now()) end`,
    disabled_reason: sql<string | null>`case when ${disables} is not false then disabled_reason end`,
    failing_since: sql<Date | null>`case when not ${moves} and ${disables} is not false then failing_since end`,
    recovered_until: sql<Date | null>`case when ${recovers} then recovered_until end`,
    recovery_spares: sql<boolean | null>`case when ${recovers} then recovery_spares end`,
    updated_at: updatedNow,
  };
}

/** Disables an enabled endpoint for a reason of Steward's own. */
export const disabledFor = (reason: string) => ({
  ...switched({ disables: sql`true`, moves: sql`false` }),
  disabled_reason: reason,
});

/** Hides an endpoint and deletes its secrets. */
export const removed = { deleted_at: sql<Date>`now()`, secret_enc: null, old_secret_enc: null };
