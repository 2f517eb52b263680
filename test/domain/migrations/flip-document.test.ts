import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { entities } from '../../../domain/entities.ts';
import { lockDocument } from '../../../domain/documents/resolve-document.ts';
import { beginJob } from '../../../domain/jobs/job-steps.ts';
import { flipDocument } from '../../../domain/migrations/flip-document.ts';
import {
  findMigration,
  storeCounts,
  type ActiveMigration,
} from '../../../domain/migrations/active-migration.ts';
import { tablesOf } from '../../../domain/tables.ts';
import { classifyDatabaseError } from '../../../platform/database/failures.ts';
import { openDatabase, type Database } from '../../../platform/database/open-database.ts';
import type { Orm } from '../../../platform/database/orm.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aDocument, aTenant, freshId, type TestDocument, type TestTenant } from '../../support/factories.ts';
import { transacted } from '../../support/in-transaction.ts';
import { statementsOf } from '../../support/statements.ts';
import { statementNames } from '../../support/pooler.ts';

let api: TestApi;
let tenant: TestTenant;
let opened: Database;
let orm: Orm;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
  opened = openDatabase({
    url: api.database.url,
    poolSize: 25,
    // As in a worker.
    statementTimeoutMs: 60_000,
    plansOnce: false,
    statementNames,
    entities,
  });
  orm = opened.orm;
});
afterAll(async () => {
  await opened.close();
  await api.close();
});

/** A migration in progress. */
async function begun(document: TestDocument) {
  const { data } = await tenant.ok<{ migrationId: string }>('/v2/organizations/documents/migrate', {
    ...document,
    newDocumentId: freshId('moved'),
  });
  const migration = await findMigration(orm.em.fork(), data.migrationId);
  if (migration === undefined) throw new Error('missing migration of the accepted job');
  await beginJob(orm, data.migrationId);
  return migration;
}

/** Repeats the change of the id like its activity: on a slow machine, it may not get its locks within 3 s. */
async function flipped(migration: ActiveMigration): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await flipDocument(orm, migration);
    } catch (error) {
      const passes = ['timeout', 'unavailable'].includes(classifyDatabaseError(error));
      if (!passes || attempt === 10) throw error;
    }
  }
}

const organizationOf = async ({ organizationId }: TestDocument): Promise<{ id: string }> =>
  tablesOf(orm.em.fork())
    .selectFrom('organization')
    .select('id')
    .where('ext_id', '=', organizationId)
    .executeTakeFirstOrThrow();

