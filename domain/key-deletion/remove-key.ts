import { setTimeout as pause } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { changedBy, rowsOf } from '../../platform/database/statements.ts';
import { removeTargets } from '../cascade/remove-descendants.ts';
import { targetsOf } from '../cascade/cascade-targets.ts';
import { deletionOf } from '../delete-batch.ts';
import type { Completion } from '../deletion/journal/journal-deletion.ts';
import { addProgress } from '../jobs/job-steps.ts';
import type { Job } from '../jobs/job.entity.ts';
import { concludeKeyDeletion } from './conclude-key-deletion.ts';
import { owners, tablesByKey, type Owner } from './key-tables.ts';
import { isQuiet, rowsAreLeft, rowsByOwner } from './verify-key-deletion.ts';

/** Owners per transaction. */
const maxOwners = 200;

/** Milliseconds between two checks whether calls that began before the deletion may still write. */
const quietPollMs = 500;

/**
 * Removes every row of a deleted key in short transactions, verifies by a scan that none is left, and signs the receipt.
 * Yields after each transaction. May stop and resume at any point, because it stores no cursor.
 */
export async function* removeKey(orm: Orm, job: Job, completion: Completion): AsyncGenerator<void, void> {
  for (;;) {
    yield* removeOrganizations(orm, job);
    for (const owner of owners) yield* removeOwners(orm, job, owner);
    for (const table of tablesByKey) yield* removeRows(orm, job, table, sql`api_key_id = ${job.apiKeyId}`);
    for (const [table, condition] of Object.entries(rowsByOwner(job)))
      yield* removeRows(orm, job, table, condition);
    if (!(await isQuiet(orm.em.fork(), job))) await pause(quietPollMs);
    else if (!(await rowsAreLeft(orm.em.fork(), job))) break;
    yield;
  }
  await concludeKeyDeletion(orm, job, completion);
}

const IdRow = z.strictObject({ id: z.string() });

/** Tombstones organizations like their own deletion does, and removes them with everything below them. */
async function* removeOrganizations(orm: Orm, job: Job): AsyncGenerator<void, void> {
  for (;;) {
    const found = await inTransaction(orm, async (em) =>
      rowsOf(
        em,
        IdRow,
        sql`update organization set ext_id = null, deleted_at = coalesce(deleted_at, now())
          where id = any(array(select id from organization where api_key_id = ${job.apiKeyId} limit ${maxOwners}))
          returning id`,
      ),
    );
    if (found.length === 0) return;
    yield;
    const organizations = found.map(({ id }) => id);
    for await (const _ of removeTargets(orm, job, targetsOf({ organizations, folders: [], documents: [] })))
      yield;
  }
}

/**
 * Removes dependents until none is left, then their owners in the same transaction as the last check. Locks the owners
 * first: a call that still names one ends before, and its rows are seen.
 */
async function* removeOwners(orm: Orm, job: Job, { table, dependents }: Owner): AsyncGenerator<void, void> {
  for (let removed = 1; removed > 0;) {
    removed = await counted(orm, job, async (em) => {
      const found = await rowsOf(
        em,
        IdRow,
        sql`select id from ${sql.table(table)} where id = any(array(
            select id from ${sql.table(table)} where api_key_id = ${job.apiKeyId} and id <> ${ownId(table, job)}
            limit ${maxOwners})::bigint[])
          order by id for update`,
      );
      const ids = found.map(({ id }) => id);
      let rows = 0;
      for (const [dependent, column] of Object.entries(dependents))
        rows += await changedBy(
          em,
          deletionOf({
            table: dependent,
            where: sql`${sql.ref(column)} = any(${ids}::bigint[]) ${within(dependent, job)}`,
          }),
        );
      if (rows > 0) return rows;
      return changedBy(em, deletionOf({ table, where: sql`id = any(${ids}::bigint[])` }));
    });
    yield;
  }
}

/** SQL: `thread_audience` also holds keys of organizations, which may equal those of users of another API key. */
const within = (dependent: string, { apiKeyId }: Job): RawBuilder<unknown> =>
  dependent === 'thread_audience' ? sql`and api_key_id = ${apiKeyId}` : sql``;

/** The surrogate key of the row that stays: the job of this deletion. */
const ownId = (table: Owner['table'], { id }: Job): string => (table === 'job' ? id : '0');

async function* removeRows(
  orm: Orm,
  job: Job,
  table: string,
  where: RawBuilder<unknown>,
): AsyncGenerator<void, void> {
  const rows = deletionOf({ table, where });
  for (let removed = 1; removed > 0;) {
    removed = await counted(orm, job, async (em) => changedBy(em, rows));
    yield;
  }
}

const counted = async (orm: Orm, job: Job, remove: (em: EntityManager) => Promise<number>): Promise<number> =>
  inTransaction(orm, async (em) => {
    const removed = await remove(em);
    if (removed > 0) await addProgress(em, job, removed);
    return removed;
  });
