import { afterAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { beginDeletion } from '../../activities/begin-deletion.ts';
import { removePersonalData } from '../../activities/work-on-personal-data.ts';
import { fenceUsers } from '../../domain/deletion/fence-users.ts';
import type { DeletionStep } from '../../workflows/contract.ts';
import { begunDeletion, whole } from '../domain/deletion/carry-out.ts';
import { startTestApi } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import { anOrganization, aTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

describe('a turn that finds nothing left to delete', () => {
  it('returns the counts of the previous turns, also in a new run of the workflow', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'ada' }] });
    const deletion = await begunDeletion(api, tenant, { userIds: ['ada'] });
    await whole(fenceUsers(api.orm, deletion));
    const dependencies = activityDependencies(api, api.orm);
    const job = { jobId: deletion.publicId };
    const turn = async (): Promise<DeletionStep> =>
      new MockActivityEnvironment().run(removePersonalData(dependencies), job);
    const counts = { memberships: 1 };
    let first = await turn();
    while (first.state === 'more') first = await turn();
    expect(first.counts).toMatchObject(counts);
    expect(await turn()).toEqual(first);
    expect(await new MockActivityEnvironment().run(beginDeletion(dependencies), job)).toMatchObject({
      counts: first.counts,
    });
  });
});
