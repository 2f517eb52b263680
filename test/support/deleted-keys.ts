import { longestCallSeconds } from '../../domain/key-deletion/verify-key-deletion.ts';
import type { TestDatabase } from './database.ts';

/** Skips the time in which calls that began before the deletion of a key may still write. */
export async function endCallsOfDeletedKeys({ sql }: Pick<TestDatabase, 'sql'>): Promise<void> {
  await sql(
    `update key_deletion set requested_at = requested_at - $1 * interval '1 second' where verified_at is null`,
    [longestCallSeconds + 1],
  );
}
