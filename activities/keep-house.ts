import { indexEarlierRows } from '../domain/deletion/upgrade/index-earlier-rows.ts';
import { recordDueEvents } from '../domain/crdt/record-due-events.ts';
import {
  deleteEmptiedKeys,
  deleteEndedJobs,
  deleteEndedPauses,
  deleteEndedOperatorTokens,
  deleteExpiredKeyDeletions,
  deleteExpiredReceipts,
  deleteExpiredTokens,
  deleteExpiredIdempotencyResponses,
  deleteExpiredPoisonEvents,
} from '../domain/maintenance/delete-expired.ts';
import { deleteExpiredResponses, deleteExpiredGrants } from '../domain/permissions/delete-expired-access.ts';
import { deleteExpiredStagedRequests } from '../domain/rewriter/staged-requests.ts';
import { deleteDeadProcesses } from '../domain/processes/list-processes.ts';
import { purgeDeletedEndpoints } from '../domain/webhooks/endpoints/purge-deleted-endpoints.ts';
import { maintainAuditPartitions } from '../domain/maintenance/audit-partitions.ts';
import { maintainDayPartitions } from '../domain/maintenance/day-partitions.ts';
import { recordSweepStep } from '../domain/maintenance/sweep-steps.ts';
import { rollUpUsage } from '../domain/usage/roll-up-usage.ts';
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
    await recordDueEvents(orm);
    await deleteDeadProcesses(orm.em.fork());
    reportProgress('responses');
    await deleteExpiredIdempotencyResponses(orm.em.fork());
    await deleteExpiredStagedRequests(orm.em.fork());
    reportProgress('jobs');
    await deleteEndedJobs(orm.em.fork());
    await deleteExpiredReceipts(orm.em.fork());
    await deleteExpiredKeyDeletions(orm.em.fork());
    await deleteEmptiedKeys(orm.em.fork());
    reportProgress('access');
    await deleteExpiredResponses(orm.em.fork());
    await deleteExpiredGrants(orm.em.fork());
    await deleteExpiredTokens(orm.em.fork());
    await deleteEndedOperatorTokens(orm.em.fork());
    reportProgress('endpoints');
    await purgeDeletedEndpoints(orm);
    await deleteEndedPauses(orm.em.fork());
    await deleteExpiredPoisonEvents(orm.em.fork());
    reportProgress('partitions');
    await maintainDayPartitions(orm, Date.now());
    await maintainAuditPartitions(orm);
    reportProgress('usage');
    await rollUpUsage(orm.em.fork(), Date.now());
    const until = Date.now() + indexingTurnMs;
    for await (const _ of indexEarlierRows(orm)) {
      reportProgress('index');
      if (Date.now() >= until) break;
    }
    await recordSweepStep(orm.em.fork(), 'keep_house');
  };
