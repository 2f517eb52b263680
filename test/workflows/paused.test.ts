import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { choosePort } from '../../local/ports.ts';
import { aiProviders, withProviderKeys, type TestProviders } from '../support/ai-providers.ts';
import { runCommand } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { aDocument, anOperator, type TestTenant } from '../support/factories.ts';
import { aMailServer, type MailServer } from '../support/mail-server.ts';
import { aProvider, type TestProvider } from '../support/provider.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import type { TestProcess } from '../support/processes.ts';
import { aMailingTenant, notified, waitingOf } from '../support/senders.ts';
import { aListeningTenant, anEndpoint } from '../support/webhooks.ts';
import { anInstallation, ended, migrate, statusOf, type Installation } from './migrations.ts';

const paused = {
  STEWARD_PAUSED: 'deliveries,jobs',
  STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
};
const metricsPort = await choosePort(undefined);

let installation: Installation;
let receiver: Receiver;
let provider: TestProvider;
let ai: TestProviders;
let mail: MailServer;
let sending: Readonly<Record<string, string>>;
let tenant: TestTenant;
let worker: TestProcess;
let endpointId: string;

beforeAll(async () => {
  [receiver, provider, ai, mail] = await Promise.all([
    aReceiver(),
    aProvider(),
    aiProviders(),
    aMailServer(),
  ]);
  sending = { STEWARD_SMTP_URL: mail.url, STEWARD_MAIL_FROM: 'steward@mail.test' };
  installation = await anInstallation({ environment: paused });
  const { api } = installation;
  tenant = await withProviderKeys(await aListeningTenant(api), 'sk-of-the-tests');
  await tenant.ok('/v2/workspace/activityconfig/update', { activityServiceConfig: { isEnabled: true } });
  endpointId = await anEndpoint(api, tenant, receiver.url);
  worker = await installation.startWorker({
    ...paused,
    ...sending,
    ...ai.environment,
    METRICS_PORT: String(metricsPort),
  });
});
afterAll(async () => {
  await installation.close();
  await Promise.all([receiver, provider, ai, mail].map(async (server) => server.close()));
});

const sql = <Row extends object>(text: string) => installation.api.database.sql<Row>(text);

/** Waits until a sweep of the paused worker has checked for jobs and webhooks. */
async function afterNextSweep(): Promise<void> {
  const since = new Date();
  await eventually(async () => {
    const steps = await sql<{ succeeded_at: Date }>(
      `select succeeded_at from sweep_step where name = 'wake_waiting_webhooks'`,
    );
    return steps.some(({ succeeded_at }) => succeeded_at > since);
  });
}

const readyz = async (url: string) => (await fetch(`${url}/readyz`)).json() as Promise<object>;

describe('a deployment with STEWARD_PAUSED=deliveries,jobs', () => {
  it('names the paused work in readyz, the list of processes and doctor', async () => {
    const work = ['deliveries', 'jobs'];
    // On a slow machine, a dependency may not respond in the time of one check.
    await eventually(async () => {
      expect(await readyz(installation.api.url)).toMatchObject({ status: 'ready', paused: work });
      expect(await readyz(`http://127.0.0.1:${String(metricsPort)}`)).toMatchObject({ paused: work });
    });
    await eventually(async () => {
      const { data } = await anOperator(installation.api).ok<object[]>('/v2/operator/processes/list', {});
      expect(data).toContainEqual(expect.objectContaining({ kind: 'worker', paused: work }));
    });
    await eventually(async () => {
      const found = await runCommand(installation.api, ['doctor'], installation.temporal);
      expect(found).toMatch(
        /warning +paused +STEWARD_PAUSED of 2 of 2 processes pauses deliveries and jobs: unset it and restart them/,
      );
    });
  });

  it('calls no webhook endpoint, AI provider or permission provider for a request', async () => {
    const tested = await tenant.ok<{ attempt: object }>('/v2/workspace/advancedwebhook/endpoints/test', {
      endpointId,
    });
    expect(tested.data.attempt).toMatchObject({ error: 'Calls to other servers are paused.' });

    const ask = { model: 'gpt-4o', prompt: 'Make it friendlier.', text: 'Send me the plan.' };
    const { status, body } = await tenant.call('/v2/rewriter/ask-ai', ask);
    expect([status, body.error?.message]).toEqual([
      503,
      'Outgoing calls are paused by the operator of this deployment.',
    ]);

    await tenant.ok('/v2/workspace/permissionproviderconfig/update', {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: provider.url, authToken: '' },
    });
    const { organizationId, documentId: id } = await aDocument(tenant);
    const resources = [{ type: 'document', id, organizationId }];
    const checked = await tenant.ok<object>('/v2/auth/permissions/check', { userId: 'u1', resources });
    expect(JSON.stringify(checked)).toContain('provider-failed');

    expect(receiver.delivered).toEqual([]);
    expect(provider.received).toEqual([]);
    expect(await sql(`select from staged_request`)).toEqual([]);
  });

  it('accepts writes and jobs, sends nothing, and continues when the variable is unset', async () => {
    const { api } = installation;
    const document = await aDocument(tenant);
    await tenant.ok('/v2/activities/add', {
      ...document,
      activities: [
        { featureType: 'custom', actionType: 'plan.read', targetEntityId: 't', actionUser: { userId: 'u1' } },
      ],
    });
    const migrationId = await migrate(tenant, document, 'moved');
    const mailing = await aMailingTenant(api);
    await notified(mailing);
    // Old enough for the sweep.
    await sql(`update event set at = at - interval '1 minute'`);
    await sql(`update outbox set event_at = event_at - interval '1 minute'`);
    await sql(`update job set next_sweep_at = now()`);
    await sql(`update notice set due_at = due_at - interval '1 minute'`);
    await afterNextSweep();

    expect(await statusOf(tenant, document, migrationId)).toMatchObject({ status: 'pending' });
    expect(await sql(`select from outbox`)).toHaveLength(1);
    expect(await workflowTypes()).toEqual(['sweep']);
    expect([mail.mails, await waitingOf(api, mailing)]).toEqual([
      [],
      { notices: 1, windows: 0, outgoing: 0 },
    ]);

    await worker.stop();
    await installation.startWorker({ ...sending, STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
    expect(await ended(tenant, document, migrationId)).toMatchObject({ status: 'completed', verified: true });
    await eventually(() => receiver.delivered.length === 2);
    await eventually(() => mail.mails.length === 1);
    expect(api.log.join('')).toContain('"work":["deliveries","jobs"],"msg":"work paused"');
  });
});

async function workflowTypes(): Promise<string[]> {
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '' } = installation.temporal;
  const connection = await Connection.connect({ address });
  try {
    const types = new Set<string>();
    for await (const { type } of new Client({ connection, namespace }).workflow.list()) types.add(type);
    return [...types];
  } finally {
    await connection.close();
  }
}
