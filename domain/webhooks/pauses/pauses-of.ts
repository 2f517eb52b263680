import { sql } from 'kysely';
import { isActiveKey } from '../../workspaces/key-activity.ts';

/** SQL: the rows of pauses of the endpoint `w`: its own, its key's and the one of every key. */
const pausesOfEndpoint = sql`webhook_pause p where p.api_key_id in (0, w.api_key_id) and p.endpoint_id in (0, w.id)`;

/** SQL: whether deliveries of the endpoint `w` wait, because they are paused or the key is disabled. */
export const isPaused = sql<boolean>`(exists (select from ${pausesOfEndpoint} and p.resumed_at is null)
  or not ${isActiveKey(sql`w.api_key_id`)})`;

/** SQL: the interval since the last pause of the endpoint `w` ended; null without one. */
export const sinceResumed = sql`(select min(now() - p.resumed_at) from ${pausesOfEndpoint})`;
