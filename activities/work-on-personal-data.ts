import { sleep } from '@temporalio/activity';
import {
  countPersonalData as count,
  removePersonalData as remove,
  type StoreProgress,
} from '../domain/deletion/process-stores.ts';
import { findDeletion, type ActiveDeletion } from '../domain/deletion/active-deletion.ts';
import type { Orm } from '../platform/database/orm.ts';
import type { DeletionStep, JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { reportProgress, turnMs } from './report-progress.ts';

/** The max rate of one deletion, so that it leaves capacity of the database to other work. */
const maxRecordsPerSecond = 1_000_000;

/**
 * Removes personal data for one turn.
 * May be repeated: the removal, its counts and its cursor are written in one transaction.
 */
export const removePersonalData = ({ orm }: Dependencies) => workForATurn(orm, remove);

/**
 * Counts for one turn what a deletion would remove.
 * May be repeated: the counts and the cursor are written in one transaction.
 */
export const countPersonalData = ({ orm }: Dependencies) => workForATurn(orm, count);

function workForATurn(
  orm: Orm,
  advance: (orm: Orm, deletion: ActiveDeletion) => AsyncGenerator<StoreProgress, boolean>,
) {
  return async ({ jobId }: JobInput): Promise<DeletionStep> => {
    const deletion = await findDeletion(orm.em.fork(), jobId);
    if (deletion === undefined) return { state: 'ended', counts: {} };
    const until = performance.now() + turnMs;
    const steps = advance(orm, deletion);
    let { counts } = deletion;
    for (let began = performance.now(); ; began = performance.now()) {
      const { done, value } = await steps.next();
      if (done === true) return { state: value ? 'finished' : 'ended', counts };
      ({ counts } = value);
      reportProgress({ store: value.store, counts });
      if (performance.now() >= until) return { state: 'more', counts };
      const waitMs = (value.records / maxRecordsPerSecond) * 1_000 - (performance.now() - began);
      if (waitMs >= 1) await sleep(waitMs);
    }
  };
}
