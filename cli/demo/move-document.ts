import { setTimeout as pause } from 'node:timers/promises';
import type { DocumentsGetMigrationStatusResponse } from '../../packages/client/source/steward.ts';
import { count, duration } from './narrator.ts';
import { maxWaitMs, proven } from './proven.ts';
import type { DocumentLocation, Stage } from './stage.ts';
import { startWriters, type Writers } from './writers.ts';

/** A migrated document, and its acknowledged activity logs. */
export interface MovedDocument {
  readonly from: DocumentLocation;
  readonly to: DocumentLocation;
  readonly migrationId: string;
  readonly acknowledged: readonly string[];
  /** Those written during the migration. */
  readonly edits: readonly string[];
}

type MigrationStatus = DocumentsGetMigrationStatusResponse['data'];

const howManyWriters = 4;
/** Writes before the migration is requested, and after it. */
const writesAround = 100;

/** Migrates the document to a new id while writers keep writing to it. */
export async function moveDocument(
  stage: Stage,
  from: DocumentLocation,
  written: readonly string[],
): Promise<MovedDocument> {
  const { steward, narrator } = stage;
  const to = { ...from, documentId: 'contract-7' };
  narrator.act(`Migrate the document from ${from.documentId} to ${to.documentId} while writers write to it`);
  const writers = startWriters(steward, from, howManyWriters);
  try {
    await narrator.timed(
      () => writers.reached(writesAround, from.documentId),
      () => `${String(howManyWriters)} writers add activity logs one by one`,
    );
    const migrationId = await requestMigration(stage, from, to);
    await narrator.timed(
      () => migrationEnded(stage, from, migrationId),
      ({ acceptedAt, startedAt, completedAt }) =>
        `accepted, started after ${duration((startedAt ?? acceptedAt) - acceptedAt)}, completed after ${duration((completedAt ?? acceptedAt) - acceptedAt)}, verified`,
    );
    await writers.reached(writesAround, to.documentId);
    await writers.stop();
    showWrites(stage, writers, from, to);
    const edits = [...writers.acknowledged];
    return { from, to, migrationId, acknowledged: [...written, ...edits], edits };
  } finally {
    await writers.stop().catch(() => undefined);
  }
}

async function requestMigration(
  { steward, narrator }: Stage,
  from: DocumentLocation,
  { documentId: newDocumentId }: DocumentLocation,
): Promise<string> {
  const { data } = await narrator.timed(
    () => steward.documents.migrate({ ...from, newDocumentId }),
    ({ data: { migrationId } }) => `Requested the migration: ${migrationId}`,
  );
  const { migrationId } = data;
  const job = await steward.jobs.get({ jobId: migrationId });
  if (job.data.workflowUrl !== null) narrator.say(`Watch it in the Temporal UI: ${job.data.workflowUrl}`);
  return migrationId;
}

async function migrationEnded(
  { steward, signal }: Stage,
  { organizationId }: DocumentLocation,
  migrationId: string,
): Promise<MigrationStatus> {
  const until = Date.now() + maxWaitMs;
  for (;;) {
    const { data } = await steward.documents.getMigrationStatus({ organizationId, migrationId });
    proven(data.status !== 'failed', `The migration failed: ${String(data.error)}.`);
    proven(data.verified !== false, 'The migration could not be verified: see the worker log.');
    if (data.status === 'completed' && data.verified === true) return data;
    proven(Date.now() < until, `The migration is still ${data.status} after ten minutes.`);
    await pause(20, undefined, { signal });
  }
}

function showWrites(
  { narrator }: Stage,
  writers: Writers,
  from: DocumentLocation,
  to: DocumentLocation,
): void {
  const [before, after] = [writers.under(from.documentId), writers.under(to.documentId)];
  narrator.say(
    `Written during the migration: ${count(before)} activity logs under the old id, ${count(after)} under the new id`,
  );
  narrator.say(
    `${String(writers.redirected())} writes got NOT_FOUND with the new id (details.movedTo) and continued there`,
  );
  narrator.say(`The slowest write took ${duration(writers.slowest())}`);
}
