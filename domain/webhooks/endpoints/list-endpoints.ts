import { rows } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { Part, WebhookEndpoint } from '../provider.ts';
import { shown, stretchOf, type Stretch } from '../stretch.ts';
import { endpointColumns, endpointView, type EndpointRow } from './endpoint-row.ts';

/** In the order of their creation, which is that of their surrogate keys. */
export async function listEndpoints(
  em: EntityManager,
  tenantId: string,
  { start, limit }: Part,
): Promise<Stretch<WebhookEndpoint>> {
  const stretch = await stretchOf<EndpointRow>(
    start,
    limit,
    async ({ backward, key, count }) => ({
      rows: await rows<EndpointRow>(
        em,
        `select ${endpointColumns} from webhook_endpoint
         where api_key_id = $1 and kind = 0 and deleted_at is null and id ${backward ? '<' : '>='} $2
         order by id ${backward ? 'desc' : 'asc'} limit $3`,
        [tenantId, key?.[0] ?? '0', count],
      ),
    }),
    ({ id }) => [id],
  );
  return shown(stretch, endpointView);
}
