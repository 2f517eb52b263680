import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { readInIndexOrder } from '../../platform/database/planner.ts';
import { classifyDatabaseError } from '../../platform/database/failures.ts';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { changedBy } from '../../platform/database/statements.ts';
import type { RecordKind } from '../documents/record-kind.ts';
import { addProgress } from '../jobs/job-steps.ts';
import type { Job } from '../jobs/job.entity.ts';
import { processNext, type Remaining } from '../process-next.ts';
import { tablesOf } from '../tables.ts';
import { removeSelected, type SelectedRecords } from './selected-records.ts';
import { nextDocuments, targetsOf, type CascadeRequest, type Target } from './cascade-targets.ts';
import { containerRecords } from './container-records.ts';
import { recordKinds } from './record-kinds.ts';

/**
 * Removes the targets of a job, children before parents, in short transactions. Yields the index of the target after
 * each; pass it as `from` to resume. Any index is safe, because every statement finds the rows that remain. Starts again
 * when a late child violates the foreign key of a parent.
 */
export async function* removeDescendants(orm: Orm, job: Job, from = 0): AsyncGenerator<number, void> {
  const request = job.request as CascadeRequest;
  if (request.records !== undefined)
    for await (const _ of removeSelection(orm, job, request, request.records)) yield from;
  yield* removeTargets(orm, job, targetsOf(request), from);
}

/** Removes tombstoned rows with all of their descendants. */
export async function* removeTargets(
  orm: Orm,
  job: Job,
  targets: readonly Target[],
  from = 0,
): AsyncGenerator<number, void> {
  for (let start = from; ; start = 0) {
    for (const [at, target] of targets.entries()) {
      if (at < start) continue;
      for await (const _ of removeDocuments(orm, job, target)) yield at;
      for await (const _ of removeContainerRecords(orm, job, target)) yield at;
    }
    if (yield* removeParents(orm, job, targets)) return;
  }
}

/** Stores what is left in the job, so that a later turn continues there. */
async function* removeSelection(
  orm: Orm,
  job: Job,
  request: CascadeRequest,
  records: SelectedRecords,
): AsyncGenerator<void, void> {
  for (let next: SelectedRecords | undefined = records; next !== undefined;) {
    const selected: SelectedRecords = next;
    next = await inTransaction(orm, async (em) => {
      const { count, left } = await removeSelected(em, job.apiKeyId, selected);
      if (left !== undefined && left.selection !== selected.selection)
        await addProgress(em, job, count, { ...request, records: left });
      else if (count > 0) await addProgress(em, job, count);
      return left;
    });
    yield;
  }
}

async function* removeDocuments(orm: Orm, job: Job, target: Target): AsyncGenerator<void, void> {
  for (;;) {
    const documents = await inTransaction(orm, async (em) => nextDocuments(em, job.apiKeyId, target));
    if (documents.length === 0) return;
    yield;
    yield* removeRecords(orm, job, documents);
    await removeCounted(orm, job, async (em) =>
      changedBy(em, sql`delete from document where id = any(${documents}) and api_key_id = ${job.apiKeyId}`),
    );
    yield;
  }
}

async function* removeRecords(orm: Orm, job: Job, documents: readonly string[]): AsyncGenerator<void, void> {
  let left: Remaining<RecordKind> = { kinds: recordKinds, after: null };
  while (left.kinds.length > 0) {
    const from = left;
    left = await inTransaction(orm, async (em) => {
      await readInIndexOrder(em);
      return processNext(from, 0, async (kind, after) => {
        const removed = await kind.remove(em, { tenantId: job.apiKeyId, documents, after });
        if (removed.records > 0) await addProgress(em, job, removed.records);
        return removed;
      });
    });
    yield;
  }
}

const folderColumns = { folders: 'id', organizations: 'org_id' } as const;

/** Removes the records of folders and organizations themselves. */
async function* removeContainerRecords(orm: Orm, job: Job, { of, ids }: Target): AsyncGenerator<void, void> {
  if (of === 'documents') return;
  for (const { [of]: remove } of containerRecords) {
    if (remove === undefined) continue;
    let removed: number;
    do {
      removed = await inTransaction(orm, async (em) => {
        const count = await remove(em, job.apiKeyId, ids);
        if (count > 0) await addProgress(em, job, count);
        return count;
      });
      yield;
    } while (removed > 0);
  }
}

/** Removes folders, the deepest first, then organizations. Returns false when any of them still has children. */
async function* removeParents(
  orm: Orm,
  job: Job,
  targets: readonly Target[],
): AsyncGenerator<number, boolean> {
  let removed: number | undefined;
  do {
    removed = 0;
    for (const target of targets) {
      if (target.of === 'documents') continue;
      const leaves = await removeCounted(orm, job, async (em) => removeLeaves(em, job, target));
      if (leaves === undefined) return false;
      removed += leaves;
      yield targets.length;
    }
  } while (removed > 0);
  for (const target of targets) {
    if (target.of !== 'organizations') continue;
    const gone = await removeCounted(orm, job, async (em) =>
      changedBy(
        em,
        sql`delete from organization
          where id = any(${target.ids}) and api_key_id = ${job.apiKeyId} and deleted_at is not null`,
      ),
    );
    if (gone === undefined) return false;
    yield targets.length;
  }
  return !(await rowsRemain(orm, job, targets));
}

async function removeLeaves(em: EntityManager, job: Job, { of, ids }: Target): Promise<number> {
  const column = sql.ref(`f.${folderColumns[of as keyof typeof folderColumns]}`);
  return changedBy(
    em,
    sql`with leaves as (
        select f.id from folder f where ${column} = any(${ids}) and f.api_key_id = ${job.apiKeyId}
          and (f.deleted_at is not null or exists (select from organization o where o.id = f.org_id and o.deleted_at is not null))
          and not exists (select from folder c where c.parent_id = f.id) limit 1000)
      delete from folder where id = any(array(select id from leaves))`,
  );
}

async function rowsRemain(orm: Orm, job: Job, targets: readonly Target[]): Promise<boolean> {
  const tables = { documents: 'document', folders: 'folder', organizations: 'organization' } as const;
  for (const { of, ids } of targets) {
    const { rows: left } = await sql`select from ${sql.table(tables[of])}
      where id = any(${ids}) and api_key_id = ${job.apiKeyId} and deleted_at is not null limit 1`.execute(
      tablesOf(orm.em.fork()),
    );
    if (left.length > 0) return true;
  }
  return false;
}

/** Milliseconds until rows with a late child are removed again. A child of a later release must not cause a busy loop. */
const lateChildMs = 500;

/**
 * Removes rows and adds their number to the job's progress, in one transaction. Undefined on a foreign key violation,
 * after a pause.
 */
async function removeCounted(
  orm: Orm,
  job: Job,
  remove: (em: EntityManager) => Promise<number>,
): Promise<number | undefined> {
  try {
    return await inTransaction(orm, async (em) => {
      const removed = await remove(em);
      if (removed > 0) await addProgress(em, job, removed);
      return removed;
    });
  } catch (error) {
    if (classifyDatabaseError(error) !== 'gone') throw error;
    await pause(lateChildMs);
    return undefined;
  }
}
