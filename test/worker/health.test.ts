import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signingSecret } from '../../domain/signing/signing-secret.ts';
import { choosePort } from '../../local/ports.ts';
import { newEncryptionKey } from '../../platform/config/generate-environment.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { aDocument, aTenant, freshId } from '../support/factories.ts';
import { startProcess, startWaitingWorker, type TestProcess } from '../support/processes.ts';
import { aStoppablePostgres } from '../support/stoppable-postgres.ts';
import { aNamespace } from '../support/temporal.ts';
import { inFull } from '../support/tier.ts';
import { aClosableProxy } from '../workflows/closable-proxy.ts';
import { migrate } from '../workflows/migrations.ts';

/** Milliseconds for which the event loop is blocked. */
const blockedMs = inFull ? 10_000 : 2_000;

const folder = await mkdtemp(join(tmpdir(), 'worker-health-'));
const pipe = join(folder, 'pipe');
const port = await choosePort(undefined);
const postgres = await aStoppablePostgres();
const temporal = await aNamespace();
const proxy = await aClosableProxy(temporal.TEMPORAL_ADDRESS);
let api: TestApi;
let worker: TestProcess;

beforeAll(async () => {
  await promisify(execFile)('mkfifo', [pipe]);
  proxy.open();
  api = await startTestApi({ database: postgres.database, environment: temporal });
  worker = await startProcess(
    'worker',
    postgres.database.url,
    {
      ...temporal,
      TEMPORAL_ADDRESS: proxy.address,
      METRICS_PORT: String(port),
      BLOCKING_PIPE: pipe,
    },
    ['--import', './test/support/block-on-signal.ts'],
  );
  await eventually(async () => expect(await page('/readyz')).toEqual(ready));
});
afterAll(async () => {
  postgres.resume();
  await worker.kill();
  await api.close();
  await proxy.end();
  await postgres.close();
  await rm(folder, { recursive: true });
});

const ready = {
  http: 200,
  status: 'ready',
  database: 'available',
  migrations: 'complete',
  temporal: 'available',
  polling: 'active',
  // Without STEWARD_SMTP_URL, the worker must still become ready.
  email: 'smtp-not-configured',
};
const alive = { http: 200, status: 'ok' };

/** The response of a health page: its HTTP status with its body. */
async function page(path: string, withinMs = 60_000, ofPort = port): Promise<object> {
  const signal = AbortSignal.timeout(withinMs);
  const response = await fetch(`http://127.0.0.1:${String(ofPort)}${path}`, { signal });
  return { http: response.status, ...((await response.json()) as object) };
}

const becomesReady = async () => eventually(async () => expect(await page('/readyz')).toEqual(ready));

describe('a worker', () => {
  it('responds to neither page while its event loop is blocked', async () => {
    process.kill(worker.pid, 'SIGUSR2');
    await eventually(async () => expect(page('/healthz', 500)).rejects.toThrow('timeout'));
    const probes = ['/healthz', '/readyz'].map(async (path) => page(path, blockedMs));
    expect((await Promise.allSettled(probes)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await writeFile(pipe, '');
    await becomesReady();
    expect(await page('/healthz')).toEqual(alive);
  });

  it('is alive but not ready within 2 s after PostgreSQL is stopped', async () => {
    await postgres.stop();
    // A slow machine may need another attempt, but a check without a limit never responds in time.
    await eventually(async () =>
      expect(await page('/readyz', 2_000)).toMatchObject({
        http: 503,
        reasons: ['PostgreSQL does not respond in time, or refuses access. Run: npm run cli -- doctor'],
        database: 'unavailable',
        migrations: 'unknown',
      }),
    );
    expect(await page('/healthz')).toEqual(alive);
    postgres.resume();
    await becomesReady();
  });

  it('is alive but not ready while Temporal is unreachable', async () => {
    proxy.close();
    await eventually(async () => {
      const seen = await page('/readyz');
      expect(seen).toMatchObject({ http: 503, status: 'not ready', temporal: 'unavailable' });
      expect((seen as { reasons: readonly string[] }).reasons).toContain('Temporal does not respond.');
    });
    expect(await page('/healthz')).toEqual(alive);
    proxy.open();
    await becomesReady();
  });

  it('is alive but not ready with another encryption key', async () => {
    await signingSecret(api.orm.em.fork(), api.keyRing, 'idempotency');
    const otherPort = await choosePort(undefined);
    const other = await startWaitingWorker(postgres.database.url, {
      ...temporal,
      METRICS_PORT: String(otherPort),
      STEWARD_ENCRYPTION_KEYS: newEncryptionKey(),
    });
    try {
      const reasons = [
        'STEWARD_ENCRYPTION_KEYS does not decrypt the stored secrets. Run: npm run cli -- doctor',
        'The worker does not poll its task queues.',
      ];
      await eventually(async () =>
        expect(await page('/readyz', 60_000, otherPort)).toEqual({
          ...ready,
          http: 503,
          status: 'not ready',
          reasons,
          polling: 'stopped',
        }),
      );
      expect(await page('/healthz', 60_000, otherPort)).toEqual(alive);
    } finally {
      await other.stop();
    }
  });

  it('is alive but not ready once it stops polling, until its last activity has ended', async () => {
    const tenant = await aTenant(api);
    const document = await aDocument(tenant);
    const blocker = await postgres.database.connect();
    await blocker.query('begin');
    // The activity that counts records waits until the rollback. The one that changes the id waits only 3 s.
    await blocker.query('lock table recording in access exclusive mode');
    await migrate(tenant, document, freshId('moved'));
    await eventually(async () => {
      const waiting = await postgres.database.sql(
        `select from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'steward'
           and query like '%from recording%'`,
      );
      return waiting.length > 0;
    });
    const stopped = worker.stop();
    await eventually(async () =>
      expect(await page('/readyz')).toEqual({
        ...ready,
        http: 503,
        status: 'not ready',
        reasons: ['The worker does not poll its task queues.'],
        polling: 'stopped',
      }),
    );
    expect(await page('/healthz')).toEqual(alive);
    await blocker.query('rollback');
    expect(await stopped).toBe(0);
  });
});
