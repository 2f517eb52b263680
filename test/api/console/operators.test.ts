import { afterAll, describe, expect, it } from '@jest/globals';
import { showsNoContent } from '../../../api/console/operator-content.ts';
import { endpoints } from '../../../api/endpoints.ts';
import { startTestApi } from '../../support/api.ts';
import { aPage, signIn } from '../../support/console.ts';
import { eventually } from '../../support/eventually.ts';
import {
  anOperator,
  anOperatorToken,
  anOrganization,
  aTenant,
  withActivityLogs,
} from '../../support/factories.ts';
import { inOneHour } from '../../support/one-period.ts';

const api = await startTestApi();
const showing = await startTestApi({
  database: api.database,
  environment: { STEWARD_OPERATOR_SEES_CONTENT: 'on', STEWARD_FAILED_CREDENTIALS_LIMIT: '3' },
});
afterAll(async () => {
  await showing.close();
  await api.close();
});

const list = '/v2/organizations/get';
const jobs = '/v2/jobs/list';

interface Entry {
  readonly actor_kind: string;
  readonly actor: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly outcome: string;
  readonly after: object | null;
}

const entriesOf = (condition: string, value: string): Promise<Entry[]> =>
  api.database.sql<Entry>(
    `select actor_kind, actor, action, target, outcome, after from audit_entry where ${condition} = $1 order by at`,
    [value],
  );

const actingToken = (scope: string) => anOperatorToken(anOperator(api), { scope, actsForKeys: true });

describe('an operator who acts for a key', () => {
  it('calls operations without content, each with an entry in the audit log of the key', async () => {
    const tenant = await aTenant(api);
    const browser = await signIn(api, { operatorToken: (await actingToken('read')).token });
    expect(browser.session).toMatchObject({ actsForKeys: true, seesContent: false });
    expect(browser.session.apiKeys.map(({ id }) => id)).toContain(tenant.keyId);
    const caller = browser.forKey(tenant.keyId);
    await caller.ok(jobs, {});
    await caller.ok(jobs, {});
    const act = { actor_kind: 'operator', actor: browser.session.id, action: 'key.act_for' };
    expect(await entriesOf('key_id', tenant.keyId)).toEqual([
      { ...act, target: tenant.keyId, outcome: 'succeeded', after: { operation: jobs } },
    ]);
  });

  it('reads with any scope and writes with `operate` or more', async () => {
    const tenant = await withActivityLogs(await aTenant(api));
    const reader = await signIn(showing, { operatorToken: (await actingToken('read')).token });
    const operating = await signIn(showing, { operatorToken: (await actingToken('operate')).token });
    const add = { organizations: [{ organizationId: 'o-1' }] };
    expect(await reader.forKey(tenant.keyId).refused('/v2/organizations/add', add)).toMatchObject({
      message: 'This operation needs an operator token of scope operate. The scope of this token is read.',
    });
    const writer = operating.forKey(tenant.keyId);
    await writer.ok('/v2/organizations/add', add);
    expect((await reader.forKey(tenant.keyId).ok(list)).data).toMatchObject([{ id: 'o-1' }]);
    await writer.ok('/v2/organizations/delete', { organizationIds: ['o-1'] });
    const entries = await entriesOf('actor', operating.session.id);
    expect(entries.map(({ action, after }) => [action, after])).toEqual([
      ['key.act_for', { operation: '/v2/organizations/add' }],
      ['key.act_for', { operation: '/v2/organizations/delete' }],
      ['organization.delete', null],
    ]);
  });

  it('uses the token with each call: its last use is written once per hour', async () => {
    const { tokenId, token } = await actingToken('read');
    const browser = await signIn(api, { operatorToken: token });
    await inOneHour(async () => {
      await api.database.sql(
        `update operator_token set last_used_at = now() - interval '2 hours' where public_id = $1`,
        [tokenId],
      );
      const used = async () => {
        await browser.ok('/v2/operator/keys/list', { pageSize: 1 });
        return api.database.sql(
          `select xmin::text, last_used_at = date_trunc('hour', now(), 'UTC') as "isThisHour"
             from operator_token where public_id = $1`,
          [tokenId],
        );
      };
      const first = await used();
      expect(first).toEqual([{ xmin: expect.any(String), isThisHour: true }]);
      expect(await used()).toEqual(first);
    });
  });

  it('sees content only with STEWARD_OPERATOR_SEES_CONTENT', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    const { token } = await actingToken('admin');
    const hidden = await signIn(api, { operatorToken: token });
    expect(await hidden.forKey(tenant.keyId).refused(list)).toMatchObject({
      http: 403,
      message: 'Operators do not see customer content unless STEWARD_OPERATOR_SEES_CONTENT is on.',
    });
    const shown = await signIn(showing, { operatorToken: token });
    expect(shown.session.seesContent).toBe(true);
    expect((await shown.forKey(tenant.keyId).ok(list)).data).toMatchObject([{ id: organizationId }]);
  });

  it('may by default call only operations of ids, states and settings', () => {
    const shown = endpoints.filter(
      (endpoint) => endpoint.credentials === 'apiKey' && showsNoContent(endpoint),
    );
    // A listed operation that no longer exists would leave the list shorter than it reads.
    expect(shown.map(({ paths }) => paths.at(-1))).toEqual(
      expect.arrayContaining(['/v2/jobs/list', '/v2/organizations/documents/migrate/status']),
    );
    expect(shown).toHaveLength(17);
    const refused = ['/v2/users/get', '/v2/crdt/get', '/v2/workspace/advancedwebhook/endpoints/secret/get'];
    for (const path of refused) expect(shown.map(({ paths }) => paths.at(-1))).not.toContain(path);
  });
});

describe('the audit log', () => {
  it('names the token as actor of the sign-in, and the session as actor of the acts', async () => {
    const tenant = await aTenant(api);
    const { workspaceId, authToken } = tenant.workspace;
    const browser = await signIn(api, { workspaceId, authToken });
    const { id } = browser.session;
    await browser.ok('/v2/workspace/apikey/update', { apiKey: tenant.apiKey, apiKeyName: 'Renamed' });
    await browser
      .forKey(tenant.keyId)
      .ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
    await browser.pages.ok('/console/session', undefined, { method: 'DELETE' });
    const entries = await entriesOf('workspace_id', workspaceId);
    expect(entries.map(({ actor_kind: kind, actor, action }) => [kind, actor, action])).toEqual([
      ['workspace', workspaceId, 'console.sign_in'],
      ['workspace', id, 'key.update'],
      ['workspace', id, 'configuration.update'],
      ['workspace', id, 'console.sign_out'],
    ]);
    expect(entries[0]).toMatchObject({ target: id, outcome: 'succeeded' });
  });

  it('contains failed sign-ins, which count as failed credentials in all processes', async () => {
    const { keyId, apiKey } = await aTenant(api);
    const attempts = [];
    for (let attempt = 0; attempt < 4; attempt += 1)
      attempts.push(await aPage(showing).refused('/console/session', { apiKey, authToken: 'tok_wrong' }));
    expect(attempts.map(({ http }) => http)).toEqual([403, 403, 403, 429]);
    expect(Number(attempts[3]?.headers['retry-after'])).toBeGreaterThan(0);
    const denied = { actor_kind: 'apiKey', actor: null, action: 'console.sign_in', outcome: 'denied' };
    await eventually(async () =>
      expect(await entriesOf('key_id', keyId)).toEqual(
        Array.from({ length: 4 }, () => expect.objectContaining(denied)),
      ),
    );
    expect(showing.log.join('')).not.toContain('tok_wrong');
  });
});
