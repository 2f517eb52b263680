import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { endpoints } from '../../../api/endpoints.ts';
import { startTestApi } from '../../support/api.ts';
import { aTenant } from '../../support/factories.ts';
import { casesOf } from '../../support/tier.ts';

const api = await startTestApi();
afterAll(api.close);
const organizationId = 'acme';
const maxBytes = 10 * 1_048_576;
const tenant = await aTenant(api);

beforeAll(async () => {
  await tenant.ok('/v2/organizations/add', { organizations: [{ organizationId }] });
});

/** Writes activity logs of these sizes to a new document: random text, which does not compress, or one repeated letter. */
async function written(documentId: string, sizes: readonly number[], text: string): Promise<void> {
  await tenant.ok('/v2/organizations/documents/add', { organizationId, documents: [{ documentId }] });
  await api.database.sql(
    `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body)
     select d.api_key_id, d.org_id, d.id, d.id || '-' || n, n, 1, 'x', 0, '', json_build_object('featureType', 'comment',
       'actionType', 'x', 'actionUser', json_build_object('userId', 'u'), 'entityData', left($4, size))
     from document d, unnest($2::integer[]) with ordinality as s (size, n) where d.api_key_id = $1 and d.ext_id = $3`,
    [tenant.id, sizes, documentId, text],
  );
}

interface Pages {
  readonly timestamps: number[];
  readonly pages: { readonly bytes: number; readonly records: number }[];
}

async function readPages(documentId: string, pageSize: number): Promise<Pages> {
  const read: Pages = { timestamps: [], pages: [] };
  let pageToken: string | undefined;
  do {
    const response = await tenant.call('/v2/activities/get', {
      organizationId,
      documentId,
      order: 'asc',
      pageSize,
      ...(pageToken !== undefined && { pageToken }),
    });
    const { data, nextPageToken } = response.body.result as {
      data: { timestamp: number }[];
      nextPageToken?: string;
    };
    read.timestamps.push(...data.map(({ timestamp }) => timestamp));
    read.pages.push({ bytes: Buffer.byteLength(response.text), records: data.length });
    pageToken = nextPageToken;
  } while (pageToken !== undefined);
  return read;
}

describe('a page of large records', () => {
  it('ends at 10 MiB with a token, and the tokens lead to every record once, in order', async () => {
    const sizes = Array.from({ length: 100 }, () => 250_000);
    await written('large', sizes, 'x'.repeat(262_144));
    const { timestamps, pages } = await readPages('large', 1_000);
    expect(timestamps).toEqual(sizes.map((_, number) => number + 1));
    expect(pages.map(({ records }) => records)).toEqual([41, 41, 18]);
    for (const { bytes } of pages) expect(bytes).toBeLessThanOrEqual(maxBytes);
  });

  it('ends before a record that is larger than a page, which is a page alone', async () => {
    // The API accepts no record of this size.
    const sizes = [100, 100, 11_000_000, 100, 100];
    await written('alone', sizes, 'x'.repeat(11_000_000));
    const { timestamps, pages } = await readPages('alone', 1_000);
    expect(timestamps).toEqual(sizes.map((_, number) => number + 1));
    expect(pages.map(({ bytes, records }) => [records, bytes > maxBytes])).toEqual([
      [2, false],
      [1, true],
      [2, false],
    ]);
  });

  it('returns every record once, in order, for any sizes and storage', async () => {
    let documents = 0;
    const letters = 'x'.repeat(262_144);
    const random = Buffer.from(
      Array.from({ length: 196_608 }, () => Math.floor(Math.random() * 256)),
    ).toString('base64');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.nat(2_000), fc.nat(60_000), fc.integer({ min: 200_000, max: 262_000 })), {
          maxLength: 60,
        }),
        fc.integer({ min: 1, max: 70 }),
        fc.boolean(),
        async (sizes, pageSize, compressible) => {
          const documentId = `random-${String((documents += 1))}`;
          await written(documentId, sizes, compressible ? letters : random);
          const { timestamps, pages } = await readPages(documentId, pageSize);
          expect(timestamps).toEqual(sizes.map((_, number) => number + 1));
          for (const { bytes, records } of pages) {
            expect(records).toBeLessThanOrEqual(pageSize);
            if (records > 1) expect(bytes).toBeLessThanOrEqual(maxBytes);
          }
        },
      ),
      { numRuns: casesOf(12) },
    );
  });

  it('returns documents by id in request order as a whole, beyond the bytes of a page', async () => {
    const documentIds = Array.from({ length: 900 }, (_, number) => `d${String((number * 7) % 900)}`);
    await api.database.sql(
      `insert into document (api_key_id, org_id, ext_id, name, metadata)
       select $1, o.id, t.id, '', jsonb_build_object('note', repeat('x', 16000)) from organization o, unnest($2::text[]) as t (id)
       where o.api_key_id = $1 and o.ext_id = $3`,
      [tenant.id, documentIds, organizationId],
    );
    for (const version of ['v1', 'v2']) {
      const path = `/${version}/organizations/documents/get`;
      const all = await tenant.ok<{ id: string }[]>(path, { organizationId, documentIds });
      expect(all.data.map(({ id }) => id)).toEqual(documentIds);
      expect(all.nextPageToken).toBeUndefined();
    }
  });
});

