import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { eventually } from '../support/eventually.ts';
import { aFakeProvider } from '../support/fake-provider.ts';
import { aDocument, aTenant } from '../support/factories.ts';
import { aMailServer } from '../support/mail-server.ts';
import type { TestProcess } from '../support/processes.ts';
import { aMailingTenant, logOf, notified, notifiedIn, waitingOf } from '../support/senders.ts';
import { anInstallation } from './migrations.ts';

const json = (body: object) => ({ status: 200, body: JSON.stringify(body) });
const taken = json({ ok: true, ts: '171.1', user: { id: 'U7' } });

const installation = await anInstallation();
const mail = await aMailServer();
const slack = await aFakeProvider(taken);
/** Keys with a notification that was added before the worker was started. `unsignaled` has no workflow any more. */
const keys = {
  early: await aMailingTenant(installation.api),
  unsignaled: await aMailingTenant(installation.api),
};
let worker: TestProcess;

beforeAll(async () => {
  await notified(keys.early, { notifyUsers: [{ userId: 'ben', email: 'first@users.test' }] });
  await notified(keys.unsignaled, { notifyUsers: [{ userId: 'ben', email: 'swept@users.test' }] });
  await terminated(keys.unsignaled.keyId);
  await installation.api.database.sql(
    `update notice set due_at = now() - interval '1 minute' where api_key_id = $1`,
    [keys.unsignaled.id],
  );
  worker = await installation.startWorker({
    STEWARD_SMTP_URL: mail.url,
    STEWARD_MAIL_FROM: 'steward@mail.test',
    STEWARD_SLACK_API_URL: `${slack.url}/api`,
  });
});
afterAll(async () => {
  await installation.close();
  await slack.close();
  await mail.close();
});

const nothing = { notices: 0, windows: 0, outgoing: 0 };
const mailsTo = (address: string) => mail.mails.filter(({ to }) => to === address);

describe('the sender of a key', () => {
  it('sends notices that were planned while no worker ran, and ends when none waits', async () => {
    const tenant = keys.early;
    await eventually(() => mailsTo('first@users.test').length === 1);
    await eventually(async () => (await logOf(installation.api, tenant)).length === 1);
    expect(await waitingOf(installation.api, tenant)).toEqual(nothing);
    await notified(tenant, { notifyUsers: [{ userId: 'ben', email: 'second@users.test' }] });
    await eventually(() => mailsTo('second@users.test').length === 1);
    expect(await historyOf(tenant.keyId)).not.toMatch(/users\.test|Is this the plan|\bAda\b/);
    expect(worker.log.join('\n')).not.toMatch(/users\.test|Is this the plan/);
  });

  it('is started by the sweep when its signal was lost', async () => {
    await eventually(() => mailsTo('swept@users.test').length === 1);
  });

  it('is woken by an update of the Slack settings, and sends deliveries that a revoked token held', async () => {
    slack.reply(({ headers }) =>
      headers.authorization === 'Bearer xoxb-revoked' ? json({ ok: false, error: 'token_revoked' }) : taken,
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
    await installation.api.database.sql(
      `update channel_state set next_try = now() + interval '1 day' where api_key_id = $1`,
      [tenant.id],
    );
    await withToken('xoxb-valid');
    await eventually(async () => (await logOf(installation.api, tenant)).length === 1);
    expect(slack.calls.filter(({ path }) => path === '/api/chat.postMessage')).toHaveLength(1);
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
