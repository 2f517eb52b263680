import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import { startTestApi } from '../support/api.ts';
import { aDatabase, anEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { activities, addActivityLogs, aDocument, freshId, withActivityLogs } from '../support/factories.ts';
import { obtainPgBouncer, startPgBouncer, type PgBouncer, type PoolerKind } from '../support/pgbouncer.ts';
import { startProcess } from '../support/processes.ts';
import { aReceiver } from '../support/receiver.ts';
import { aNamespace } from '../support/temporal.ts';
import { aListeningTenant, anEndpoint } from '../support/webhooks.ts';
import { aPerson, deleteData, endedDeletion } from './deletions.ts';
import { activityIds, documentIds, ended, migrate } from './migrations.ts';

const programs = { named: await obtainPgBouncer('named'), unnamed: await obtainPgBouncer('unnamed') };
const missing = Object.values(programs).filter((program) => typeof program === 'string');
for (const reason of missing) process.stderr.write(`${reason}\n`);

const whereObtained = missing.length > 0 ? describe.skip : describe;

async function aPooler(kind: PoolerKind, database: TestDatabase, poolSize?: number): Promise<PgBouncer> {
  const program = programs[kind];
  if (typeof program === 'string') throw new Error(program);
  return startPgBouncer(program, database.directUrl, { kind, poolSize });
}

/** Tests of sessions, transactions, statements, locks and partitions. The test above covers workflows. */
const selection = [
  'test/platform/database/(locks|lost-sessions|notices|parameters|retry-conflicts|role-settings|sharing|transactions)',
  'test/domain/(crdt|events|processes|users)',
  'test/domain/deletion/(catalog|fence-free-json)',
  'test/domain/maintenance/keep-house',
  'test/domain/webhooks/(fan-out|provisioning|statements)',
];

const problemLevels = ['"level":"warn"', '"level":"error"', '"level":"fatal"'];

/** Events of Temporal and of the receiver, which are late on a slow machine: the pooler does not cause them. */
const ofSlowness = [
  '"Temporal connection failed"',
  '"search attribute not registered"',
  '"webhook delivery turn failed"',
];

/** An API and a worker that reach PostgreSQL only through the pooler, except for notices. */
async function aPooledInstallation(kind: PoolerKind) {
  const database = await aDatabase();
  const pooler = await aPooler(kind, database);
  const temporal = await aNamespace();
  const databaseUrl = pooler.urlOf(database.directUrl);
  const environment = {
    ...temporal,
    DATABASE_DIRECT_URL: database.directUrl,
    DATABASE_STATEMENT_NAMES: kind === 'named' ? 'on' : 'off',
    STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  const api = await startTestApi({ database, databaseUrl, environment });
  const worker = await startProcess('worker', databaseUrl, environment);
  const receiver = await aReceiver();
  return {
    api,
    receiver,
    log: () => [...api.log, ...worker.log],
    async close() {
      await worker.stop();
      await api.close();
      await receiver.close();
      await pooler.stop();
      await database.drop();
    },
  };
}

whereObtained('behind PgBouncer in transaction mode', () => {
  it.each(['named', 'unnamed'] as const)(
    'serves reads, writes, jobs, webhooks and deletions with %s statements',
    async (kind) => {
      const installation = await aPooledInstallation(kind);
      const { api, receiver, log } = installation;
      try {
        const tenant = await withActivityLogs(await aListeningTenant(api));
        await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
        await anEndpoint(api, tenant, receiver.url);
        const document = await aDocument(tenant);
        // More callers than the pooler has connections, so that statements of one caller use different connections.
        await Promise.all(
          Array.from({ length: 40 }, async () => addActivityLogs(tenant, document, activities(2))),
        );
        await Promise.all(
          Array.from({ length: 40 }, async () => {
            expect(await documentIds(tenant, document.organizationId)).toContain(document.documentId);
          }),
        );
        expect(await activityIds(tenant, document)).toHaveLength(80);
        await eventually(() => expect(receiver.ids().size).toBeGreaterThanOrEqual(80));

        const moved = freshId('moved');
        const migration = await ended(tenant, document, await migrate(tenant, document, moved));
        expect(migration).toMatchObject({ status: 'completed', verified: true });

        const person = await aPerson(tenant);
        const deletion = await endedDeletion(tenant, await deleteData(tenant, { userIds: [person.userId] }));
        expect(deletion).toMatchObject({ status: 'completed', isDeleteCompleted: true });
        const problems = log().filter((line) => problemLevels.some((level) => line.includes(level)));
        expect(problems.filter((line) => !ofSlowness.some((event) => line.includes(event)))).toEqual([]);
      } finally {
        await installation.close();
      }
    },
  );

  it.each(['named', 'unnamed'] as const)(
    'passes a selection of the tests with %s statements',
    async (kind) => {
      const { NODE_OPTIONS: _jests, STEWARD_LONG_TESTS: _long, ...inherited } = process.env;
      const run = spawn(process.execPath, ['test/run.ts', ...selection], {
        env: { ...inherited, TEST_POOLER: kind },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const printed: string[] = [];
      for (const stream of [run.stdout, run.stderr])
        stream.on('data', (chunk) => printed.push(String(chunk)));
      await once(run, 'close');
      const text = printed.join('');
      if (run.exitCode !== 0) throw new Error(text);
      expect(text).toMatch(/^[1-9]\d* passed, 0 failed$/m);
    },
    // Above the limit of the inner run (test/run.ts), so that a hanging one ends and prints what it did.
    7_200_000,
  );

  it('allows migrate to create the schema of an empty database', async () => {
    const database = await anEmptyDatabase();
    const pooler = await aPooler('named', database);
    const url = pooler.urlOf(database.directUrl);
    const opened = openDatabase({
      url,
      poolSize: 1,
      statementTimeoutMs: 60_000,
      plansOnce: false,
      entities: [],
    });
    try {
      await Promise.all([migrateDatabase(url), migrateDatabase(url)]);
      expect(await opened.pendingMigrations()).toEqual([]);
    } finally {
      await opened.close();
      await pooler.stop();
      await database.drop();
    }
  });
});
