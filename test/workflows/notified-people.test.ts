import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { eventually } from '../support/eventually.ts';
import { freshId } from '../support/factories.ts';
import { aMailServer, type MailServer } from '../support/mail-server.ts';
import { aMailingTenant, notified } from '../support/senders.ts';
import { deleteData, endedDeletion, rowsWith } from './deletions.ts';
import { anInstallation, ended, migrate, type Installation } from './migrations.ts';

let installation: Installation;
let mail: MailServer;
let worker: Awaited<ReturnType<Installation['startWorker']>>;

beforeAll(async () => {
  installation = await anInstallation();
  mail = await aMailServer();
  worker = await installation.startWorker({
    STEWARD_SMTP_URL: mail.url,
    STEWARD_MAIL_FROM: 'steward@mail.test',
  });
});
afterAll(async () => {
  await installation.close();
  await mail.close();
});

interface Location {
  readonly organizationId: string;
  readonly documentId: string;
}

const delayed = { delayConfig: { isEnabled: true, delaySeconds: 3_600 } };

/** Returns the histories of all workflows as text with decoded payloads. */
async function histories(): Promise<string> {
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '' } = installation.temporal;
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace });
  const found: unknown[] = [];
  for await (const { workflowId, runId } of client.workflow.list())
    found.push(await client.workflow.getHandle(workflowId, runId).fetchHistory());
  await connection.close();
  return JSON.stringify(found, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
  );
}

describe('an e-mail about a document that was migrated while it waited', () => {
  it('links to the new id', async () => {
    const linkTemplate = 'https://app.example.com/d/{documentId}';
    const tenant = await aMailingTenant(installation.api, delayed, { linkTemplate });
    const address = `${freshId('ben')}@users.test`;
    const location = (await notified(tenant, {
      notifyUsers: [{ userId: 'ben', email: address }],
    })) as unknown as Location;
    const newDocumentId = freshId('moved');
    const { organizationId, documentId } = location;
    await ended(tenant, location, await migrate(tenant, { organizationId, documentId }, newDocumentId));
    await installation.api.database.sql(`update notice set due_at = now() where api_key_id = $1`, [
      tenant.id,
    ]);
    await tenant.ok('/v2/workspace/emailconfig/update', { useEmailService: true });
    await eventually(() => mail.mails.some(({ to }) => to === address));
    const taken = mail.mails.find(({ to }) => to === address);
    expect(taken?.parsed.text).toContain(`https://app.example.com/d/${newDocumentId}`);
    expect(taken?.raw).not.toContain(`/d/${documentId}`);
  });
});

describe('the deletion of a user who was notified and notified others', () => {
  it('leaves no address, name, subject or text of the user in tables, logs and histories', async () => {
    const { api } = installation;
    const tenant = await aMailingTenant(api);
    const userId = freshId('zeb');
    const address = `${userId}@users.test`;
    const marks = [userId, address, 'Zebulon Quill', 'headline of Zebulon', 'words of Zebulon'];
    const person = { userId, name: 'Zebulon Quill', email: address };
    await notified(tenant, { notifyUsers: [person] });
    await eventually(() => mail.mails.some(({ to }) => to === address));
    await tenant.ok('/v2/workspace/notificationconfig/update', { notificationServiceConfig: delayed });
    await notified(tenant, { notifyUsers: [person] });
    await notified(tenant, {
      actionUser: person,
      displayHeadlineMessageTemplate: 'headline of Zebulon',
      displayBodyMessage: 'words of Zebulon',
      notifyUsers: [{ userId: freshId('carl'), email: 'carl@users.test' }],
    });
    for (const mark of marks) expect(await rowsWith(api, tenant, mark)).not.toEqual([]);
    const status = await endedDeletion(tenant, await deleteData(tenant, { userIds: [userId] }));
    expect(status).toMatchObject({ status: 'completed', verified: true, counts: { deliveries: 2 } });
    const log = [...worker.log, ...api.log].join('\n');
    const stored = await histories();
    for (const mark of marks) {
      expect(await rowsWith(api, tenant, mark)).toEqual([]);
      expect(log).not.toContain(mark);
      expect(stored).not.toContain(mark);
    }
  });
});
