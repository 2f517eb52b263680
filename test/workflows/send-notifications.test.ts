import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { eventually } from '../support/eventually.ts';
import { aFakeProvider } from '../support/fake-provider.ts';
import { aDocument, aTenant } from '../support/factories.ts';
import { aMailServer, type MailServer } from '../support/mail-server.ts';
import { aMailingTenant, logOf, notified, notifiedIn, waitingOf } from '../support/senders.ts';
import { anInstallation, type Installation } from './migrations.ts';

let installation: Installation;
let mail: MailServer;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  installation = await anInstallation();
  mail = await aMailServer();
  environment = { STEWARD_SMTP_URL: mail.url, STEWARD_MAIL_FROM: 'steward@mail.test' };
});
afterAll(async () => {
  await installation.close();
  await mail.close();
});

const nothing = { notices: 0, windows: 0, outgoing: 0 };
const mailsTo = (address: string) => mail.mails.filter(({ to }) => to === address);

describe('the sender of a key', () => {
  it('sends notices that were planned while no worker ran, and ends when none waits', async () => {
    const tenant = await aMailingTenant(installation.api);
    await notified(tenant, { notifyUsers: [{ userId: 'ben', email: 'first@users.test' }] });
    const worker = await installation.startWorker(environment);
    await eventually(() => mailsTo('first@users.test').length === 1);
    await eventually(async () => (await logOf(installation.api, tenant)).length === 1);
    expect(await waitingOf(installation.api, tenant)).toEqual(nothing);
    await notified(tenant, { notifyUsers: [{ userId: 'ben', email: 'second@users.test' }] });
    await eventually(() => mailsTo('second@users.test').length === 1);
    expect(await historyOf(tenant.keyId)).not.toMatch(/users\.test|Is this the plan|\bAda\b/);
    expect(worker.log.join('\n')).not.toMatch(/users\.test|Is this the plan/);
    await worker.stop();
  });

  it('is started by the sweep when its signal was lost', async () => {
    const tenant = await aMailingTenant(installation.api);
    await notified(tenant, { notifyUsers: [{ userId: 'ben', email: 'swept@users.test' }] });
    await terminated(tenant.keyId);
    await installation.api.database.sql(
      `update notice set due_at = now() - interval '1 minute' where api_key_id = $1`,
      [tenant.id],
    );
    const worker = await installation.startWorker(environment);
    await eventually(() => mailsTo('swept@users.test').length === 1);
    await worker.stop();
  });

  it('is woken by an update of the Slack settings, and sends deliveries that a revoked token held', async () => {
    const json = (body: object) => ({ status: 200, body: JSON.stringify(body) });
    const slack = await aFakeProvider(json({ ok: true, ts: '171.1', user: { id: 'U7' } }));
    slack.reply(({ headers }) =>
      headers.authorization === 'Bearer xoxb-revoked'
        ? json({ ok: false, error: 'token_revoked' })
        : json({ ok: true, ts: '171.1', user: { id: 'U7' } }),
    );
    const tenant = await aTenant(installation.api);
    const withToken = async (botToken: string) =>
      tenant.ok('/v2/workspace/slackconfig/update', {
        useSlackService: true,
        slackServiceConfig: { botToken },
      });
    await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
    await withToken('xoxb-revoked');
    const location = await aDocument(tenant);
    const { organizationId } = location;
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'ben' }] });
    await tenant.ok('/v2/notifications/config/set', {
      organizationId,
      userIds: ['ben'],
      config: { slack: 'ALL' },
    });
    const worker = await installation.startWorker({ STEWARD_SLACK_API_URL: `${slack.url}/api` });
    await notifiedIn(tenant, location);
    const state = async () => {
      const { data } = await tenant.ok<{ state: object }>('/v2/workspace/slackconfig/get', {});
      return data.state;
    };
    await eventually(async () => {
      expect(await state()).toMatchObject({ status: 'held', reason: 'credentials-refused' });
      return true;
    });
    // Refused credentials are retried after ten minutes, unless the settings change.
    await withToken('xoxb-valid');
    await eventually(async () => (await logOf(installation.api, tenant)).length === 1, { within: 120_000 });
    expect(slack.calls.filter(({ path }) => path === '/api/chat.postMessage')).toHaveLength(1);
    await worker.stop();
    await slack.close();
  });
});

async function connected<Result>(work: (connection: Connection, namespace: string) => Promise<Result>) {
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '' } = installation.temporal;
  const connection = await Connection.connect({ address });
  try {
    return await work(connection, namespace);
  } finally {
    await connection.close();
  }
}

const workflowOf = (keyId: string) => `notification-send/${keyId}/email`;

const terminated = async (keyId: string) =>
  eventually(async () =>
    connected(async ({ workflowService }, namespace) =>
      workflowService.terminateWorkflowExecution({
        namespace,
        workflowExecution: { workflowId: workflowOf(keyId) },
      }),
    ),
  );

/** Returns the events of the workflow as text with decoded payloads. */
const historyOf = async (keyId: string): Promise<string> =>
  connected(async ({ workflowService }, namespace) => {
    const { history } = await workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId: workflowOf(keyId) },
    });
    return JSON.stringify(history, (_key, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
    );
  });
