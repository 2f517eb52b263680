import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { aDocument, aTenant, freshId } from '../support/factories.ts';
import { aProvider, saying, type TestProvider } from '../support/provider.ts';
import { anInstallation, ended, migrate, type Installation } from './migrations.ts';

const environment = { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };

let installation: Installation;
let provider: TestProvider;

beforeAll(async () => {
  installation = await anInstallation({ environment });
  provider = await aProvider();
});
afterAll(async () => {
  await installation.close();
  await provider.close();
});

describe('a permission provider that does not respond', () => {
  it('leaves a slot to the jobs of other keys, and its own jobs continue when it responds', async () => {
    const released = Promise.withResolvers<void>();
    let [open, maxOpen] = [0, 0];
    provider.behave(async (received, response) => {
      open += 1;
      maxOpen = Math.max(maxOpen, open);
      response.once('close', () => (open -= 1));
      await released.promise;
      await saying({ hasAccess: true })(received, response);
    });
    const slow = await aTenant(installation.api);
    await slow.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
    await slow.ok('/v2/workspace/permissionproviderconfig/update', {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: provider.url },
    });
    const location = await aDocument(slow);
    await slow.ok('/v2/commentannotations/add', {
      ...location,
      commentAnnotations: [{ annotationId: 't', commentData: [{ from: { userId: 'ada' } }] }],
    });
    const jobs: string[] = [];
    for (const text of ['One', 'Two', 'Three']) {
      const { jobId = '' } = await slow.ok('/v2/commentannotations/comments/add', {
        ...location,
        annotationId: 't',
        commentData: [{ from: { userId: 'ben' }, commentText: text, triggerNotification: true }],
      });
      jobs.push(jobId);
    }
    await installation.startWorker({ ...environment, DATABASE_POOL_SIZE: '2' });
    await eventually(() => provider.received.length > 0);

    const other = await aTenant(installation.api);
    const document = await aDocument(other);
    const migrationId = await migrate(other, document, freshId('document'));
    expect(await ended(other, document, migrationId)).toMatchObject({ status: 'completed', verified: true });
    expect(maxOpen).toBe(1);

    released.resolve();
    for (const jobId of jobs)
      await eventually(async () => {
        const { data } = await slow.ok<{ status: string }>('/v2/jobs/get', { jobId });
        expect(data.status).toBe('completed');
      });
    const notified = await installation.api.database.sql(
      'select from notification_recipient where api_key_id = $1',
      [slow.id],
    );
    expect(notified).toHaveLength(jobs.length);
  });
});
