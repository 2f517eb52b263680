import { afterAll, describe, expect, it } from '@jest/globals';
import type { Call, Endpoint } from '../../api/http/endpoint.ts';
import { checkPermissions } from '../../api/permissions/check-permissions.ts';
import { getPreferences } from '../../api/notifications/get-preferences.ts';
import { getPermissions } from '../../api/permissions/get-permissions.ts';
import { getEventTypes } from '../../api/webhooks/get-event-types.ts';
import { startTestApi } from '../support/api.ts';
import { aDocument, anOrganization, aTenant, type TestTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(() => api.close());

/** An id of the max size, in characters that JSON escapes. */
const longId = (name: string): string => name.padEnd(1_000, '"');

/** Nests folders with ids of the max size as deep as possible. Returns the id of the innermost. */
async function aDeepFolder(tenant: TestTenant, organizationId: string): Promise<string> {
  let parentFolderId: string | undefined;
  for (let depth = 0; depth < 64; depth += 1) {
    const folderId = longId(`folder-${String(depth)}-`);
    await tenant.ok('/v2/organizations/folders/add', {
      organizationId,
      folders: [{ folderId, folderName: 'F', ...(parentFolderId !== undefined && { parentFolderId }) }],
    });
    parentFolderId = folderId;
  }
  return parentFolderId ?? '';
}

/** Bytes that a read of a key without a permission provider reserves. */
function reservedBy({ maxResponseBytes }: Endpoint, data: object, permissionProvider = false): number {
  if (typeof maxResponseBytes !== 'function') throw new Error('A function was expected.');
  return maxResponseBytes({ data, tenant: { switches: { permissionProvider } } } as unknown as Call<
    'apiKey',
    unknown
  >);
}

it('the bytes that a read of event types reserves are at least those of its response', async () => {
  const tenant = await aTenant(api);
  const { status, text } = await tenant.call('/v2/workspace/advancedwebhook/eventtypes/get', {});
  expect(status).toBe(200);
  expect(getEventTypes.maxResponseBytes).toBeGreaterThan(Buffer.byteLength(text));
});

describe('the bytes that a read of permissions reserves', () => {
  it('are at least those of its response, with the deepest paths and the longest ids', async () => {
    const tenant = await aTenant(api);
    const { organizationId, documentId } = await aDocument(tenant);
    const folderId = await aDeepFolder(tenant, organizationId);
    const resources = [
      { type: 'folder' as const, id: folderId, organizationId },
      { type: 'document' as const, id: documentId, organizationId },
      { type: 'document' as const, id: longId('unknown'), organizationId },
    ];
    for (const explain of [false, true]) {
      const sent = { userId: 'ada', resources, explain };
      const { text } = await tenant.call('/v2/auth/permissions/check', sent);
      expect(reservedBy(checkPermissions, sent)).toBeGreaterThan(Buffer.byteLength(text) - 200);
    }
    expect(reservedBy(checkPermissions, { resources, explain: true }, true)).toBeLessThan(65_536);
    const sent = {
      organizationId,
      userIds: ['ada', longId('grace')],
      folderIds: [folderId],
      documentIds: [documentId, longId('unknown')],
      skipResourceExistenceValidation: true,
    };
    const { status, text } = await tenant.call('/v2/auth/permissions/get', sent);
    expect(status).toBe(200);
    expect(reservedBy(getPermissions, sent)).toBeGreaterThan(Buffer.byteLength(text) - 200);
  });

  it('count the id of the organization for each user', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant, { organizationId: longId('acme') });
    const { documentId } = await aDocument(tenant, { organizationId });
    const userIds = Array.from({ length: 100 }, (_, index) => `user-${String(index)}`);
    const sent = { organizationId, userIds, documentIds: [documentId] };
    const { status, text } = await tenant.call('/v2/auth/permissions/get', sent);
    expect([status, Buffer.byteLength(text) > 200_000]).toEqual([200, true]);
    expect(reservedBy(getPermissions, sent)).toBeGreaterThan(Buffer.byteLength(text) - 200);
    const read = await tenant.call('/v2/notifications/config/get', {
      organizationId,
      userId: longId('ada'),
      documentIds: [documentId],
    });
    expect(read.status).toBe(200);
    const preferences = { organizationId, userId: longId('ada'), documentIds: [documentId] };
    expect(reservedBy(getPreferences, preferences)).toBeGreaterThan(Buffer.byteLength(read.text) - 200);
  });
});
