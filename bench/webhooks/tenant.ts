import { defaultWebhookEndpoints } from '../../domain/tenancy/key-limits.ts';
import { documentId, organizationId, type BenchKey } from '../tenant.ts';
import type { Target } from '../load.ts';
import type { Site } from '../site.ts';

/** Makes a delivered body as large as the floor's: 660 bytes. */
const words = 'Could you have another look at this paragraph? '.repeat(7).slice(0, 290);
export const bodyBytes = 660;

export interface Endpoint {
  readonly url: string;
  readonly filterTypes?: readonly string[];
}

/** Creates a key whose activity logs are events. Webhooks are on when there are endpoints. */
export async function newTenant(site: Site, endpoints: readonly Endpoint[]): Promise<BenchKey> {
  const key = await site.newKey();
  const { steward } = key;
  await steward.workspace.activityConfig.update({ activityServiceConfig: { isEnabled: true } });
  await steward.organizations.add({ organizations: [{ organizationId }] });
  await steward.documents.add({ organizationId, documents: [{ documentId }] });
  if (endpoints.length > 0) {
    await steward.workspace.advancedWebhookConfig.update({ isEnabled: true });
  }
  if (endpoints.length > defaultWebhookEndpoints) {
    await site.sql.query('update api_key set webhook_endpoints = $2 where id = $1', [
      key.id,
      endpoints.length,
    ]);
  }
  for (const { url, filterTypes } of endpoints) {
    await steward.workspace.advancedWebhook.endpoints.create({
      url,
      ...(filterTypes !== undefined && { filterTypes: [...filterTypes] }),
    });
  }
  return key;
}

/** Returns activity logs, each of which is an event. Their ids are `run` with a number. */
export const activities = (run: string, first: number, number: number) =>
  Array.from({ length: number }, (_, n) => ({
    id: `${run}-${String(first + n)}`,
    featureType: 'comment' as const,
    actionType: 'comment.add',
    actionUser: { userId: 'bench', name: 'Ada Lovelace' },
    entityData: { text: words },
  }));

export const bodyOf = (records: readonly object[]): string =>
  JSON.stringify({ data: { organizationId, documentId, activities: records } });

/** Returns the target activities/add, whose calls have new records each. */
export function adding(site: Site, { headers }: BenchKey, run: string, batch: number): Target {
  let next = 0;
  return {
    url: `${site.api.url}/v2/activities/add`,
    headers,
    body: () => {
      const body = bodyOf(activities(run, next, batch));
      next += batch;
      return body;
    },
  };
}

/** Sends one call. Throws when it fails. */
export async function posted(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<void> {
  const all = { 'content-type': 'application/json', ...headers };
  const response = await fetch(url, { method: 'POST', headers: all, body });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} returned ${String(response.status)}.`);
}
