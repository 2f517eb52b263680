import { afterAll, describe, expect, it } from '@jest/globals';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { startTestApi } from '../support/api.ts';
import { aTenant, withActivityLogs, type TestTenant } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { callerOf, normalized, operations, requestsOf } from '../support/operations.ts';
import { about, unknownIds, type WorldIds } from '../support/world-ids.ts';
import { aWorld } from '../support/world.ts';

/* Generated from the registry: an operation is covered from the moment it is registered. */

const api = await startTestApi();
afterAll(api.close);
const mine = await aWorld(api);
const unknown = unknownIds(mine.ids);
const rows = await rowsOf(api.database, mine.tenant.id);

const covered = operations.filter(({ endpoint }) => endpoint.credentials !== 'operator');

const aStranger = async (): Promise<TestTenant> => withActivityLogs(await aTenant(api));
const readers = [await aStranger(), await aStranger()] as const;

/** Two tenants without records: one sends the ids of the first tenant, the other unknown ids. */
const strangersFor = async ({ mutates }: Endpoint): Promise<readonly [TestTenant, TestTenant]> =>
  mutates ? [await aStranger(), await aStranger()] : readers;

describe('a second tenant that uses the ids of the first', () => {
  it.each(covered)('reads and changes nothing of the first through $path', async ({ endpoint, path }) => {
    const [other, another] = await strangersFor(endpoint);
    for (const request of requestsOf(endpoint)) {
      const responseOf = async (tenant: TestTenant, ids: WorldIds): Promise<string> => {
        const response = await callerOf(api, tenant, endpoint).call(path, about(ids, request));
        expect(response.status).toBeLessThan(500);
        return normalized(response, ids);
      };
      expect(await responseOf(other, mine.ids)).toBe(await responseOf(another, unknown));
    }
    expect(rows['document']).toHaveLength(3);
    expect(await rowsOf(api.database, mine.tenant.id)).toEqual(rows);
  });

  it('is isolated within the same workspace, too', async () => {
    const sibling = await aTenant(api, { workspace: mine.tenant.workspace });
    const before = await rowsOf(api.database, mine.tenant.id);
    for (const { endpoint, path } of covered) {
      if (endpoint.credentials !== 'apiKey') continue;
      const { tenant: _owner, ids } = mine;
      const { text } = await sibling.call(path, about(ids, endpoint.example));
      expect(text).not.toMatch(/\bAda\b/);
    }
    const after = await rowsOf(api.database, mine.tenant.id);
    // The sibling's key is a row of the shared workspace.
    expect({ ...after, api_key: [] }).toEqual({ ...before, api_key: [] });
  });

  it('can use the same ids for records of its own', async () => {
    const other = await aTenant(api);
    const [organizationId] = mine.ids.organization;
    const [documentId] = mine.ids.document;
    await other.ok('/v2/organizations/add', {
      organizations: [{ organizationId, organizationName: 'theirs' }],
    });
    await other.ok('/v2/organizations/documents/add', {
      organizationId,
      documents: [{ documentId, documentName: 'theirs' }],
    });
    const read = async (tenant: typeof other) =>
      JSON.stringify([
        await tenant.ok('/v2/organizations/get'),
        await tenant.ok('/v2/organizations/documents/get', { organizationId }),
      ]);
    expect(await read(mine.tenant)).not.toContain('theirs');
    expect(await read(other)).toContain('theirs');
    await other.ok('/v2/organizations/delete', { organizationIds: [organizationId] });
    expect(await read(mine.tenant)).toContain(documentId);
  });
});
