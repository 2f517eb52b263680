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
import { reportProgress } from './report-progress.ts';

/** Milliseconds per sweep for indexing rows of an earlier release. */
const indexingTurnMs = 5_000;

/**
 * Deletes expired rows in batches, creates the partitions of the next days, and records the due events of collaborative
 * data. May be repeated: each statement acts only on rows that are expired, missing or due.
 */
export const keepHouse =
  ({ orm }: Dependencies) =>
  async (_input: object): Promise<void> => {
    await announceChanges(orm);
    reportProgress('responses');
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
    const until = Date.now() + indexingTurnMs;
    for await (const _ of indexEarlierRows(orm)) {
      reportProgress('index');
      if (Date.now() >= until) break;
    }
  };
