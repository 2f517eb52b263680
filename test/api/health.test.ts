import { afterAll, describe, expect, it } from '@jest/globals';
import { signingSecret } from '../../domain/signing/signing-secret.ts';
import { newEncryptionKey } from '../../platform/config/generate-environment.ts';
import { migrateDatabase } from '../../platform/database/migrate.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aDatabase, anEmptyDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { aTenant } from '../support/factories.ts';
import { waitsForLock } from '../support/lock-waits.ts';
import { aRuntimeRole } from '../support/runtime-role.ts';
import { aStoppablePostgres } from '../support/stoppable-postgres.ts';

const postgres = await aStoppablePostgres();
afterAll(postgres.close);

/** The response of a health page: its HTTP status with its body. */
async function page(api: TestApi, path: string): Promise<object> {
  const response = await fetch(api.url + path);
  return { http: response.status, ...((await response.json()) as object) };
}

describe('the readiness of an API', () => {
  it('is false within 2 s while PostgreSQL is stopped, and true again afterwards', async () => {
    const api = await startTestApi({ database: postgres.database });
    try {
      const ready = { http: 200, status: 'ready', database: 'available', migrations: 'complete' };
      await eventually(async () =>
        expect(await page(api, '/readyz')).toEqual({
          ...ready,
          temporal: 'unavailable',
          email: 'smtp-not-configured',
        }),
      );
      await postgres.stop();
      // A slow machine may need another attempt, but a check without a limit never responds in time.
      await eventually(async () => {
        const started = performance.now();
        const seen = await Promise.all([page(api, '/readyz'), page(api, '/readyz')]);
        expect(performance.now() - started).toBeLessThan(2_000);
        const unavailable = {
          http: 503,
          status: 'not ready',
          reasons: ['PostgreSQL does not respond in time, or refuses access. Run: npm run cli -- doctor'],
          database: 'unavailable',
          migrations: 'unknown',
          temporal: 'unavailable',
          email: 'smtp-not-configured',
        };
        expect(seen).toEqual([unavailable, unavailable]);
      });
      expect(await page(api, '/healthz')).toEqual({ http: 200, status: 'ok' });
      postgres.resume();
      await eventually(async () => expect(await page(api, '/readyz')).toMatchObject(ready));
    } finally {
      postgres.resume();
      await api.close();
    }
  });

  it('is true while calls use all connections of the pool', async () => {
    const api = await startTestApi({ environment: { DATABASE_POOL_SIZE: '1' } });
    const tenant = await aTenant(api);
    const blocker = await api.database.connect();
    try {
      await blocker.query('begin; lock table organization in access exclusive mode');
      const blocked = tenant.ok('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] });
      expect(await waitsForLock(api.database, blocked)).toBe(true);
      expect(await page(api, '/readyz')).toMatchObject({ http: 200, database: 'available' });
      await blocker.query('rollback');
      await blocked;
    } finally {
      await api.close();
    }
  });

  it('is not logged while it is true', async () => {
    const api = await startTestApi();
    try {
      await eventually(async () => expect(await page(api, '/readyz')).toMatchObject({ http: 200 }));
      await page(api, '/healthz');
      await page(api, '/nothing');
      const lines = api.log.filter(
        (line) => line.includes('"msg":"request"') && line.includes('"status":200'),
      );
      expect(lines).toEqual([]);
      expect(api.log.filter((line) => line.includes('"status":404'))).toHaveLength(1);
    } finally {
      await api.close();
    }
  });

  it('is false with the names of pending migrations, until they have run on an empty database', async () => {
    const database = await anEmptyDatabase();
    const api = await startTestApi({ database });
    try {
      const seen = await eventually(async () => {
        const read = await page(api, '/readyz');
        expect(read).toMatchObject({ http: 503, database: 'available', migrations: 'pending' });
        return read;
      });
      const { reasons } = seen as { reasons: readonly string[] };
      expect(reasons[0]).toMatch(
        /^Migration 2026-11-21-foundation has not run\. Run: npm run cli -- migrate$/,
      );
      expect(await page(api, '/healthz')).toEqual({ http: 200, status: 'ok' });
      await migrateDatabase(database.url);
      await eventually(async () => expect(await page(api, '/readyz')).toMatchObject({ http: 200 }));
    } finally {
      await api.close();
      await database.drop();
    }
  });

  it('is false with another encryption key, and stays true in a process that has been ready', async () => {
    const api = await startTestApi();
    const { database } = api;
    await signingSecret(api.orm.em.fork(), api.keyRing, 'idempotency');
    await eventually(async () => expect(await page(api, '/readyz')).toMatchObject({ http: 200 }));
    const environment = { STEWARD_ENCRYPTION_KEYS: newEncryptionKey() };
    const other = await startTestApi({ database, environment });
    try {
      const unready = {
        http: 503,
        reasons: ['STEWARD_ENCRYPTION_KEYS does not decrypt the stored secrets. Run: npm run cli -- doctor'],
        database: 'available',
        migrations: 'complete',
      };
      await eventually(async () => expect(await page(other, '/readyz')).toMatchObject(unready));
      expect(await page(other, '/healthz')).toEqual({ http: 200, status: 'ok' });
      // The key of the other process.
      await database.sql('truncate signing_key');
      await signingSecret(api.orm.em.fork(), other.keyRing, 'idempotency');
      expect(await page(api, '/readyz')).toMatchObject({ http: 200 });
      await eventually(async () => expect(await page(other, '/readyz')).toMatchObject({ http: 200 }));
    } finally {
      await other.close();
      await api.close();
    }
  });

  it('is false until migrate has granted its role the privileges on every table', async () => {
    const database = await aDatabase();
    const role = await aRuntimeRole(database);
    const name = new URL(role.url).username;
    await database.sql(`revoke all on idempotency, thread from ${name}`);
    const api = await startTestApi({ database, databaseUrl: role.url });
    try {
      const unready = {
        http: 503,
        reasons: [
          'The role of DATABASE_URL lacks privileges. Run: npm run cli -- migrate, with DATABASE_RUNTIME_ROLE',
        ],
        database: 'available',
        migrations: 'complete',
      };
      await eventually(async () => expect(await page(api, '/readyz')).toMatchObject(unready));
      await migrateDatabase(database.url, undefined, { runtimeRole: name });
      await eventually(async () => expect(await page(api, '/readyz')).toMatchObject({ http: 200 }));
    } finally {
      await api.close();
      await role.drop();
      await database.drop();
    }
  });
});
