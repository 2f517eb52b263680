import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { problemBody } from '../../../api/http/response/problem.ts';
import { startTestApi } from '../../support/api.ts';
import { type Response } from '../../support/client.ts';
import { aTenant } from '../../support/factories.ts';
import { casesOf, forAtMost } from '../../support/tier.ts';
import { about } from '../../support/world-ids.ts';
import { aWorld } from '../../support/world.ts';

const api = await startTestApi();
afterAll(api.close);
const add = '/v2/organizations/add';

const headerBytes = ({ headers }: Response): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + `${name}: ${String(value)}\r\n`.length, 0);

function expectSmall(response: Response): void {
  expect(headerBytes(response)).toBeLessThanOrEqual(8_192);
  expect(String(response.headers['x-ignored-members'] ?? '').length).toBeLessThanOrEqual(2_048);
  if (response.body.error === undefined) return;
  expect(Buffer.byteLength(response.text)).toBeLessThanOrEqual(65_536);
  const { issues, issuesTotal } = response.body.error.details;
  if (response.body.error.status !== 'INVALID_ARGUMENT') return;
  expect(issues?.length).toBeLessThanOrEqual(100);
  expect(issuesTotal).toBeGreaterThanOrEqual(issues?.length ?? 0);
}

describe('a refusal', () => {
  it('lists the first 100 issues and counts all of them, in the order of the request', async () => {
    const tenant = await aTenant(api);
    for (const count of [99, 100, 101, 40_000]) {
      const organizations = Array.from({ length: count }, (_, index) => ({
        organizationId: index % 2 ? 7 : '',
      }));
      const { details } = await tenant.refused(add, { organizations });
      expect(details['issuesTotal']).toBe(count);
      expect(details.issues?.map(({ path }) => path)).toEqual(
        organizations.slice(0, 100).map((_, index) => `data.organizations[${String(index)}].organizationId`),
      );
      expect(details.issues?.[1]?.message).toBe('organizations[1].organizationId must be a string.');
    }
  });

  it('counts all of 50,000 unknown members', async () => {
    const tenant = await aTenant(api);
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`m${String(index)}`, 1]));
    const refusal = await tenant.refused(add, { ...many, organizations: [{ organizationId: 'o' }] });
    expect(refusal.details.issues).toHaveLength(100);
    expect(refusal.details['issuesTotal']).toBe(50_000);
    const passedOver = await tenant.call('/v1/organizations/add', {
      ...many,
      organizations: [{ organizationId: 'o' }],
    });
    expect(passedOver.status).toBe(200);
    expect(String(passedOver.headers['x-ignored-members']).split(',')).toHaveLength(20);
  });

  it.each(['plain', '', '"\\', '\u0001', '🦊', 'é '])(
    'stays small for names of 15,000 characters made of %j',
    async (unit) => {
      const tenant = await aTenant(api);
      const name = (index: number) => `${unit}${String(index)}`.padEnd(15_000, unit || 'x');
      const odd = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [name(index), 1]));
      const data = { ...odd, organizations: [{ organizationId: 'o' }] };
      const refused = await tenant.call(add, data);
      expect(refused.status).toBe(400);
      expectSmall(refused);
      const passedOver = await tenant.call('/v1/organizations/add', data);
      expect(passedOver.status).toBe(200);
      expect(String(passedOver.headers['x-ignored-members'])).not.toBe('');
      expectSmall(passedOver);
    },
  );

  it('truncates the details of 10 users and contains their number', async () => {
    const { tenant, ids } = await aWorld(api);
    const [organizationId = ''] = ids.organization;
    const userIds = Array.from({ length: 10 }, (_, index) => `user-${String(index)}`);
    const documentIds = Array.from({ length: 1_000 }, (_, index) => `${String(index)}${'d'.repeat(700)}`);
    const response = await tenant.call('/v2/auth/permissions/get', { organizationId, userIds, documentIds });
    expect(response.body.error?.status).toBe('NOT_FOUND');
    expect(response.body.error?.details['dataTotal']).toBe(10);
    expectSmall(response);
  });

  it('stays small for any request', async () => {
    const { tenant, ids } = await aWorld(api);
    const long = fc
      .tuple(
        fc.constantFrom('a', '"', '\u0001', '🦊', '\ud800', '€', '$&'),
        fc.integer({ min: 1, max: 3_000 }),
      )
      .map(([unit, times]) => unit.repeat(times));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        long,
        fc.constantFrom(null, 1, true),
        fc.array(tie('value'), { maxLength: 40 }),
        fc.dictionary(long, tie('value'), { maxKeys: 20 }),
      ),
    }));
    const called = endpoints.filter(({ credentials }) => credentials === 'apiKey');
    const cases = fc.asyncProperty(
      fc.constantFrom(...called),
      fc.nat(8),
      long,
      value,
      fc.integer({ min: 0, max: 500 }),
      forAtMost(8_000, async (endpoint, at, name, item, times) => {
        // Checked before the item is repeated: the text of all could exceed the max length of a string.
        if (JSON.stringify(item).length * times > 1_000_000) return;
        const hostile = times === 0 ? item : Array.from({ length: times }, () => item);
        const data = { ...(about(ids, endpoint.example) as Record<string, unknown>) };
        const members = Object.keys(data);
        data[members[at] ?? name] = hostile;
        const raw = JSON.stringify({ data });
        if (Buffer.byteLength(raw) > 1_000_000) return;
        for (const path of endpoint.paths) expectSmall(await tenant.call(path, undefined, { raw }));
      }),
    );
    // Not `assert`, which would print the values.
    const { errorInstance, seed, counterexamplePath } = await fc.check(cases, { numRuns: casesOf(300) });
    if (errorInstance !== null) {
      const run = `Seed ${String(seed)}, path ${counterexamplePath ?? 'unknown'}.`;
      throw new Error(run, { cause: errorInstance });
    }
    expect(api.log.filter((line) => line.includes('"unexpected error"'))).toEqual([]);
  });

  it('has at most 64 KiB with any details', () => {
    const detail = fc.oneof(
      fc.array(fc.string({ maxLength: 3_000, unit: 'binary' }), { maxLength: 200 }),
      fc.dictionary(fc.string({ maxLength: 1_000 }), fc.string({ maxLength: 2_000 }), { maxKeys: 100 }),
    );
    fc.assert(
      fc.property(fc.string({ maxLength: 20_000, unit: 'binary' }), detail, detail, (message, one, other) => {
        const problem = {
          httpStatus: 404,
          status: 'NOT_FOUND',
          message,
          details: { one, other },
          headers: {},
          unexpected: false,
        } as const;
        const body = problemBody(problem, 'req_1');
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(65_536);
        const { error } = JSON.parse(body) as { error: { details: Record<string, unknown> } };
        expect(error.details['requestId']).toBe('req_1');
      }),
      { numRuns: casesOf(200) },
    );
  });
});
