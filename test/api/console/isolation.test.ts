import { afterAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { startTestApi } from '../../support/api.ts';
import type { TestClient } from '../../support/client.ts';
import { signIn } from '../../support/console.ts';
import { anOperator, anOperatorToken, aTenant } from '../../support/factories.ts';
import { rowsOf } from '../../support/rows.ts';
import { operations } from '../../support/operations.ts';
import { about } from '../../support/world-ids.ts';
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

  it('returns the same for a key of others as for an unknown one', async () => {
    const unknown = byWorkspace.forKey('akid_0123456789abcdef0123456789abcdef');
    expect(Object.keys(await refusals(unknown, ofKeys.slice(0, 3)))).toEqual([
      '403 The session has no access to this API key.',
    ]);
  });

  it('reads and changes nothing of others by ids in its requests', async () => {
    const before = await rowsOf(api.database, mine.tenant.id);
    for (const { path, credentials, data } of examples) {
      if (credentials === 'operator') continue;
      const caller = credentials === 'apiKey' ? byWorkspace.forKey(theirs.keyId) : byWorkspace;
      const response = await caller.call(path, data);
      expect(response.status).not.toBe(500);
      // Texts that the world of the first tenant has, and no example.
      expect(response.text).not.toMatch(/Plan of Ada|Ada wrote/);
    }
    expect(await rowsOf(api.database, mine.tenant.id)).toEqual(before);
  });

  it('is refused operations of other credentials than its own', async () => {
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
