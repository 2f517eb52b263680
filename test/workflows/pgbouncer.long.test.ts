import { describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import { startTestApi } from '../support/api.ts';
import { aDatabase, anEmptyDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { activities, addActivityLogs, aDocument, freshId, withActivityLogs } from '../support/factories.ts';
import { obtainPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { startProcess } from '../support/processes.ts';
import { aReceiver } from '../support/receiver.ts';
import { aNamespace } from '../support/temporal.ts';
import { aListeningTenant, anEndpoint } from '../support/webhooks.ts';
import { aPerson, deleteData, endedDeletion } from './deletions.ts';
import { activityIds, documentIds, ended, migrate } from './migrations.ts';

const program = await obtainPgBouncer();
if (typeof program === 'string') process.stderr.write(`${program}\n`);

const whereObtained = typeof program === 'string' ? describe.skip : describe;

const ways = [
  { names: 'on', maxPreparedStatements: 200 },
  { names: 'off', maxPreparedStatements: 0 },
] as const;

/** An API and a worker that reach PostgreSQL only through the pooler, except for notices. */
async function aPooledInstallation({ names, maxPreparedStatements }: (typeof ways)[number]) {
  if (typeof program === 'string') throw new Error(program);
  const database = await aDatabase();
  const pooler = await startPgBouncer(program, database.url, maxPreparedStatements);
  const temporal = await aNamespace();
  const databaseUrl = pooler.urlOf(database.url);
  const environment = {
    ...temporal,
    DATABASE_DIRECT_URL: database.url,
    DATABASE_STATEMENT_NAMES: names,
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
  it.each(ways)(
    'serves reads, writes, jobs, webhooks and deletions with statement names $names',
    async (way) => {
      const installation = await aPooledInstallation(way);
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
        expect(log().filter((line) => /"level":(40|50|60)/.test(line))).toEqual([]);
      } finally {
        await installation.close();
      }
    },
  );

  it('lets migrate bring an empty database up to date', async () => {
    if (typeof program === 'string') throw new Error(program);
    const database = await anEmptyDatabase();
    const pooler = await startPgBouncer(program, database.url, 200);
    const url = pooler.urlOf(database.url);
    const opened = openDatabase({
      url,
      poolSize: 1,
      statementTimeout: 60_000,
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
