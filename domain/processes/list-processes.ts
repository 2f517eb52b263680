import { sql, type Selectable } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf, type Tables } from '../tables.ts';

export type ProcessRow = Selectable<Tables['process']>;

/** Lists processes in the order of their ids, after `after`. */
export const listProcesses = async (
  em: EntityManager,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<ProcessRow[]> =>
  tablesOf(em).selectFrom('process').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute();

/** Deletes the rows of processes without a heartbeat for 1 minute: they have crashed or cannot reach the database. */
export async function deleteDeadProcesses(em: EntityManager): Promise<void> {
  await tablesOf(em)
    .deleteFrom('process')
    .where('heartbeat_at', '<', sql<Date>`now() - interval '1 minute'`)
    .execute();
}
