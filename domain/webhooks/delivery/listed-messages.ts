import { sql, type RawBuilder } from 'kysely';

/**
 * SQL: whether a delivery is in `list`, a CTE with its `event_at` and `event_id`. The plan finds the times by the index and
 * looks up each key in a hash table, whatever the statistics: `is true` prevents a join, whose plan may read the list once
 * for each message. Before PostgreSQL 17, two lists would be searched for all of their pairs.
 */
export const isListed = (list: string): RawBuilder<boolean> => {
  const listed = sql.raw(list);
  return sql`event_at = any(array(select event_at from ${listed}))
    and ((event_at, event_id) in (select event_at, event_id from ${listed})) is true`;
};
