import { endpoints } from '../../api/endpoints.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import type { TestApi } from './api.ts';
import type { Response, TestClient } from './client.ts';
import { anOperator, type TestTenant } from './factories.ts';
import { kinds, type WorldIds } from './world-ids.ts';

/** An operation under one of its paths. */
export interface Operation {
  readonly endpoint: Endpoint;
  readonly path: string;
}

export const operations: readonly Operation[] = endpoints.flatMap((endpoint) =>
  endpoint.paths.map((path) => ({ endpoint, path })),
);

export const mutations = operations.filter(({ endpoint }) => endpoint.mutates);

/** Returns the example, and for each further id that the operation accepts, the example with that id, or only the id when it excludes others. */
export function requestsOf({ data, example }: Endpoint): readonly object[] {
  const shape = (data as { shape?: object }).shape ?? {};
  const sent = example as object;
  const more = Object.keys(shape).filter(
    (member) => kinds[member] !== undefined && !Object.hasOwn(sent, member),
  );
  const flags = Object.fromEntries(
    ['createOrganization', 'createDocument', 'createFolder']
      .filter((flag) => Object.hasOwn(shape, flag))
      .map((flag) => [flag, true]),
  );
  return [
    sent,
    ...more.map((member) => {
      const added = { [member]: member.endsWith('s') ? ['any'] : 'any' };
      const both = { ...sent, ...added };
      return !data.safeParse(both).success && data.safeParse(added).success ? added : both;
    }),
    ...(Object.keys(flags).length > 0 ? [{ ...sent, ...flags }] : []),
  ];
}

/** Returns the client with the credentials that the operation requires. */
export function callerOf(api: TestApi, tenant: TestTenant, { credentials }: Endpoint): TestClient {
  if (credentials === 'apiKey') return tenant;
  return credentials === 'workspace' ? tenant.workspace : anOperator(api);
}

/**
 * Hours of usage that count requests and activity logs only. Usage is written every few seconds, so one of two tenants may
 * have such an hour before the other.
 */
const onlyRequests =
  /(?<=\[|\}),?\{"startsAt":<ms>,(?:"(?:requests|errors|bytesIn|bytesOut)":\d+,|"\w+":0,)+"created":\{(?:"activityLogs":\d+,?|"\w+":0,?)+\}\}/g;

/** Returns status and body with ids, random tokens and times replaced by their kinds: equal for callers that may read the same. */
export function normalized({ status, text }: Response, ids: WorldIds): string {
  let body = text;
  for (const [kind, known] of Object.entries(ids)) {
    for (const [location, id] of (known as string[]).entries())
      body = body.replaceAll(id, `<${kind} ${String(location)}>`);
  }
  body = body
    .replace(/"requestId":"[^"]+"/g, '"requestId":"<request>"')
    .replace(/\b([a-z]{2,4})_(?:0_)?[\w-]{32}/g, '<$1>')
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<uuid>')
    .replace(/\b1\d{12}\b/g, '<ms>')
    .replace(onlyRequests, '')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
  return `${String(status)} ${body}`;
}