/** Reads that return one value, with the reason why its size is bounded. */
const singleValues: Readonly<Record<string, string>> = {
  '/v2/workspace/get': '100 keys',
  '/v2/workspace/authtokens/get': '100 tokens',
  '/v2/workspace/domains/get': '100 domains',
  '/v2/workspace/apikeyconfig/get': 'one configuration',
  '/v2/workspace/activityconfig/get': 'one configuration',
  '/v2/workspace/notificationconfig/get': 'one configuration',
  '/v2/notifications/explain': 'one explanation, 202 deliveries',
  '/v2/overview/get': 'numbers',
  '/v2/workspace/advancedwebhookconfig/get': 'one configuration',
  '/v2/workspace/permissionproviderconfig/get': 'one configuration',
  '/v2/workspace/emailconfig/get': 'one configuration',
  '/v2/workspace/slackconfig/get': 'one configuration',
  '/v2/workspace/emailsuppressions/get': 'as many suppressions as the request names',
  '/v2/workspace/webhookconfig/get': 'one configuration',
  '/v2/auth/permissions/get': 'refused above 10 MiB',
  '/v2/auth/permissions/check': 'as many permissions as the request names',
  '/v2/organizations/documents/count/get': 'a number',
  '/v2/organizations/documents/migrate/status': 'one migration',
  '/v2/users/count/get': 'a number',
  '/v1/users/data/delete/status': 'one deletion',
  '/v1/users/data/delete/receipt/verify': 'as many users as the request names',
  '/v1/notifications/config/get': '30 documents',
  '/v1/commentannotations/count/get': '30 documents',
  '/v2/agents/execution/get': 'results of 256 KiB, reserved before they are read',
  '/v2/agents/execution/count': 'numbers',
  '/v2/workspace/advancedwebhook/endpoints/secret/get': 'one secret',
  '/v2/workspace/advancedwebhook/endpoints/stats/get': 'numbers',
  '/v2/workspace/advancedwebhook/eventtypes/get': 'a constant',
  '/v2/jobs/get': 'one job',
  '/v2/workspace/authtokens/list': '20 tokens, and 80 that have ended',
  '/v2/workspace/apikey/deletion/get': 'one deletion',
  '/v2/operator/jobs/get': 'one job',
  '/v2/operator/keys/get': 'one key',
  '/v2/operator/keys/deletion/get': 'one deletion',
  '/v2/operator/limits/get': 'one key’s limits',
  '/v2/operator/loglevel/get': 'one level',
  '/v2/operator/workspaces/get': 'one workspace',
};

describe('every read', () => {
  it('is a list with a page limit or one value of known max size', () => {
    const others = endpoints
      .filter(({ mutates, response }) => !mutates && !('read' in response))
      .map(({ paths }) => paths[0]);
    expect(others.toSorted()).toEqual(Object.keys(singleValues).toSorted());
  });
});
