import { cancellationSignal } from '@temporalio/activity';
import { databaseTime } from '../domain/database-time.ts';
import { indexEarlierRows } from '../domain/deletion/upgrade/index-earlier-rows.ts';
import {
  deleteEmptiedKeys,
  deleteEndedJobs,
  deleteEndedPauses,
  deleteEndedOperatorTokens,
  deleteExpiredKeyDeletions,
  deleteExpiredReceipts,
  deleteExpiredSessions,
  deleteExpiredTokens,
  deleteExpiredIdempotencyResponses,
  deleteExpiredPoisonEvents,
} from '../domain/maintenance/delete-expired.ts';
import { deleteInRounds, type DeleteExpired } from '../domain/maintenance/delete-in-rounds.ts';
import { deleteExpiredResponses, deleteExpiredGrants } from '../domain/permissions/delete-expired-access.ts';
import { deleteExpiredStagedRequests } from '../domain/rewriter/staged-requests.ts';
import { deleteEndedFailures } from '../domain/credentials/count-failures.ts';
import { deleteOrphanedCalls } from '../domain/limits/limited-calls.ts';
import { deleteDeadProcesses } from '../domain/processes/list-processes.ts';
import { purgeDeletedEndpoints } from '../domain/webhooks/endpoints/purge-deleted-endpoints.ts';
import { maintainAuditPartitions } from '../domain/maintenance/audit-partitions.ts';
import { maintainDayPartitions } from '../domain/maintenance/day-partitions.ts';
import { emptyRotatingPartitions } from '../domain/maintenance/rotating-partitions.ts';
import { recordRotation, recordSweepStep } from '../domain/maintenance/sweep-steps.ts';
import { deleteExpiredDays, rollUpHours } from '../domain/usage/roll-up-usage.ts';
import { throwFailures } from '../platform/process/throw-failures.ts';
import type { Dependencies } from './dependencies.ts';
import { noticeRestore } from './notice-restore.ts';
import { inOneTurn, reportProgress } from './report-progress.ts';

/** Milliseconds per sweep for indexing rows of an earlier release. */
const indexingMs = 5_000;

/** Milliseconds per sweep for tables with more expired rows than one batch. */
const deletingMs = 10_000;

/** Expired rows outside partitions. `now`: the database's time in milliseconds. */
const deletionsOf = ({ webhookRetentionDays }: Dependencies, now: number): readonly DeleteExpired[] => [
  deleteExpiredIdempotencyResponses,
  deleteExpiredStagedRequests,
  deleteEndedJobs,
  deleteExpiredReceipts,
  deleteExpiredKeyDeletions,
  deleteEmptiedKeys,
  deleteExpiredResponses,
  deleteExpiredGrants,
  deleteExpiredTokens,
  deleteEndedOperatorTokens,
  deleteExpiredSessions,
  deleteEndedPauses,
  deleteExpiredPoisonEvents(webhookRetentionDays),
  async (em) => rollUpHours(em, now),
  async (em) => deleteExpiredDays(em, now),
];

/**
 * Deletes expired rows in batches, and creates the partitions of the next days. Detects that the database was restored
 * while workers run. A step that fails does not stop the others; the failures are thrown at the end. May be repeated:
 * each statement acts only on rows that are expired or missing.
 */
export const keepHouse =
  (dependencies: Dependencies) =>
  async (_input: object): Promise<void> => {
    const { orm, webhookRetentionDays } = dependencies;
    const failures: unknown[] = [];
    const attempt = async <Result>(step: string, act: () => Promise<Result>): Promise<Result | undefined> => {
      reportProgress(step);
      try {
        return await act();
      } catch (error) {
        cancellationSignal().throwIfAborted();
        failures.push(error);
        return undefined;
      }
    };
    await attempt('restore', async () => noticeRestore(dependencies));
    await attempt('processes', async () => deleteDeadProcesses(orm.em.fork()));
    await attempt('calls', async () => deleteOrphanedCalls(orm.em.fork()));
    await attempt('failures', async () => deleteEndedFailures(orm.em.fork()));
    const rotated = [
      await attempt('days', async () =>
        maintainDayPartitions(orm, await databaseTime(orm), webhookRetentionDays),
      ),
      await attempt('audit', async () => maintainAuditPartitions(orm)),
      await attempt('rotating', async () => emptyRotatingPartitions(orm)),
    ];
    await attempt('endpoints', async () =>
      inOneTurn(purgeDeletedEndpoints(orm), { limitMs: deletingMs, detailsOf: () => 'endpoints' }),
    );
    await attempt('expired', async () => {
      const deletions = deletionsOf(dependencies, await databaseTime(orm));
      const untilMs = performance.now() + deletingMs;
      for await (const _ of deleteInRounds(orm, deletions, untilMs)) reportProgress('expired');
    });
    await attempt('index', async () =>
      inOneTurn(indexEarlierRows(orm), { limitMs: indexingMs, detailsOf: () => 'index' }),
    );
    if (failures.length === 0) await recordSweepStep(orm.em.fork(), 'keep_house');
    if (rotated.every((done) => done === true))
      await attempt('rotated', async () => recordRotation(orm.em.fork()));
    throwFailures(failures);
  };
