import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createClient,
  ReceiptVerificationError,
  receipts,
  type ApiKeyClient,
  type Jwks,
  type Pseudonym,
} from '../../../packages/client/source/steward.ts';
import { startTestApi } from '../../support/api.ts';
import { aTenant, type TestTenant } from '../../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

let tenant: TestTenant;
let client: ApiKeyClient;
let jws: string;
let jwks: Jwks;
let pseudonyms: readonly Pseudonym[];

/** Cancels a deletion, which has a receipt at once. */
beforeAll(async () => {
  tenant = await aTenant(api);
  const { apiKey, authToken } = tenant;
  client = createClient({ baseUrl: api.url, apiKey, authToken });
  const { jobId } = (await client.users.data.delete({ userIds: ['ada'] })).data;
  await client.jobs.cancel({ jobId });
  const { data } = await client.users.data.getDeletionStatus({ jobId });
  jws = data.receipt?.jws ?? '';
  pseudonyms = data.pseudonyms;
  jwks = (await (await fetch(`${api.url}/.well-known/jwks.json`)).json()) as Jwks;
});

const expectRefused = async (verification: Promise<unknown>, message: RegExp): Promise<void> => {
  const error: unknown = await verification.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ReceiptVerificationError);
  expect(String(error)).toMatch(message);
};

describe('receipts.verify', () => {
  it('returns the claims of a receipt and the users that it covers', async () => {
    const known = [...pseudonyms, { userId: 'grace', pseudonym: 'other' }];
    const options = { jwks, audience: tenant.apiKey, userIds: ['ada', 'grace'], pseudonyms: known };
    const { claims, covered } = await receipts.verify(jws, options);
    expect(claims).toMatchObject({ aud: tenant.apiKey, verifiedAt: null, users: [expect.any(String)] });
    expect(covered).toEqual({ ada: true, grace: false });
    await expect(receipts.verify(jws, { jwks, userIds: ['ada'] })).rejects.toThrow(TypeError);
  });

  it('refuses a changed receipt, an unknown key, and another issuer or API key', async () => {
    const [header = '', payload = '', signature = ''] = jws.split('.');
    const of = (...parts: readonly string[]): string => parts.join('.');
    const other = Buffer.from('{"users":[]}').toString('base64url');
    const unsigned = Buffer.from('{"alg":"none","typ":"user-data-deletion-receipt+jws"}').toString(
      'base64url',
    );
    await expectRefused(receipts.verify(of(header, other, signature), { jwks }), /signature/);
    await expectRefused(receipts.verify(of(unsigned, payload, ''), { jwks }), /compact JWS/);
    await expectRefused(receipts.verify(of(header, payload, signature, ''), { jwks }), /compact JWS/);
    await expectRefused(receipts.verify(of(header, payload), { jwks }), /signature/);
    await expectRefused(receipts.verify(of(header, payload, '%'), { jwks }), /base64url/);
    for (const damaged of ['', '..', of('', payload, signature), of(other.slice(1), payload, signature)])
      await expectRefused(receipts.verify(damaged, { jwks }), /JSON object|base64url|compact JWS/);
    await expectRefused(receipts.verify(jws, { jwks: { keys: [] } }), /not in the JWKS/);
    const malformed = { keys: jwks.keys.map((key) => ({ ...key, x: 'AA' })) };
    await expectRefused(receipts.verify(jws, { jwks: malformed }), /cannot be imported/);
    await expectRefused(receipts.verify(jws, { jwks, issuer: 'elsewhere' }), /claim iss/);
    await expectRefused(receipts.verify(jws, { jwks, audience: 'elsewhere' }), /claim aud/);
  });
});

describe('receipts.verify of a client', () => {
  it('fetches the keys, expects the client’s API key, and requests the service to compare pseudonyms', async () => {
    const { claims, covered } = await client.receipts.verify(jws, { userIds: ['ada', 'grace', '__proto__'] });
    expect(claims.jobId).toMatch(/^job_/);
    expect(Object.entries(covered)).toEqual([
      ['ada', true],
      ['grace', false],
      ['__proto__', false],
    ]);
    const { apiKey, authToken } = await aTenant(api);
    const stranger = createClient({ baseUrl: api.url, apiKey, authToken });
    await expectRefused(stranger.receipts.verify(jws), /claim aud/);
    await expectRefused(client.receipts.verify(jws, { jwks: { keys: [] } }), /not in the JWKS/);
  });

  it('fetches the keys like any page may: without credentials and ids, which would need a preflight', async () => {
    const sent: (readonly [url: string, headers: readonly string[]])[] = [];
    const noting: typeof fetch = async (input, init) => {
      sent.push([input as string, [...new Headers(init?.headers).keys()]]);
      const response = await fetch(input, init);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      return response;
    };
    const { apiKey, authToken } = tenant;
    const own = createClient({ baseUrl: api.url, apiKey, authToken, fetch: noting });
    await own.receipts.verify(jws, { requestId: 'a-receipt' });
    expect(sent).toEqual([[`${api.url}/.well-known/jwks.json`, ['user-agent']]]);
  });
});
