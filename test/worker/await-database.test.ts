import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signingKeyContext } from '../../domain/signing/signing-key-context.ts';
import { signingSecret } from '../../domain/signing/signing-secret.ts';
import { choosePort } from '../../local/ports.ts';
import { migrateDatabase } from '../../platform/database/migrate.ts';
import { anEmptyDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { aMailServer } from '../support/mail-server.ts';
import { startWaitingWorker, type TestProcess } from '../support/processes.ts';
import { aMailingTenant, logOf, notified } from '../support/senders.ts';
import { aNamespace } from '../support/temporal.ts';
import { anInstallation, type Installation } from '../workflows/migrations.ts';

const otherBytes = `tests:${Buffer.alloc(32, 'w').toString('base64')}`;

const linesOf = ({ log }: TestProcess, event: string): readonly string[] =>
  log.filter((line) => line.includes(`"msg":"${event}"`));

describe('a worker whose key has the id of the deployment’s key and other bytes', () => {
  let installation: Installation;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    installation = await anInstallation();
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await installation.close();
  });

  it('takes no task and creates no secret, so that other workers send the e-mails of every key', async () => {
    const { api, temporal } = installation;
    const { database, keyRing } = api;
    const mail = await aMailServer();
    closing.push(mail.close);
    const environment = { ...temporal, STEWARD_SMTP_URL: mail.url, STEWARD_MAIL_FROM: 'steward@mail.test' };
    const tenant = await aMailingTenant(api);
    await signingSecret(api.orm.em.fork(), keyRing, 'cursor');
    const wrong = await startWaitingWorker(database.url, {
      ...environment,
      STEWARD_ENCRYPTION_KEYS: otherBytes,
    });
    closing.push(() => wrong.stop());
    expect(linesOf(wrong, 'worker waits')).toEqual([expect.stringContaining('STEWARD_ENCRYPTION_KEYS')]);
    await notified(tenant, { notifyUsers: [{ userId: 'ben', email: 'ben@users.test' }] });
    await installation.startWorker(environment);
    await eventually(async () => (await logOf(api, tenant)).length === 1);
    expect(mail.mails.filter(({ to }) => to === 'ben@users.test')).toHaveLength(1);
    expect(linesOf(wrong, 'working')).toEqual([]);
    const secrets = await database.sql<{ kid: string; key_enc: Buffer }>('select * from signing_key');
    expect(secrets.length).toBeGreaterThan(1);
    for (const { kid, key_enc: sealed } of secrets)
      expect(keyRing.decryptBytes(sealed, signingKeyContext(kid))).toBeInstanceOf(Buffer);
  });
});

describe('a worker of a database without tables', () => {
  it('is alive, says that it waits for migrations, and works by itself once they have run', async () => {
    const database = await anEmptyDatabase();
    const port = await choosePort(undefined);
    const worker = await startWaitingWorker(database.url, {
      ...(await aNamespace()),
      METRICS_PORT: String(port),
    });
    const page = async (path: string) => fetch(`http://127.0.0.1:${String(port)}${path}`);
    try {
      expect(linesOf(worker, 'worker waits')).toEqual([expect.stringContaining('npm run cli -- migrate')]);
      expect((await page('/healthz')).status).toBe(200);
      expect(await (await page('/readyz')).json()).toMatchObject({ status: 'not ready', polling: 'stopped' });
      expect(linesOf(worker, 'working')).toEqual([]);
      await migrateDatabase(database.url);
      await eventually(() => linesOf(worker, 'working').length === 1);
      await eventually(async () => (await page('/readyz')).status === 200);
    } finally {
      await worker.stop();
      await database.drop();
    }
  });

  it('ends when it is stopped meanwhile', async () => {
    const database = await anEmptyDatabase();
    const worker = await startWaitingWorker(database.url, await aNamespace());
    expect(await worker.stop()).toBe(0);
    await database.drop();
  });
});
