import { afterAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { showsNoContent } from '../../../api/console/operator-content.ts';
import { tokenScopeOf } from '../../../api/http/caller/token-scope.ts';
import { scopeIncludes } from '../../../domain/tenancy/operator-scopes.ts';
import { startTestApi } from '../../support/api.ts';
import type { TestClient } from '../../support/client.ts';
import { signIn } from '../../support/console.ts';
import { anOperator, anOperatorToken, aScopedToken, aTenant } from '../../support/factories.ts';
import { rowsOf } from '../../support/rows.ts';
import { normalized, operations, requestsOf } from '../../support/operations.ts';
import { about, unknownIds } from '../../support/world-ids.ts';
import { aWorld } from '../../support/world.ts';

/* Generated from the registry: an operation is covered from the moment it is registered. */

const api = await startTestApi();
afterAll(api.close);
const mine = await aWorld(api);
const theirs = await aTenant(api);
const { workspaceId, authToken } = theirs.workspace;
const byWorkspace = await signIn(api, { workspaceId, authToken });
const byKey = await signIn(api, { apiKey: theirs.apiKey, authToken: theirs.authToken });
const operatorToken = await anOperatorToken(anOperator(api), { scope: 'admin', actsForKeys: false });
const byOperator = await signIn(api, { operatorToken: operatorToken.token });

const examples = operations.map(({ endpoint, path }) => ({
  path,
  endpoint,
  credentials: endpoint.credentials,
  data: about(mine.ids, endpoint.example),
}));
const ofKeys = examples.filter(({ credentials }) => credentials === 'apiKey');

/** The distinct responses to these operations, each with the paths that returned it. */
async function refusals(caller: TestClient, calls: typeof examples): Promise<Record<string, string[]>> {
  const seen: Record<string, string[]> = {};
  // Several at once: a refused call changes nothing.
  const limit = pLimit(8);
  const responses = await limit.map(calls, async ({ path, data }) => ({
    path,
    ...(await caller.call(path, data)),
  }));
  for (const { path, status, body } of responses) {
    (seen[`${String(status)} ${body.error?.message ?? 'success'}`] ??= []).push(path);
  }
  return seen;
}

describe('a session of another tenant', () => {
  it('is refused every operation of a key that it names by id', async () => {
    const before = await rowsOf(api.database, mine.tenant.id);
    for (const caller of [byWorkspace.forKey(mine.tenant.keyId), byKey.forKey(mine.tenant.keyId)])
      expect(Object.keys(await refusals(caller, ofKeys))).toEqual([
        '403 The session has no access to this API key.',
      ]);
    expect(await rowsOf(api.database, mine.tenant.id)).toEqual(before);
  });

  it('gets the same response for a key of another tenant as for an unknown key', async () => {
    const unknown = byWorkspace.forKey('akid_0123456789abcdef0123456789abcdef');
    expect(Object.keys(await refusals(unknown, ofKeys.slice(0, 3)))).toEqual([
      '403 The session has no access to this API key.',
    ]);
  });

  it('reads and changes no records of other tenants by ids in its requests', async () => {
    const before = await rowsOf(api.database, mine.tenant.id);
    for (const { path, credentials, data } of examples) {
      if (credentials === 'operator') continue;
      const caller = credentials === 'apiKey' ? byWorkspace.forKey(theirs.keyId) : byWorkspace;
      const response = await caller.call(path, data);
      expect(response.status).not.toBe(500);
      // Texts of the first tenant's world that no example contains.
      expect(response.text).not.toMatch(/Plan of Ada|Ada wrote/);
    }
    expect(await rowsOf(api.database, mine.tenant.id)).toEqual(before);
  });

  it('gets the same response for records of other tenants as for missing records', async () => {
    const unknown = unknownIds(mine.ids);
    // Tenants of their own: other tests here make records of `theirs`.
    const [reader, stranger] = await Promise.all([aTenant(api), aTenant(api)]);
    const [readers, strangers] = await Promise.all(
      [reader, stranger].map(({ workspace }) =>
        signIn(api, { workspaceId: workspace.workspaceId, authToken: workspace.authToken }),
      ),
    );
    if (readers === undefined || strangers === undefined) throw new Error('The sign-in failed.');
    let compared = 0;
    for (const { endpoint, path } of operations) {
      if (endpoint.mutates || endpoint.credentials === 'operator') continue;
      const ofKey = endpoint.credentials === 'apiKey';
      const callers = [
        [ofKey ? readers.forKey(reader.keyId) : readers, mine.ids],
        [ofKey ? strangers.forKey(stranger.keyId) : strangers, unknown],
      ] as const;
      for (const request of requestsOf(endpoint)) {
        const responses = [];
        for (const [caller, ids] of callers)
          responses.push(normalized(await caller.call(path, about(ids, request)), ids));
        expect([path, responses[0]]).toEqual([path, responses[1]]);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(60);
  });

  it('uses only the key of its header: credentials in other headers and ids in the URL are ignored', async () => {
    const headers = {
      'x-svc-api-key': mine.tenant.apiKey,
      'x-svc-auth-token': mine.tenant.authToken,
      'x-svc-workspace-id': mine.tenant.workspace.workspaceId,
    };
    const list = '/v2/organizations/get';
    const own = normalized(await byKey.call(list), mine.ids);
    expect(normalized(await byKey.with(headers).call(list), mine.ids)).toBe(own);
    const search = `?x-console-key=${mine.tenant.keyId}&keyId=${mine.tenant.keyId}`;
    expect(normalized(await byKey.call(`${list}${search}`), mine.ids)).toBe(own);
    const keys = '/v2/workspace/apikeys/get';
    expect((await byWorkspace.with(headers).call(keys)).text).not.toContain(mine.tenant.apiKey);
    for (const path of [`//v2/organizations/get`, `/../v2/organizations/get`, `/%76%32/organizations/get`])
      expect([path, (await byKey.with(headers).call(path)).text]).toEqual([
        path,
        expect.not.stringContaining(mine.ids.organization[0] ?? 'missing'),
      ]);
  });

  it('is refused operations of other kinds of credentials', async () => {
    const others = (own: string) => examples.filter(({ credentials }) => credentials !== own);
    const beyondKey = await refusals(byKey, others('apiKey'));
    expect(Object.keys(beyondKey)).toEqual([
      '403 The session has no access to operations of these credentials.',
    ]);
    const forOperators = examples.filter(({ credentials }) => credentials === 'operator');
    expect(Object.keys(await refusals(byWorkspace, forOperators))).toEqual(Object.keys(beyondKey));
    const forWorkspaces = examples.filter(({ credentials }) => credentials === 'workspace');
    expect(Object.keys(await refusals(byOperator, forWorkspaces))).toEqual(Object.keys(beyondKey));
    expect(Object.keys(await refusals(byOperator.forKey(mine.tenant.keyId), ofKeys))).toEqual([
      '403 The operator token may not act for API keys.',
    ]);
  });
});

describe('a session', () => {
  it('of a scoped token is refused every operation of another scope', async () => {
    const granted = 'organizations:read';
    const { token } = await aScopedToken(theirs, [granted]);
    const scoped = await signIn(api, { apiKey: theirs.apiKey, authToken: token });
    const beyond = ofKeys.filter(({ endpoint }) => tokenScopeOf(endpoint) !== granted);
    expect(beyond.length).toBeGreaterThan(100);
    const seen = Object.keys(await refusals(scoped, beyond));
    for (const refusal of seen) expect(refusal).toMatch(/^403 .*scope/);
  });

  it.each(['read', 'operate'] as const)(
    'of an operator token of scope %s is refused every operation that needs a larger one',
    async (scope) => {
      const { token } = await anOperatorToken(anOperator(api), { scope });
      const operator = await signIn(api, { operatorToken: token });
      const beyond = examples.filter(
        ({ endpoint: { operatorScope } }) =>
          operatorScope !== undefined && !scopeIncludes(scope, operatorScope),
      );
      expect(beyond.length).toBeGreaterThan(0);
      for (const refusal of Object.keys(await refusals(operator, beyond)))
        expect(refusal).toMatch(/^403 This operation needs an operator token of scope/);
    },
  );

  it('of an operator who acts for keys changes nothing with the scope read, and sees no content', async () => {
    const { token } = await anOperatorToken(anOperator(api), { scope: 'read', actsForKeys: true });
    const acting = (await signIn(api, { operatorToken: token })).forKey(mine.tenant.keyId);
    const before = await rowsOf(api.database, mine.tenant.id);
    const writes = ofKeys.filter(({ endpoint }) => endpoint.mutates);
    for (const refusal of Object.keys(await refusals(acting, writes)))
      expect(refusal).toMatch(/^403 This operation needs an operator token of scope operate/);
    const content = ofKeys.filter(({ endpoint }) => !endpoint.mutates && !showsNoContent(endpoint));
    expect(Object.keys(await refusals(acting, content))).toEqual([
      '403 Operators do not see customer content unless STEWARD_OPERATOR_SEES_CONTENT is on.',
    ]);
    expect(await rowsOf(api.database, mine.tenant.id)).toEqual(before);
  });
});
