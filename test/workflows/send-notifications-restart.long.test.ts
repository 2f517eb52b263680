import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { startPostgres, type RunningPostgres } from '../../local/postgres.ts';
import { aDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { aMailServer, type MailServer } from '../support/mail-server.ts';
import { aMailingTenant, logOf, notified } from '../support/senders.ts';
import { anInstallation, type Installation } from './migrations.ts';

let folder: string;
let postgres: RunningPostgres;
let installation: Installation;
let mail: MailServer;

/** A durable PostgreSQL that keeps its port across starts. */
const started = async (): Promise<RunningPostgres> =>
  startPostgres({
    directory: join(folder, 'postgres'),
    database: 'postgres',
    durable: true,
    onProgress: () => undefined,
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-restart-'));
  postgres = await started();
  installation = await anInstallation({ database: await aDatabase(postgres.url) });
  mail = await aMailServer();
});
afterAll(async () => {
  await installation.close();
  await mail.close();
  await postgres.stop();
  await removeCluster(join(folder, 'postgres'));
  await rm(folder, { recursive: true, force: true });
});

describe('a restart of PostgreSQL while notifications are sent', () => {
  it('loses none, and repeats only attempts whose outcome is unknown', async () => {
    const { api } = installation;
    const tenant = await aMailingTenant(api);
    const addresses = Array.from({ length: 40 }, (_, number) => `reader${String(number)}@users.test`);
    for (const email of addresses) await notified(tenant, { notifyUsers: [{ userId: email, email }] });
    const worker = await installation.startWorker({
      STEWARD_SMTP_URL: mail.url,
      STEWARD_MAIL_FROM: 'steward@mail.test',
      // Five per second, so that most wait at the time of the kill.
      STEWARD_EMAIL_PER_KEY_PER_SECOND: '5',
    });
    await eventually(() => mail.mails.length > 0);
    process.kill(postgres.pid, 'SIGKILL');
    postgres = await started();
    const log = await eventually(async () => {
      const ended = await logOf(api, tenant);
      return ended.length === addresses.length && ended;
    });
    const unknown = log
      .flatMap(({ attempts }) => attempts as { readonly outcome: string }[])
      .filter(({ outcome }) => outcome === 'unknown');
    expect(new Set(mail.mails.map(({ to }) => to))).toEqual(new Set(addresses));
    expect(mail.mails.length - addresses.length).toBeLessThanOrEqual(unknown.length);
    const ofRepeated = Map.groupBy(mail.mails, ({ to }) => to);
    for (const [, mails] of ofRepeated)
      expect(new Set(mails.map(({ parsed }) => parsed.messageId)).size).toBe(1);
    await worker.stop();
  });
});
