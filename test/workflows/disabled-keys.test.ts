import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { aDocument, anOperator, anOrganization, freshId, type TestTenant } from '../support/factories.ts';
import { aReceiver, type Receiver } from '../support/receiver.ts';
import { aListeningTenant, anEndpoint, happened } from '../support/webhooks.ts';
import { anInstallation, migrate, type Installation } from './migrations.ts';

let installation: Installation;
const receivers: Receiver[] = [];

beforeAll(async () => {
  installation = await anInstallation();
});
afterAll(async () => {
  await installation.close();
  await Promise.all(receivers.map(async (receiver) => receiver.close()));
});

interface Scene {
  readonly tenant: TestTenant;
  readonly receiver: Receiver;
}

/** Creates a key with a receiver and with pending jobs. */
async function aScene(): Promise<Scene> {
  const { api } = installation;
  const tenant = await aListeningTenant(api);
  const receiver = await aReceiver();
  receivers.push(receiver);
  await anEndpoint(api, tenant, receiver.url);
  const document = await aDocument(tenant);
  await migrate(tenant, document, freshId('document'));
  const organizationIds = [await anOrganization(tenant)];
  await tenant.ok('/v2/organizations/delete', { organizationIds });
  return { tenant, receiver };
}

const records = async (tenant: TestTenant, count: number): Promise<void> =>
  happened(
    installation.api,
    tenant,
    Array.from({ length: count }, () => ({})),
  );

const statuses = async ({ tenant }: Scene): Promise<string[]> => {
  const rows = await installation.api.database.sql<{ status: number }>(
    'select status from job where api_key_id = $1 order by id',
    [tenant.id],
  );
  return rows.map(({ status }) => ['pending', 'in_progress', 'completed', 'failed'][status] ?? '');
};

const attemptsOf = async ({ tenant }: Scene): Promise<number> =>
  (await installation.api.database.sql('select 1 from attempt where api_key_id = $1', [tenant.id])).length;

describe('jobs and deliveries of a disabled key', () => {
  it('wait while those of other keys proceed, and continue without a failure when it is enabled', async () => {
    const operator = anOperator(installation.api);
    const [disabled, other] = [await aScene(), await aScene()];
    const { keyId } = disabled.tenant;
    await records(disabled.tenant, 3);
    await operator.ok('/v2/operator/keys/disable', { keyId });
    await installation.startWorker({ STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
    await records(other.tenant, 3);
    await records(disabled.tenant, 3);

    await eventually(() => expect(other.receiver.ids().size).toBeGreaterThanOrEqual(3));
    await eventually(async () => expect(new Set(await statuses(other))).toEqual(new Set(['completed'])));
    expect(new Set(await statuses(disabled))).toEqual(new Set(['pending']));
    expect([disabled.receiver.delivered.length, await attemptsOf(disabled)]).toEqual([0, 0]);

    await operator.ok('/v2/operator/keys/enable', { keyId });
    await eventually(async () => expect(new Set(await statuses(disabled))).toEqual(new Set(['completed'])));
    // The events recorded above, and the event of the migration.
    await eventually(() => expect(disabled.receiver.ids().size).toBe(7));
    await eventually(async () => expect(await attemptsOf(disabled)).toBe(7));
  });
});
