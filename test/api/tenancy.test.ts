import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { aTenant, withActivityLogs } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { about, aWorld, callerOf, normalised, operations, requestsOf, unknownIds } from '../support/world.ts';
import type { WorldIds } from '../support/world.ts';

/* Generated from the registry: an operation is covered from the moment it is registered. */

const api = await startTestApi();
afterAll(api.close);
const mine = await aWorld(api);
const nobodys = unknownIds(mine.ids);
const rows = await rowsOf(api.database, mine.tenant.id);

const walked = operations.filter(({ endpoint }) => endpoint.credentials !== 'operator');

describe('a second tenant that uses the ids of the first', () => {
  it.each(walked)('reads and changes nothing of the first through $path', async ({ endpoint, path }) => {
    /** The response of a tenant without records to these ids. */
    const toldOf = async (ids: WorldIds, request: object): Promise<string> => {
      const other = await withActivityLogs(await aTenant(api));
      const response = await callerOf(api, other, endpoint).call(path, about(ids, request));
      expect(response.status).toBeLessThan(500);
      return normalised(response, ids);
    };
    for (const request of requestsOf(endpoint)) {
      expect(await toldOf(mine.ids, request)).toBe(await toldOf(nobodys, request));
    }
    expect(rows['document']).toHaveLength(3);
    expect(await rowsOf(api.database, mine.tenant.id)).toEqual(rows);
  });

  it('is isolated within the same workspace, too', async () => {
    const sibling = await aTenant(api, { workspace: mine.tenant.workspace });
    const before = await rowsOf(api.database, mine.tenant.id);
    for (const { endpoint, path } of walked) {
      if (endpoint.credentials !== 'apiKey') continue;
      const { tenant: _owner, ids } = mine;
      const { text } = await sibling.call(path, about(ids, endpoint.example));
      expect(text).not.toContain('Ada');
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
