import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ResultOf } from '../../client/create-client.ts';
import { count, duration } from './narrator.ts';
import { proven } from './proven.ts';
import type { DocumentLocation, Stage } from './stage.ts';
import { startWriters, type Writers } from './writers.ts';

/** A document that has another id now, and every activity of it that was ever acknowledged. */
export interface MovedDocument {
  readonly from: DocumentLocation;
  readonly to: DocumentLocation;
  readonly migrationId: string;
  readonly acknowledged: readonly string[];
  /** Of them those that were written meanwhile. */
  readonly edits: readonly string[];
}

const statusPath = '/v2/organizations/documents/migrate/status';

type MigrationStatus = ResultOf<typeof statusPath>['data'];

const howManyWriters = 4;
/** Activities before the move is asked for, and after it. */
const writesAround = 100;

/** Moves the document to a new id while several writers go on writing to it. */
export async function moveDocument(
  stage: Stage,
  from: DocumentLocation,
  written: readonly string[],
): Promise<MovedDocument> {
  const { steward, narrator } = stage;
  const to = { ...from, documentId: 'contract-7' };
  narrator.act(`The document moves from ${from.documentId} to ${to.documentId} while it is written to`);
  const writers = startWriters(steward, from, howManyWriters);
  try {
    await narrator.timed(
      () => writers.reached(writesAround, from.documentId),
      () => `${String(howManyWriters)} writers write one activity after another`,
    );
    const migrationId = await askForMove(stage, from, to);
    await narrator.timed(
      () => migrationEnded(stage, from, migrationId),
      ({ acceptedAt, startedAt, completedAt }) =>
        `accepted, taken up after ${duration((startedAt ?? acceptedAt) - acceptedAt)}, completed after ${duration((completedAt ?? acceptedAt) - acceptedAt)}, verified`,
    );
    await writers.reached(writesAround, to.documentId);
    await writers.stop();
    tellOf(stage, writers, from, to);
    const edits = [...writers.acknowledged];
    return { from, to, migrationId, acknowledged: [...written, ...edits], edits };
  } finally {
    await writers.stop().catch(() => undefined);
  }
}

async function askForMove(
  { steward, narrator }: Stage,
  from: DocumentLocation,
  { documentId: newDocumentId }: DocumentLocation,
): Promise<string> {
  const { data } = await narrator.timed(
    () =>
      steward.call(
        '/v2/organizations/documents/migrate',
        { ...from, newDocumentId },
        { idempotencyKey: randomUUID() },
      ),
    ({ data: { migrationId } }) => `Asked for the move: ${migrationId}`,
  );
  const { migrationId } = data;
  const job = await steward.call('/v2/jobs/get', { jobId: migrationId }, { retry: true });
  if (job.data.workflowUrl !== null) narrator.say(`Watch it in the Temporal UI: ${job.data.workflowUrl}`);
  return migrationId;
}

async function migrationEnded(
  { steward, signal }: Stage,
  { organizationId }: DocumentLocation,
  migrationId: string,
): Promise<MigrationStatus> {
  const until = Date.now() + 60_000;
  for (;;) {
    const { data } = await steward.call(statusPath, { organizationId, migrationId }, { retry: true });
    proven(data.status !== 'failed', `The migration failed: ${String(data.error)}.`);
    proven(data.verified !== false, 'The move could not be verified: see the log of the worker.');
    if (data.status === 'completed' && data.verified === true) return data;
    proven(Date.now() < until, `The migration is still ${data.status} after a minute.`);
    await pause(20, undefined, { signal });
  }
}

function tellOf({ narrator }: Stage, writers: Writers, from: DocumentLocation, to: DocumentLocation): void {
  const [before, after] = [writers.under(from.documentId), writers.under(to.documentId)];
  narrator.say(
    `Written meanwhile: ${count(before)} activities under the old id, ${count(after)} under the new one`,
  );
  narrator.say(
    `${String(writers.redirected())} writes found the old id gone, were told the new one (details.movedTo) and went on there`,
  );
  narrator.say(`The slowest write took ${duration(writers.slowest())}`);
}
