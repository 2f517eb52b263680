import { sleep } from '@temporalio/activity';
import {
  countPersonalData as count,
  removePersonalData as remove,
  type Progress,
} from '../domain/deletion/work-at-places.ts';
import { findDeletion, type WorkedDeletion } from '../domain/deletion/work-deletion.ts';
import type { Orm } from '../platform/database/orm.ts';
import type { DeletionStep, JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { reportProgress } from './work-in-steps.ts';

/** Milliseconds that one call works before it makes room for other jobs. */
const turn = 5_000;

/** What one deletion takes at most of a database that others work with, however fast that is. */
const maxRecordsPerSecond = 1_000_000;

/**
 * Removes personal data for a turn.
 * May be repeated: how far it came, and what it counted, is written with what it did.
 */
export const removePersonalData = ({ orm }: Dependencies) => workForATurn(orm, remove);

/**
 * Counts for a turn what a deletion would remove.
 * May be repeated: how far it came is written with what it counted.
 */
export const countPersonalData = ({ orm }: Dependencies) => workForATurn(orm, count);

function workForATurn(
  orm: Orm,
  walk: (orm: Orm, deletion: WorkedDeletion) => AsyncGenerator<Progress, boolean>,
) {
  return async ({ jobId }: JobInput): Promise<DeletionStep> => {
    const deletion = await findDeletion(orm.em.fork(), jobId);
    if (deletion === undefined) return { state: 'ended', counts: {} };
    const until = Date.now() + turn;
    const steps = walk(orm, deletion);
    let counts: DeletionStep['counts'] = {};
    for (let began = Date.now(); ; began = Date.now()) {
      const { done, value } = await steps.next();
      if (done === true) return { state: value ? 'finished' : 'ended', counts };
      ({ counts } = value);
      reportProgress({ place: value.place, counts });
      if (Date.now() >= until) return { state: 'more', counts };
      const owed = (value.records / maxRecordsPerSecond) * 1_000 - (Date.now() - began);
      if (owed >= 1) await sleep(owed);
    }
  };
}
