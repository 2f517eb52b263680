import { sql, type Selectable } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf, type Tables } from '../tables.ts';

export type ProcessRow = Selectable<Tables['process']>;

/** A process that has sent no heartbeat for 1 minute has crashed or cannot reach the database. */
const aliveSince = sql<Date>`now() - interval '1 minute'`;

/** Lists the live processes in the order of their ids, after `after`. */
export const listProcesses = async (
  em: EntityManager,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<ProcessRow[]> =>
  tablesOf(em)
    .selectFrom('process')
    .selectAll()
    .where('id', '>', after)
    // Only a worker deletes the rows of processes that were killed.
    .where('heartbeat_at', '>', aliveSince)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Deletes the rows of processes that are not alive. */
export async function deleteDeadProcesses(em: EntityManager): Promise<void> {
  await tablesOf(em).deleteFrom('process').where('heartbeat_at', '<', aliveSince).execute();
}
