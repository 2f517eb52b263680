import type { EntityManager } from '../../../platform/database/orm.ts';
import { maxRowsWithin } from '../../page-limit.ts';
import type { PageRequest, WebhookEndpoint } from '../provider.ts';
import { mapPage, readPage, type ListPage } from '../list-page.ts';
import { endpointColumns, endpointView, visibleEndpoints, type EndpointRow } from './endpoint-row.ts';

/** Max bytes: 100 event types and 10 channels of 128 characters, a URL and a description. */
const maxEndpointBytes = 24_576;

/** In order of creation, which is the order of surrogate keys. */
export async function listEndpoints(
  em: EntityManager,
  tenantId: string,
  { cursor, limit }: PageRequest,
): Promise<ListPage<WebhookEndpoint>> {
  const count = maxRowsWithin(limit, maxEndpointBytes);
  const page = await readPage<EndpointRow>(
    cursor,
    count,
    async ({ backward, key, count: read }) => ({
      rows: await visibleEndpoints(em, tenantId)
        .select(endpointColumns)
        .where('id', backward ? '<' : '>=', key?.[0] ?? '0')
        .orderBy('id', backward ? 'desc' : 'asc')
        .limit(read)
        .execute(),
    }),
    ({ id }) => [id],
  );
  return mapPage({ ...page, cut: count < limit.rows && page.items.length === count }, endpointView);
}
