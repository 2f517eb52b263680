import type { Endpoint } from '../../api/http/endpoint.ts';
import { aClient, type Response, type TestClient } from '../support/client.ts';
import { operatorToken } from '../support/environment.ts';
import { normalized, operations, requestsOf } from '../support/operations.ts';
import { about } from '../support/world-ids.ts';
import type { World } from '../support/world.ts';

/* Sends the same calls to APIs of two releases. */

/** Both APIs get the same request id, so that their refusals are equal. */
const headers = { 'x-request-id': 'same-call' };

/** Operations whose responses name processes, or count calls, which each process stores with a delay. */
const ofTheMoment = new Set([
  '/v2/operator/processes/list',
  '/v2/operator/usage/get',
  '/v2/workspace/usage/get',
]);

/** Members that each call signs, encrypts or measures, or that are stored with a delay. */
const random =
  /"(?:token|nextPageToken|pageToken|jws)":"[^"]+"|"oldestAgeMs":\d+|"lastUsedAt":(?:\d+|null|<ms>)/g;

/** Operations that need Temporal, or that end the credentials of the calls. */
const apart = new Set([
  '/v2/rewriter/ask-ai',
  '/v2/workspace/authtoken/reset',
  '/v2/workspace/apikey/disable',
  '/v2/workspace/apikey/delete',
  '/v2/operator/keys/disable',
  '/v2/operator/keys/delete',
  '/v2/operator/keys/authtoken/reset',
  '/v2/operator/workspaces/disable',
  '/v2/operator/tokens/revoke',
]);

/** The client of an API with the credentials that the operation requires. */
export function callerAt(url: string, { tenant }: World, { credentials }: Endpoint): TestClient {
  if (credentials === 'apiKey') return aClient(url, { ...tenant.headers, ...headers });
  if (credentials === 'workspace') return aClient(url, { ...tenant.workspace.headers, ...headers });
  return aClient(url, { 'x-svc-operator-token': operatorToken, ...headers });
}

/** Whether the operation, or a member of the request, is newer than the release. */
const isUnknown = ({ status, text }: Response): boolean =>
  (status === 404 && text.includes('Operation does not exist.')) ||
  (status === 400 && text.includes('"message":"Unknown member: '));

const written = ({ status, text }: Response): string =>
  `${String(status)} ${text.replaceAll(random, '"<random>":""')}`;

/** Whether `later` contains every member and item of `earlier`. Additional ones break no caller. */
export function holds(later: unknown, earlier: unknown): boolean {
  if (typeof earlier !== 'object' || earlier === null) return Object.is(later, earlier);
  if (typeof later !== 'object' || later === null) return false;
  if (Array.isArray(earlier)) return earlier.every((item) => hasItem(later as unknown[], item));
  return Object.entries(earlier).every(
    ([name, value]) => changing.has(name) || holds(Reflect.get(later, name), value),
  );
}

/** Members with prose or counts of kinds, which differ between releases. */
const changing = new Set(['description', 'schema', 'example', 'notReached', 'tasksCount', 'tasksLeft']);

const hasItem = (later: readonly unknown[], item: unknown): boolean => later.some((one) => holds(one, item));

/** Substrings of paths whose responses have additional members or items since release 0.2.0: new kinds, events and settings. */
const grown = ['/users/data/', '/workspace/emailconfig/', '/advancedwebhook/eventtypes/get'];

/** Operations of operators are not specified, so a release may add members to their responses. */
const mayGrow = ({ credentials, paths }: Endpoint): boolean =>
  credentials === 'operator' || grown.some((part) => paths[0]?.includes(part));

/** A response as JSON, after `written` or `normalized`. */
const parsed = (text: string): unknown => JSON.parse(text.slice(4).replaceAll(/:<\w+>/g, ':0'));

const equal = (endpoint: Endpoint, later: string, earlier: string): boolean =>
  later === earlier ||
  (mayGrow(endpoint) && later.slice(0, 4) === earlier.slice(0, 4) && holds(parsed(later), parsed(earlier)));

