import { afterAll, describe, expect, it } from '@jest/globals';
import { ensureDemoWorkspace } from '../../cli/demo-workspace.ts';
import type { DemoCredentials } from '../../local/local-secrets.ts';
import { startTestApi } from '../support/api.ts';
import { aClient } from '../support/client.ts';
import { anOperator } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

const ensure = (previous?: DemoCredentials) =>
  ensureDemoWorkspace({
    databaseUrl: api.database.url,
    encryptionKeys: [{ id: 'tests', key: Buffer.alloc(32, 'k') }],
    previous,
  });

const clientOf = ({ apiKey, authToken }: DemoCredentials) =>
  aClient(api.url, { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken });

const workspaceOf = ({ workspaceId, workspaceAuthToken }: DemoCredentials) =>
  aClient(api.url, {
    'x-svc-workspace-id': workspaceId,
    'x-svc-workspace-auth-token': workspaceAuthToken,
  });

describe('the demo workspace', () => {
  it('has a key with activity logs and notifications on', async () => {
    const client = clientOf(await ensure());
    expect((await client.ok('/v2/workspace/activityconfig/get')).data).toMatchObject({
      activityServiceConfig: { isEnabled: true, triggers: { 'comment.add': true } },
    });
    expect((await client.ok('/v2/workspace/notificationconfig/get')).data).toMatchObject({
      useNotificationService: true,
      notificationServiceConfig: { triggers: { comment: { 'comment.add': true } } },
    });
  });

  it('is reused at the next start', async () => {
    const made = await ensure();
    expect(await ensure(made)).toEqual(made);
  });

  it.each([0, 3_600])(
    'has the new token after a reset with an overlap of %i seconds',
    async (overlapSeconds) => {
      const made = await ensure();
      const { apiKey } = made;
      await clientOf(made).ok('/v2/organizations/add', {
        organizations: [{ organizationId: 'kept' }],
      });
      const reset = '/v2/workspace/authtoken/reset';
      const { data } = await workspaceOf(made).ok<{ newAuthToken: { token: string } }>(reset, {
        apiKey,
        overlapSeconds,
      });
      const again = await ensure(made);
      expect(again).toEqual({ ...made, authToken: data.newAuthToken.token });
      expect((await clientOf(again).ok('/v2/organizations/get')).data).toMatchObject([{ id: 'kept' }]);
    },
  );

  it('has another key after its key was deleted', async () => {
    const made = await ensure();
    const { apiKey } = made;
    const confirmName = 'Demo API Key';
    await workspaceOf(made).ok('/v2/workspace/apikey/delete', { apiKey, confirmName });
    const again = await ensure(made);
    expect(again).toMatchObject({
      workspaceId: made.workspaceId,
      workspaceAuthToken: made.workspaceAuthToken,
    });
    expect(again.apiKey).not.toBe(apiKey);
    expect((await clientOf(again).ok('/v2/workspace/notificationconfig/get')).data).toMatchObject({
      useNotificationService: true,
    });
    expect(await ensure(again)).toEqual(again);
  });

  it('does not prevent a start while it is disabled, also without its key', async () => {
    const made = await ensure();
    const { apiKey, workspaceId } = made;
    await workspaceOf(made).ok('/v2/workspace/apikey/delete', { apiKey, confirmName: 'Demo API Key' });
    await anOperator(api).ok('/v2/operator/workspaces/disable', { workspaceId });
    expect(await ensure(made)).toEqual(made);
  });

  it('is re-created when the credentials of the workspace no longer work', async () => {
    const made = await ensure();
    const again = await ensure({ ...made, workspaceAuthToken: 'wst_another' });
    expect(again.workspaceId).not.toBe(made.workspaceId);
    await clientOf(again).ok('/v2/organizations/get');
  });
});
