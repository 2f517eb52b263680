import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { openApiDocument } from '../../../api/openapi/document.ts';
import { documentOf, release020 } from '../../releases/releases.ts';
import { breakingChanges } from './breaking-changes.ts';
import type { Json } from './schema-shape.ts';

/** The document of 0.2.0 listed these members for every write. Only these operations ever returned them. */
const returnedBy: Readonly<Record<string, readonly string[]>> = {
  jobId: [
    'organizations/delete',
    'organizations/documents/delete',
    'organizations/folders/delete',
    'activities/delete',
    'notifications/update',
    'notifications/delete',
    'crdt/delete',
  ],
  deletedCount: [
    'organizations/usergroups/users/delete',
    'activities/delete',
    'notifications/delete',
    'crdt/delete',
  ],
  documentIds: ['notifications/config/set'],
};

/** The document of 0.2.0 called these bodies optional. A rule between their members refused an empty one with 400. */
const refusedWithoutBody: ReadonlySet<string> = new Set([
  ...[
    'apikeyconfig',
    'activityconfig',
    'notificationconfig',
    'advancedwebhookconfig',
    'permissionproviderconfig',
    'emailconfig',
    'webhookconfig',
  ].map((configuration) => `workspace/${configuration}/update`),
  'operator/webhooks/pause',
  'operator/webhooks/resume',
  'operator/events/poison/retry',
  'operator/events/poison/discard',
]);

/** Lists of users/data/get that hold other records beside those of 0.2.0: docs/versioning.md. */
const mixed = ['comments', 'reactions', 'recordings'];

/** Whether a change is allowed: the document of 0.2.0 was wrong, so that no caller depends on it, or the change was decided. */
function isAccepted(change: string): boolean {
  const [, operation = '', text = ''] = /^\/v[12]\/(\S+) (.*)$/.exec(change) ?? [];
  if (text === 'request is now required') return refusedWithoutBody.has(operation);
  if (operation === 'users/data/get') {
    if (mixed.some((list) => text.startsWith(`response result.data.${list}[]`))) return true;
  }
  const [, member = ''] = /^response result\.(\w+): the member is removed$/.exec(text) ?? [];
  return returnedBy[member]?.includes(operation) === false;
}

describe('the OpenAPI document', () => {
  it(`breaks no caller of release ${release020.version}`, async () => {
    const released = JSON.parse(gunzipSync(await readFile(documentOf(release020))).toString()) as Json;
    expect(Object.keys(released['paths'] as Json).length).toBeGreaterThan(100);
    const changes = breakingChanges(released, openApiDocument(endpoints, '0.0.0'));
    expect(changes.filter((change) => !isAccepted(change))).toEqual([]);
  });
});
