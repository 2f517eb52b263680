import { afterAll, describe, expect, it } from '@jest/globals';
import { ensureDemoWorkspace } from '../../cli/demo-workspace.ts';
import type { DemoCredentials } from '../../local/local-secrets.ts';
import { startTestApi } from '../support/api.ts';
import { aClient } from '../support/client.ts';

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

  it('is re-created when its credentials no longer work', async () => {
    const made = await ensure();
    const workspace = aClient(api.url, {
      'x-svc-workspace-id': made.workspaceId,
      'x-svc-workspace-auth-token': made.workspaceAuthToken,
    });
    await workspace.ok('/v2/workspace/authtoken/reset', { apiKey: made.apiKey });
    const again = await ensure(made);
    expect(again.apiKey).not.toBe(made.apiKey);
    await clientOf(again).ok('/v2/organizations/get');
  });
});
