import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { changedBy } from '../../platform/database/statements.ts';
import { tablesOf } from '../tables.ts';

/** Identifies a lease and the process that wants it. */
export interface LeaseRequest {
  readonly name: string;
  /** Random id of the process. */
  readonly holder: string;
}

/** Acquires or renews a lease, by PostgreSQL's clock. Returns false while another process holds it. */
export async function takeLease(
  em: EntityManager,
  { name, holder }: LeaseRequest,
  milliseconds: number,
): Promise<boolean> {
  const taken = await changedBy(
    em,
    sql`insert into lease (name, holder, expires_at)
      values (${name}, ${holder}, clock_timestamp() + ${milliseconds} * interval '1 millisecond')
      on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
      where lease.holder = excluded.holder or lease.expires_at < clock_timestamp()`,
  );
  return taken === 1;
}

/** Releases a lease early, so that another process need not wait for its end. */
export async function returnLease(em: EntityManager, { name, holder }: LeaseRequest): Promise<void> {
  await tablesOf(em)
    .deleteFrom('lease')
    .where((row) => row.and({ name, holder }))
    .execute();
}