describe('giving a document its new id', () => {
  it('keeps the counts of before, when a late attempt stores others', async () => {
    const migration = await begun(await aDocument(tenant));
    const stored = async () =>
      api.database.sql(
        `select m.counts, j.progress from migration m join job j on j.id = m.job_id where m.job_id = $1`,
        [migration.job_id],
      );
    await storeCounts(orm.em.fork(), migration, { activity: 2 });
    const before = { counts: { activity: 2 }, progress: { done: 0, total: 2 } };
    expect(await stored()).toEqual([before]);
    await api.database.sql('update migration set flipped_at = now() where job_id = $1', [migration.job_id]);
    await storeCounts(orm.em.fork(), migration, { activity: 3 });
    expect(await stored()).toEqual([before]);
  });

  it('completes while 20 writers lock the row repeatedly', async () => {
    const document = await aDocument(tenant);
    const organization = await organizationOf(document);
    const migration = await begun(document);
    let written = 0;
    const moved = new AbortController();
    const writers = Array.from({ length: 20 }, async () => {
      while (!moved.signal.aborted) {
        await transacted(orm, async (em) => {
          await lockDocument(em, tenant, organization, document.documentId);
          await sql`select pg_sleep(0.03)`.execute(tablesOf(em));
        }).then(
          () => (written += 1),
          (error: unknown) => {
            expect(error).toMatchObject({ status: 'NOT_FOUND', details: { movedTo: migration.new_ext_id } });
            moved.abort();
          },
        );
      }
    });
    await eventually(() => written >= 40);
    expect(await flipped(migration)).toBe(true);
    await Promise.all(writers);
  });

  it('changes the id once when repeated', async () => {
    const document = await aDocument(tenant);
    const migration = await begun(document);
    expect(await Promise.all([1, 2, 3].map(async () => flipped(migration)))).toEqual([true, true, true]);
    const [{ moved_at } = { moved_at: null }] = await api.database.sql<{ moved_at: Date | null }>(
      'select flipped_at as moved_at from migration where job_id = $1',
      [migration.job_id],
    );
    expect(await flipDocument(orm, migration)).toBe(true);
    expect(
      await api.database.sql('select flipped_at as moved_at from migration where job_id = $1', [
        migration.job_id,
      ]),
    ).toEqual([{ moved_at }]);
  });

  it('runs the same statements for a document with many records as for an empty one', async () => {
    const [empty, full] = [await aDocument(tenant), await aDocument(tenant)];
    await api.database.sql(
      `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body)
       select api_key_id, org_id, id, 'a' || n, n, 5, 'x', 0, '', '{}' from document, generate_series(1, 200) n where ext_id = $1`,
      [full.documentId],
    );
    const texts: string[][] = [];
    for (const document of [empty, full]) {
      const migration = await begun(document);
      texts.push((await statementsOf(() => flipDocument(orm, migration))).map(({ text }) => text));
    }
    expect(texts[1]).toEqual(texts[0]);
    expect(texts[0]?.join(' ')).not.toMatch(/\bactivity\b/);
  });

  it('does not change a canceled migration', async () => {
    const document = await aDocument(tenant);
    const { data } = await tenant.ok<{ migrationId: string }>('/v2/organizations/documents/migrate', {
      ...document,
      newDocumentId: freshId('moved'),
    });
    await tenant.ok('/v2/jobs/cancel', { jobId: data.migrationId });
    const migration = await findMigration(orm.em.fork(), data.migrationId);
    expect(migration && (await flipDocument(orm, migration))).toBe(false);
    const { data: status } = await tenant.ok('/v2/organizations/documents/migrate/status', {
      organizationId: document.organizationId,
      migrationId: data.migrationId,
    });
    expect(status).toMatchObject({ status: 'failed', error: 'cancelled' });
  });

  it('emits document.migrated in the same transaction, or document.migration_failed when it fails', async () => {
    await api.database.sql(
      `insert into key_config (api_key_id, kind, config) values ($1, 'advancedwebhook', '{"isEnabled": true}')`,
      [tenant.id],
    );
    await api.database.sql(
      `insert into webhook_endpoint (api_key_id, public_id, url) values ($1, $2, 'http://receiver.test')`,
      [tenant.id, freshId('ep')],
    );
    const document = await aDocument(tenant);
    const migration = await begun(document);
    await flipDocument(orm, migration);
    const lost = await aDocument(tenant);
    const failing = await begun(lost);
    await tenant.ok('/v2/organizations/documents/delete', {
      organizationId: lost.organizationId,
      documentIds: [lost.documentId],
    });
    const events = await api.database.sql<{ type: string; payload: object; channels: string[] }>(
      'select type, payload, channels from event where api_key_id = $1 order by id',
      [tenant.id],
    );
    expect(events).toEqual([
      {
        type: 'document.migrated',
        payload: {
          migrationId: migration.public_id,
          organizationId: document.organizationId,
          documentId: document.documentId,
          newDocumentId: migration.new_ext_id,
        },
        channels: [document.organizationId, document.documentId, migration.new_ext_id],
      },
      {
        type: 'document.migration_failed',
        payload: {
          migrationId: failing.public_id,
          organizationId: lost.organizationId,
          documentId: lost.documentId,
          newDocumentId: failing.new_ext_id,
          error: 'document was deleted',
        },
        channels: [lost.organizationId, lost.documentId, failing.new_ext_id],
      },
    ]);
  });
});
