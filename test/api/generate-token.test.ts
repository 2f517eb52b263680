import type { webcrypto } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { rotateTokenKey } from '../../domain/signing/token-keys.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { startTestApi } from '../support/api.ts';
import { issuesOf } from '../support/client.ts';
import { aTenant, freshId } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { aTree, generate, verdict } from './permission-calls.ts';

const api = await startTestApi();
afterAll(api.close);

interface Keys {
  readonly keys: readonly (webcrypto.JsonWebKey & { readonly kid: string })[];
}

const published = async (): Promise<Keys> => {
  const response = await fetch(`${api.url}/.well-known/jwks.json`);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return (await response.json()) as Keys;
};

const parsed = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

/** Verifies a token with the published key of its `kid`, like an external verifier. Returns header and claims. */
async function verified(
  token: string,
): Promise<{ header: Record<string, unknown>; claims: Record<string, unknown> }> {
  const [head = '', body = '', signature = ''] = token.split('.');
  const header = parsed(head);
  const key = (await published()).keys.find(({ kid }) => kid === header['kid']);
  if (key === undefined) throw new Error('The key is not published.');
  const imported = await crypto.subtle.importKey('jwk', key, 'Ed25519', false, ['verify']);
  const good = await crypto.subtle.verify(
    'Ed25519',
    imported,
    Buffer.from(signature, 'base64url'),
    Buffer.from(`${head}.${body}`),
  );
  if (!good) throw new Error('The signature is not good.');
  return { header, claims: parsed(body) };
}

const tokenOf = async (
  tenant: { ok: Awaited<ReturnType<typeof aTenant>>['ok'] },
  data: object,
): Promise<string> => (await tenant.ok<{ token: string }>(generate, data)).data.token;

describe('generate_token', () => {
  it('stores an e-mail address by which searches and deletions find the user', async () => {
    const { tenant, organization, user } = await aTree(api);
    await tenant.ok(generate, {
      userId: user,
      userProperties: { name: 'Grace', email: 'Amazing@users.test' },
      permissions: { resources: [organization] },
    });
    const { data } = await tenant.ok<{ userId: string }[]>('/v2/users/search', { prefix: 'amazing@' });
    expect(data.map(({ userId }) => userId)).toEqual([user]);
    // Deletions and their fences find the person's keys by these.
    expect(
      await api.database.sql('select address from user_address where api_key_id = $1', [tenant.id]),
    ).toEqual([{ address: 'amazing@users.test' }]);
  });

  it('signs a token that the published keys verify, valid for 48 hours', async () => {
    const { tenant, document, organization, user } = await aTree(api);
    const expiresAt = Math.floor(Date.now() / 1_000) + 600;
    const { message, data } = await tenant.ok<{ token: string }>(generate, {
      userId: user,
      userProperties: { name: 'Ada', email: 'ada@example.com', isAdmin: true },
      permissions: { resources: [organization, { ...document, accessRole: 'viewer', expiresAt }] },
    });
    expect(message).toBe('Token generated successfully.');
    const { header, claims } = await verified(data.token);
    expect(header).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: expect.stringMatching(/^jwt_/) });
    const now = Math.floor(Date.now() / 1_000);
    expect(claims).toEqual({
      iss: 'steward',
      aud: tenant.apiKey,
      sub: user,
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: expect.any(Number),
      name: 'Ada',
      email: 'ada@example.com',
      isAdmin: true,
      permissions: {
        resources: [
          { ...organization, organizationId: organization.id, accessRole: 'editor' },
          { ...document, accessRole: 'viewer', expiresAt },
        ],
      },
    });
    expect(Math.abs(Number(claims['iat']) - now)).toBeLessThanOrEqual(60);
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(48 * 3_600);
  });

  it('stores its grants as permissions/add does, and the name and e-mail as the user’s', async () => {
    const { tenant, document, user } = await aTree(api);
    await tokenOf(tenant, {
      userId: user,
      userProperties: { name: 'Ada', email: 'ada@example.com' },
      permissions: { resources: [{ ...document, accessRole: 'viewer' }] },
    });
    expect(await verdict(tenant, user, document)).toBe('viewer: grant');
    const again = await tokenOf(tenant, { userId: user, userProperties: { name: 'Ada Lovelace' } });
    expect((await verified(again)).claims).toMatchObject({
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      isAdmin: false,
      permissions: { resources: [] },
    });
    expect(
      await api.database.sql('select name, email from app_user where api_key_id = $1', [tenant.id]),
    ).toEqual([{ name: 'Ada Lovelace', email: 'ada@example.com' }]);
    expect(await verdict(tenant, user, document)).toBe('viewer: grant');
  });

  it('accepts the user of a response, also one without an e-mail address', async () => {
    const tenant = await aTenant(api);
    const organizationId = freshId('organization');
    await tenant.ok('/v2/users/add', {
      organizationId,
      users: [{ userId: 'u', name: 'Ada' }],
      createOrganization: true,
    });
    const { data } = await tenant.ok<readonly { readonly name: string; readonly email: string }[]>(
      '/v2/users/get',
      { organizationId },
    );
    const userProperties = { name: data[0]?.name, email: data[0]?.email };
    const token = await tokenOf(tenant, { userId: 'u', userProperties });
    expect((await verified(token)).claims).toMatchObject({ name: 'Ada', email: '' });
    expect(
      await api.database.sql('select address from user_address where api_key_id = $1', [tenant.id]),
    ).toEqual([]);
  });

  it('gives every token a unique id', async () => {
    const tenant = await aTenant(api);
    const tokens = await Promise.all([1, 2, 3].map(async () => tokenOf(tenant, { userId: 'u' })));
    const ids = await Promise.all(tokens.map(async (token) => (await verified(token)).claims['jti']));
    expect(new Set(ids).size).toBe(3);
  });

  it('refuses a disabled organization or document, and writes nothing', async () => {
    const { tenant, document, organization, organizationId, user } = await aTree(api);
    const disable = async (disabled: boolean) =>
      tenant.ok('/v1/organizations/access/disablestate/update', {
        organizationIds: [organizationId],
        disabled,
      });
    const refusal = async () =>
      tenant.refused(generate, { userId: user, permissions: { resources: [organization, document] } });
    await api.database.sql('update document set disabled = true where ext_id = $1', [document.id]);
    const before = await rowsOf(api.database, tenant.id);
    expect(await refusal()).toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: 'Document is disabled.',
    });
    expect(await rowsOf(api.database, tenant.id)).toEqual(before);
    await disable(true);
    expect(await refusal()).toMatchObject({
      http: 400,
      status: 'FAILED_PRECONDITION',
      message: 'Organization is disabled.',
    });
  });

  it('refuses unknown resources, a past expiry, and unknown members', async () => {
    const { tenant, document, organizationId, user } = await aTree(api);
    const resources = [{ ...document, id: 'typo' }];
    expect(await tenant.refused(generate, { userId: user, permissions: { resources } })).toMatchObject({
      status: 'INVALID_ARGUMENT',
      details: { resources },
    });
    const issues = issuesOf(
      await tenant.refused(generate, {
        userId: user,
        userProperties: { organizationId, email: 'nobody', isAdmin: 'yes' },
        permissions: { resources: [{ ...document, expiresAt: 1 }] },
      }),
    );
    expect(issues).toEqual({
      'data.userProperties.email': 'userProperties.email must be a valid e-mail address.',
      'data.userProperties.isAdmin': 'userProperties.isAdmin must be a boolean.',
      'data.userProperties.organizationId': 'Unknown member: userProperties.organizationId.',
      'data.permissions.resources[0].expiresAt': 'expiresAt must be a future Unix time in seconds.',
    });
  });
});

