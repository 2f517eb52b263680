import { expect } from '@jest/globals';
import type { TestDocument, TestTenant } from '../support/factories.ts';

/** Of a page: 10 MiB of records, and what is around them. */
const largestPage = 10_485_760 + 65_536;

/** Reads all activities of a document, in pages as large as the API gives them; retries when it has no room. Returns the number of activities. */
export async function readToTheEnd(reader: TestTenant, document: TestDocument): Promise<number> {
  let found = 0;
  let pageToken: string | undefined;
  do {
    const { status, text, body } = await reader.call('/v2/activities/get', {
      ...document,
      pageSize: 1_000,
      ...(pageToken !== undefined && { pageToken }),
    });
    if (status === 503) continue;
    expect(status).toBe(200);
    expect(Buffer.byteLength(text)).toBeLessThan(largestPage);
    found += (body.result?.data as unknown[] | undefined)?.length ?? 0;
    pageToken = body.result?.nextPageToken;
  } while (pageToken !== undefined);
  return found;
}
