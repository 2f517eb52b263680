import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowsWithin } from '../../page-limit.ts';
import type { Part, WebhookEndpoint } from '../provider.ts';
import { shown, stretchOf, type Stretch } from '../stretch.ts';
import { endpointColumns, endpointView, visibleEndpoints, type EndpointRow } from './endpoint-row.ts';

/** Bytes: 100 event types and 10 channels of 128 characters, a URL, a description. */
const largestEndpoint = 24_576;

/** In the order of their creation, which is that of their surrogate keys. */
export async function listEndpoints(
  em: EntityManager,
  tenantId: string,
  { start, limit }: Part,
): Promise<Stretch<WebhookEndpoint>> {
  const count = rowsWithin(limit, largestEndpoint);
  const stretch = await stretchOf<EndpointRow>(
    start,
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
  return shown({ ...stretch, cut: count < limit.rows && stretch.items.length === count }, endpointView);
}
