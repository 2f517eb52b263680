import { indexEarlierRows } from '../domain/deletion/upgrade/index-earlier-rows.ts';
import { announceChanges } from '../domain/crdt/announce-changes.ts';
import {
  clearEndedJobs,
  clearExpiredReceipts,
  clearExpiredTokens,
  clearIdempotentResponses,
} from '../domain/maintenance/clear-expired.ts';
import { deleteExpiredResponses, deleteExpiredGrants } from '../domain/permissions/delete-expired-access.ts';
import { deleteExpiredStagedRequests } from '../domain/rewriter/staged-requests.ts';
import { clearDeletedEndpoints } from '../domain/webhooks/endpoints/clear-deleted-endpoints.ts';
import { keepDayPartitions } from '../domain/maintenance/day-partitions.ts';
import type { Dependencies } from './dependencies.ts';
import { reportProgress } from './work-in-steps.ts';

/** Milliseconds of each turn in which rows of an earlier release are indexed. */
const indexingTurn = 5_000;

/**
 * Clears away what has had its time, a little each turn, makes the partitions of the coming days, and the events of
 * collaborative data that was written. May be repeated: it removes what is too old, makes what is not there, and takes
 * what an event is made of away with it.
 */
export const keepHouse =
  ({ orm }: Dependencies) =>
  async (_input: object): Promise<void> => {
    await announceChanges(orm);
    reportProgress('answers');
    await clearIdempotentResponses(orm.em.fork());
    await deleteExpiredStagedRequests(orm.em.fork());
    reportProgress('jobs');
    await clearEndedJobs(orm.em.fork());
    await clearExpiredReceipts(orm.em.fork());
    reportProgress('access');
    await deleteExpiredResponses(orm.em.fork());
    await deleteExpiredGrants(orm.em.fork());
    await clearExpiredTokens(orm.em.fork());
    reportProgress('endpoints');
    await clearDeletedEndpoints(orm);
    reportProgress('partitions');
    await keepDayPartitions(orm, Date.now());
    const until = Date.now() + indexingTurn;
    for await (const _ of indexEarlierRows(orm)) {
      reportProgress('index');
      if (Date.now() >= until) break;
    }
  };
