import { afterAll, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { aTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

const get = '/v2/workspace/auditlog/get';

it('workspace/auditlog/get examines entries of the own workspace only', async () => {
  const [own, other] = [await aTenant(api), await aTenant(api)];
  await own.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  // More than a page examines.
  await api.database.sql(
    `insert into audit_entry (at, workspace_id, key_id, actor_kind, action, target, outcome)
     select now() + n * interval '1 microsecond', $1, $2, 'apiKey', 'configuration.update', 'notification', 'succeeded'
     from generate_series(1, 20001) n`,
    [other.workspace.workspaceId, other.keyId],
  );
  const mine = await own.workspace.ok(get, { target: 'notification' });
  expect(mine.data).toMatchObject([{ action: 'configuration.update', keyId: own.keyId }]);
  expect(mine.nextPageToken).toBeUndefined();
  const foreign = await own.workspace.ok(get, { keyId: other.keyId });
  expect([foreign.data, foreign.nextPageToken]).toEqual([[], undefined]);
});
