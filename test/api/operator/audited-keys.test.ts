import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { aDocument, anOperator, freshId, type TestTenant } from '../../support/factories.ts';
import { aListeningTenant, anEndpoint, happened } from '../../support/webhooks.ts';

const api = await startTestApi();
afterAll(api.close);
const operator = anOperator(api);

interface Entry {
  readonly workspace_id: string | null;
  readonly key_id: string | null;
}

const entriesOf = (target: string): Promise<Entry[]> =>
  api.database.sql<Entry>(
    `select workspace_id, key_id from audit_entry where target = $1 and actor_kind = 'operator'`,
    [target],
  );

const ownedBy = ({ keyId, workspace }: TestTenant): Entry => ({
  workspace_id: workspace.workspaceId,
  key_id: keyId,
});

async function aMigration(tenant: TestTenant): Promise<string> {
  const { data } = await tenant.ok<{ migrationId: string }>('/v2/organizations/documents/migrate', {
    ...(await aDocument(tenant)),
    newDocumentId: freshId('moved'),
  });
  return data.migrationId;
}

const aQuietEndpoint = async (tenant: TestTenant): Promise<string> =>
  anEndpoint(api, tenant, 'https://receiver.test/hook');

async function aPoisonEvent(tenant: TestTenant): Promise<string> {
  await aQuietEndpoint(tenant);
  await happened(api, tenant, [{}]);
  const [event] = await api.database.sql<{ public_id: string }>(
    `with taken as (delete from outbox where api_key_id = $1 returning *),
       poisoned as (
         insert into poison_event (api_key_id, event_id, event_at, attempts, reason)
         select api_key_id, event_id, event_at, 5, 'integrity constraint (23505)' from taken)
     select e.public_id from taken t join event e on e.at = t.event_at and e.id = t.event_id`,
    [tenant.id],
  );
  return event?.public_id ?? '';
}

/** The acts of operators that name a job, an event or an endpoint, and what makes one. */
const acts: Readonly<
  Record<string, { readonly member: string; readonly made: (tenant: TestTenant) => Promise<string> }>
> = {
  'jobs/cancel': { member: 'jobId', made: aMigration },
  'jobs/retry': { member: 'jobId', made: aMigration },
  'events/poison/retry': { member: 'eventId', made: aPoisonEvent },
  'events/poison/discard': { member: 'eventId', made: aPoisonEvent },
  'webhooks/pause': { member: 'endpointId', made: aQuietEndpoint },
  'webhooks/resume': { member: 'endpointId', made: aQuietEndpoint },
  'webhooks/recover': { member: 'endpointId', made: aQuietEndpoint },
};

describe('the audit entry of an operator’s act', () => {
  it.each(Object.entries(acts))('%s names the workspace and the key of its target', async (path, act) => {
    const tenant = await aListeningTenant(api);
    const target = await act.made(tenant);
    const since = path === 'webhooks/recover' ? { since: Date.now() - 1_000 } : {};
    await operator.ok(`/v2/operator/${path}`, { [act.member]: target, ...since });
    expect(await entriesOf(target)).toEqual([ownedBy(tenant)]);
  });

  it.each(['jobs/cancel', 'jobs/retry'])('%s names them also for a job of a deleted key', async (path) => {
    const tenant = await aListeningTenant(api);
    const jobId = await aMigration(tenant);
    await api.database.sql('update api_key set deleted_at = now() where id = $1', [tenant.id]);
    await operator.ok(`/v2/operator/${path}`, { jobId });
    expect(await entriesOf(jobId)).toEqual([ownedBy(tenant)]);
  });

  it('names neither for a pause of all deliveries', async () => {
    await operator.ok('/v2/operator/webhooks/pause', { all: true });
    await operator.ok('/v2/operator/webhooks/resume', { all: true });
    const neither = { workspace_id: null, key_id: null };
    expect(await entriesOf('all')).toEqual([neither, neither]);
  });
});
