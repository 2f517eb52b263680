import assert from 'node:assert/strict';
import type { TestClient } from '../support/client.ts';
import type { TestDocument } from '../support/factories.ts';

/** Max bytes of a page: 10 MiB of records, and the JSON around them. */
const largestPage = 10_485_760 + 65_536;

/**
 * Reads all activity logs of a document in pages of the API's max size. Retries when the API has no memory for a
 * page. Returns the number of activity logs.
 */
export async function readToTheEnd(reader: TestClient, document: TestDocument): Promise<number> {
  let found = 0;
  let pageToken: string | undefined;
  do {
    const { status, text, body } = await reader.call('/v2/activities/get', {
      ...document,
      pageSize: 1_000,
      ...(pageToken !== undefined && { pageToken }),
    });
    if (status === 503) continue;
    assert.equal(status, 200);
    assert.ok(Buffer.byteLength(text) < largestPage);
    found += (body.result?.data as unknown[] | undefined)?.length ?? 0;
    pageToken = body.result?.nextPageToken;
  } while (pageToken !== undefined);
  return found;
}
