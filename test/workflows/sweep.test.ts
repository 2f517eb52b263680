import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { claimDueJobs } from '../../domain/job-handlers/due-jobs.ts';
import { workflowIdOf } from '../../workflows/contract.ts';
import { sweepSchedule } from '../../workflows/starts.ts';
import { eventually } from '../support/eventually.ts';
import { aDocument, anOrganization, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { anInstallation, ended, migrate, type Installation } from './migrations.ts';

let installation: Installation;
let tenant: TestTenant;
let connection: Connection;
let client: Client;

beforeAll(async () => {
  installation = await anInstallation();
  tenant = await aTenant(installation.api);
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = installation.temporal;
  connection = await Connection.connect({ address: address ?? '' });
  client = new Client({ connection, namespace: namespace ?? '' });
});
afterAll(async () => {
  await connection.close();
  await installation.close();
});

const sql = <Row extends object>(text: string, values: unknown[] = []) =>
  installation.api.database.sql<Row>(text, values);

const noCascade = '{"organizations":[],"folders":[],"documents":[]}';

async function newJobs(count: number, request = noCascade): Promise<string[]> {
  const ids = Array.from({ length: count }, () => freshId('job'));
  await sql(
    `insert into job (api_key_id, public_id, kind, status, request, next_sweep_at)
     select $1, id, 4, 0, $3, now() - interval '1 second' from unnest($2::text[]) as t (id)`,
    [tenant.id, ids, request],
  );
  return ids;
}

describe('the sweep', () => {
  it('claims 200 jobs at a time, and claimed jobs again only after all others', async () => {
    const many = await newJobs(250);
    const claimed = async () => {
      const { due, more } = await claimDueJobs(installation.api.orm.em.fork());
      return { ids: due.map(({ jobId }) => jobId), more };
    };
    const { ids: first, more } = await claimed();
    const { ids: second, more: further } = await claimed();
    expect([first.length, more, second.length, further]).toEqual([200, true, 50, false]);
    expect([...first, ...second].sort()).toEqual(many.sort());
    await sql('delete from job where public_id = any($1)', [many]);
  });

  it.each([
    ['{"workflow":"notifyMembers"}', 'notifyMembers', 'Notifies the members of a document'],
    ['{"notify":{"notifications":[]}}', 'workOnJob', 'Notifies users of changed comments'],
    [noCascade, 'workOnJob', 'Removes the rows of deleted resources and their descendants'],
  ])(
    'starts a cascade with the request %s by its workflow and summary',
    async (request, workflowType, summary) => {
      const [jobId] = await newJobs(1, request);
      const { due } = await claimDueJobs(installation.api.orm.em.fork());
      expect(due).toEqual([expect.objectContaining({ jobId, kind: 'cascade', workflowType, summary })]);
      await sql('delete from job where public_id = $1', [jobId]);
    },
  );

  it('claims no job that was just accepted or has ended', async () => {
    const document = await aDocument(tenant);
    const [before] = await sql<{ at: string }>('select clock_timestamp()::text as at');
    const accepted = await migrate(tenant, document, freshId('moved'));
    // On a slow machine, the 10 s until it is due may pass before the claim.
    const postponed = await sql(
      `update job set next_sweep_at = next_sweep_at + interval '1 hour' where public_id = $1
       returning next_sweep_at >= $2::timestamptz + interval '1 hour 10 seconds' as waits`,
      [accepted, before?.at],
    );
    expect(postponed).toEqual([{ waits: true }]);
    const [ended = ''] = await newJobs(1);
    await sql('update job set status = 3 where public_id = $1', [ended]);
    expect((await claimDueJobs(installation.api.orm.em.fork())).due).toEqual([]);
  });

  it('starts jobs that were never started by its Schedule when a worker starts', async () => {
    const document = await aDocument(tenant);
    const migrationId = await migrate(tenant, document, freshId('moved'));
    await sql('update job set next_sweep_at = now() where public_id = $1', [migrationId]);
    await installation.startWorker();
    expect(await ended(tenant, document, migrationId)).toMatchObject({ status: 'completed' });
    const schedule = await client.schedule.getHandle(sweepSchedule.scheduleId).describe();
    expect(schedule.spec.intervals).toMatchObject([{ every: 15_000 }]);
    expect(schedule.policies.overlap).toBe('SKIP');
  });

  it('restarts a workflow that an operator terminated', async () => {
    const document = await aDocument(tenant);
    const writer = await installation.api.database.connect();
    await writer.query('begin');
    await writer.query('select 1 from document where ext_id = $1 for key share', [document.documentId]);
    const migrationId = await migrate(tenant, document, freshId('moved'));
    const workflowId = workflowIdOf({ kind: 'document-migration', jobId: migrationId });
    await eventually(() => client.workflow.getHandle(workflowId).terminate('by the test'));
    await writer.query('commit');
    await sql('update job set next_sweep_at = now() where public_id = $1', [migrationId]);
    expect(await ended(tenant, document, migrationId)).toMatchObject({ status: 'completed' });
  });

  it('allows an operator to find a job by its id, kind and organization', async () => {
    const organizationId = await anOrganization(tenant, { organizationId: freshId('o').padEnd(300, 'x') });
    const document = await aDocument(tenant, { organizationId });
    const migrationId = await migrate(tenant, document, freshId('moved'));
    await ended(tenant, document, migrationId);
    for (const query of [
      `StewardJobId = '${migrationId}'`,
      `StewardOrganizationId = '${document.organizationId.slice(0, 200)}' and StewardJobKind = 'document-migration'`,
    ]) {
      const found = await eventually(async () => {
        for await (const run of client.workflow.list({ query })) return run;
        return false;
      });
      expect(found.workflowId).toBe(`document-migration/${migrationId}`);
    }
  });
});