export interface Compared {
  readonly calls: number;
  /** Each path with the responses of both releases, if they differ. */
  readonly different: readonly string[];
}

/** A read with an API's response. */
export interface Read {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly data: object;
  readonly response: Response;
}

/** Sends every read that an API knows. */
export async function readAll(world: World, url: string): Promise<Read[]> {
  const reads: Read[] = [];
  for (const { endpoint, path } of operations) {
    if (endpoint.mutates || ofTheMoment.has(path)) continue;
    for (const request of requestsOf(endpoint)) {
      const data = about(world.ids, request);
      const response = await callerAt(url, world, endpoint).call(path, data);
      if (!isUnknown(response)) reads.push({ endpoint, path, data, response });
    }
  }
  return reads;
}

/** Repeats the reads of the earlier API at the later one. Expects equal bytes. */
export async function compareReads(world: World, later: string, earlier: string): Promise<Compared> {
  const different: string[] = [];
  const reads = await readAll(world, earlier);
  for (const { endpoint, path, data, response } of reads) {
    const now = await callerAt(later, world, endpoint).call(path, data);
    if (!equal(endpoint, written(now), written(response))) different.push(difference(path, now, response));
  }
  return { calls: reads.length, different };
}

/**
 * Sends every write to both APIs, each about an equal world that the other release wrote. Expects equal responses.
 */
export async function compareWrites(
  written: { readonly byEarlier: World; readonly byLater: World },
  later: string,
  earlier: string,
): Promise<Compared> {
  const different: string[] = [];
  let calls = 0;
  for (const { endpoint, path } of operations) {
    if (!endpoint.mutates || apart.has(path)) continue;
    const [request = {}] = requestsOf(endpoint);
    const send = async (url: string, world: World): Promise<[Response, string]> => {
      const response = await callerAt(url, world, endpoint).call(path, about(world.ids, request));
      return [response, normalized(response, world.ids)];
    };
    const [before, beforeText] = await send(earlier, written.byLater);
    if (isUnknown(before)) continue;
    const [now, nowText] = await send(later, written.byEarlier);
    calls += 1;
    if (now.status !== before.status || !alike(endpoint, nowText, beforeText))
      different.push(difference(path, now, before));
  }
  return { calls, different };
}

/** Since release 0.3.0, new keys contain the cell. For callers they are opaque. */
const newKey = /"apiKey":"[^"]+"/g;

const withoutDrawn = (text: string): string => text.replaceAll(random, '"":""').replaceAll(newKey, '"":""');

const alike = (endpoint: Endpoint, later: string, earlier: string): boolean =>
  equal(endpoint, withoutDrawn(later), withoutDrawn(earlier));

export const difference = (path: string, later: Response, earlier: Response): string =>
  `${path}\n  later:   ${written(later).slice(0, 1_500)}\n  earlier: ${written(earlier).slice(0, 1_500)}`;

/** Reads the pages of lists of jobs and organizations, alternating between the APIs. Returns the ids of each list. */
export async function readAlternately(world: World, urls: readonly [string, string]): Promise<string[][]> {
  const lists = [
    { path: '/v2/jobs/list', data: { pageSize: 1 } },
    { path: '/v2/organizations/get', data: { pageSize: 1 } },
    {
      path: '/v2/organizations/documents/get',
      data: { organizationId: world.ids.organization[0], pageSize: 1 },
    },
    { path: '/v2/activities/get', data: { organizationId: world.ids.organization[0], pageSize: 1 } },
  ];
  return Promise.all(
    lists.map(async ({ path, data }) => {
      const read: string[] = [];
      let pageToken: string | undefined;
      for (let page = 0; page === 0 || pageToken !== undefined; page += 1) {
        const client = aClient(urls[page % 2 === 0 ? 0 : 1], world.tenant.headers);
        const result = await client.ok<object>(path, {
          ...data,
          ...(pageToken !== undefined && { pageToken }),
        });
        read.push(JSON.stringify(result.data));
        ({ nextPageToken: pageToken } = result);
      }
      return read;
    }),
  );
}
