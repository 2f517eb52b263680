import { sql, type RawBuilder } from 'kysely';
import { messageStatuses } from '../delivery/message.ts';

/** Max pending resends per message: the column is a smallint. */
const maxResends = 1_000;

/** SQL: queues an extra attempt; the retry schedule continues unchanged, and a delivered message counts as such after it. */
export const attemptAt = (
  nextAt: RawBuilder<unknown>,
) => sql`delivered = d.delivered or d.status = ${sql.lit(messageStatuses.succeeded)},
  status = ${sql.lit(messageStatuses.pending)}, status_reason = null,
  next_at = ${nextAt}, resends = least(d.resends + 1, ${sql.lit(maxResends)})`;