describe('the keys of tokens', () => {
  const rotate = async (): Promise<string> =>
    inTransaction(api.orm, async (em) => rotateTokenKey(em, api.keyRing));

  it('change by rotation, and tokens of the retired key stay valid', async () => {
    const tenant = await aTenant(api);
    const old = await tokenOf(tenant, { userId: 'u' });
    const kid = await rotate();
    const fresh = await verified(await tokenOf(tenant, { userId: 'u' }));
    expect(fresh.header['kid']).toBe(kid);
    expect((await verified(old)).header['kid']).not.toBe(kid);
    expect((await published()).keys[0]?.kid).toBe(kid);
  });

  it('are published for 48 hours after their retirement, and not longer', async () => {
    const first = await rotate();
    await rotate();
    const retire = async (interval: string) =>
      api.database.sql(`update signing_key set retired_at = now() - $2::interval where kid = $1`, [
        first,
        interval,
      ]);
    const has = async () => (await published()).keys.some(({ kid }) => kid === first);
    await retire('48 hours');
    expect(await has()).toBe(true);
    await retire('50 hours');
    expect(await has()).toBe(false);
  });

  it('are published with members in a fixed order, and never with the private key, which is encrypted at rest', async () => {
    await rotate();
    const { keys } = await published();
    for (const key of keys) expect(Object.keys(key)).toEqual(['kty', 'crv', 'use', 'alg', 'kid', 'x']);
    const kept = await api.database.sql<{ key_enc: Buffer }>(
      `select key_enc from signing_key where purpose = 'jwt'`,
    );
    // The common prefix of every Ed25519 key in PKCS#8.
    for (const { key_enc } of kept) expect(key_enc.toString('hex')).not.toContain('302e020100300506032b6570');
  });

  it('are the same for all concurrent first requests', async () => {
    await api.database.sql(`delete from signing_key where purpose = 'jwt'`);
    const tenant = await aTenant(api);
    const tokens = await Promise.all(Array.from({ length: 5 }, async () => tokenOf(tenant, { userId: 'u' })));
    const kids = await Promise.all(tokens.map(async (token) => (await verified(token)).header['kid']));
    expect(new Set(kids).size).toBe(1);
    expect((await published()).keys).toHaveLength(1);
  });

  it('are served for GET only', async () => {
    const response = await fetch(`${api.url}/.well-known/jwks.json`, { method: 'POST' });
    expect(response.status).toBe(405);
  });
});
