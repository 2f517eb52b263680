import { quantile, type Figure } from '../figure.ts';
import { label } from '../label.ts';
import type { Bench, Run } from '../run.ts';
import type { Site } from '../site.ts';
import { ofWorkspace, signIn, timedCall, type BenchSession, type Operation } from './session.ts';
import type { ConsoleSizes } from './sizes.ts';
import { loadWorld, type ConsoleWorld } from './world.ts';

/** Rows of a page of the console. */
const pageRows = 50;
const calls = { full: 40, quick: 10 } as const;
const dayMs = 86_400_000;
/** Rows before the page deep in a list. In a shorter list, that page is in the middle. */
const deepRows = 100_000;

/** A list of the console. */
interface List extends Operation {
  /** Its name in the table. */
  readonly name: string;
  readonly rows: number;
  readonly data: object;
  /** The members of `data` that each filter of the page sets. */
  readonly filters: Readonly<Record<string, object>>;
  /** Lists of webhooks page by `limit` and `iterator`. */
  readonly byIterator?: boolean;
  /** Max rows that a call returns. */
  readonly maxRows: number;
}

interface Page {
  readonly result: {
    readonly nextPageToken?: string;
    readonly data: { readonly iterator?: string | null };
  };
}

const paged = ({ byIterator = false }: List, rows: number, token: string | undefined): object =>
  byIterator
    ? { limit: rows, ...(token !== undefined && { iterator: token }) }
    : { pageSize: rows, ...(token !== undefined && { pageToken: token }) };

const tokenOf = ({ byIterator = false }: List, body: unknown): string | undefined => {
  const { result } = body as Page;
  return byIterator ? (result.data.iterator ?? undefined) : result.nextPageToken;
};

/** Returns the 95th percentile of the calls, including the first one. */
async function figureOf(
  site: Site,
  session: BenchSession,
  list: List,
  { what, data, quick }: { readonly what: string; readonly data: object; readonly quick: boolean },
): Promise<Figure> {
  const times: number[] = [];
  for (let call = 0; call < calls[quick ? 'quick' : 'full']; call += 1)
    times.push((await timedCall(site.api, session, list, { ...list.data, ...data })).ms);
  return {
    name: `${list.name} of ${label(list.rows)}: ${what}, p95`,
    unit: 'ms',
    steward: quantile(times, 0.95),
    target: { of: 'measured', is: 'at most', value: 300 },
  };
}

/** Returns the token of a page deep in the list. */
async function deepToken(site: Site, session: BenchSession, list: List): Promise<string | undefined> {
  const wanted = Math.min(deepRows, list.rows / 2);
  let token: string | undefined;
  for (let rows = 0; rows < wanted; rows += list.maxRows) {
    const data = { ...list.data, ...paged(list, list.maxRows, token) };
    token = tokenOf(list, (await timedCall(site.api, session, list, data)).body);
  }
  return token;
}

async function measureList(
  site: Site,
  { quick, show }: Run,
  session: BenchSession,
  list: List,
): Promise<Figure[]> {
  show(`${list.name} …`);
  const first = paged(list, pageRows, undefined);
  const deep = paged(list, pageRows, await deepToken(site, session, list));
  const pages = {
    'first page': first,
    'a page deep in': deep,
    ...Object.fromEntries(
      Object.entries(list.filters).map(([name, filter]) => [name, { ...first, ...filter }]),
    ),
  };
  const figures: Figure[] = [];
  for (const [what, data] of Object.entries(pages))
    figures.push(await figureOf(site, session, list, { what, data, quick }));
  return figures;
}

/** Returns a bench of lists on data of its own. */
const listing =
  (
    wanted: readonly (keyof ConsoleSizes)[],
    listsOf: (world: ConsoleWorld, sizes: ConsoleSizes) => readonly List[],
  ): Bench =>
  async (site, run) => {
    const world = await loadWorld(site, run, wanted);
    const session = await signIn(site.api, ofWorkspace(site));
    const figures: Figure[] = [];
    for (const list of listsOf(world, run.sizes))
      figures.push(...(await measureList(site, run, session, list)));
    return figures;
  };

const searched = (prefixes: Readonly<Record<string, string>>): Readonly<Record<string, object>> =>
  Object.fromEntries(Object.entries(prefixes).map(([what, prefix]) => [what, { prefix }]));

/** Organizations, documents and users: their lists and their searches. */
export const pageOrganizations = listing(['organizations'], ({ key: { keyId } }, { organizations: rows }) => [
  {
    name: 'organizations',
    path: '/v2/organizations/get',
    keyId,
    rows,
    data: {},
    filters: {},
    maxRows: 1_000,
  },
  {
    name: 'search of organizations',
    path: '/v2/organizations/search',
    keyId,
    rows,
    data: { prefix: 'organization-' },
    filters: searched({ 'by name': 'Organization 9', 'by one letter': 'o', 'without a match': 'zebra' }),
    maxRows: 100,
  },
]);

export const pageDocuments = listing(
  ['documents'],
  ({ key: { keyId }, organizationId, smallOrganizationId }, { documents: rows }) => [
    {
      name: 'documents of an organization',
      path: '/v2/organizations/documents/get',
      keyId,
      rows,
      data: { organizationId },
      filters: {},
      maxRows: 1_000,
    },
    {
      name: 'search of documents',
      path: '/v2/organizations/documents/search',
      keyId,
      rows,
      data: { organizationId, prefix: 'document-' },
      filters: {
        ...searched({ 'by name': 'Document 9', 'by one letter': 'd', 'without a match': 'zebra' }),
        'in a small organization, by a name of all others': {
          organizationId: smallOrganizationId,
          prefix: 'document 1',
        },
      },
      maxRows: 100,
    },
  ],
);

export const pageUsers = listing(['users'], ({ key: { keyId }, organizationId }, { users: rows }) => [
  {
    name: 'users of an organization',
    path: '/v2/users/get',
    keyId,
    rows,
    data: { organizationId },
    filters: { 'by part of a name': { searchKey: 'lamarr' }, 'without a match': { searchKey: 'zebra' } },
    maxRows: 1_000,
  },
  {
    name: 'search of users',
    path: '/v2/users/search',
    keyId,
    rows,
    data: { prefix: 'user-' },
    filters: searched({
      'by e-mail': 'member-9',
      'by name': 'Hedy',
      'by one letter': 'u',
      'without a match': 'zebra',
    }),
    maxRows: 100,
  },
]);

export const pageMessages = listing(['messages'], ({ key: { keyId }, endpointId }, { messages: rows }) => [
  {
    name: 'messages',
    path: '/v2/workspace/advancedwebhook/endpoints/messages/get',
    keyId,
    rows,
    data: { endpointId },
    filters: {
      ...Object.fromEntries(
        ['pending', 'succeeded', 'failed', 'cancelled'].map((status) => [`status ${status}`, { status }]),
      ),
      'a frequent type': { eventTypes: ['comment.add'] },
      'a rare type': { eventTypes: ['document.migrated'] },
      'a type without messages': { eventTypes: ['comment.delete'] },
      'a document': { channel: 'document-77' },
      'a day': { since: Date.now() - 11 * dayMs, until: Date.now() - 10 * dayMs },
      'a day, a type and a status': {
        since: Date.now() - 11 * dayMs,
        until: Date.now() - 10 * dayMs,
        eventTypes: ['document.migrated'],
        status: 'failed',
      },
    },
    byIterator: true,
    maxRows: 250,
  },
]);

const ofJobs = {
  ...Object.fromEntries(
    ['pending', 'in_progress', 'completed', 'failed'].map((status) => [`status ${status}`, { status }]),
  ),
  'kind document-migration': { kind: 'document-migration' },
  'kind user-data-deletion': { kind: 'user-data-deletion' },
  'a kind without failed jobs, status failed': { kind: 'key-deletion', status: 'failed' },
};

export const pageJobs = listing(['jobs'], ({ key: { keyId } }, { jobs: rows }) => [
  { name: 'jobs of a key', path: '/v2/jobs/list', keyId, rows, data: {}, filters: ofJobs, maxRows: 1_000 },
  {
    name: 'jobs of a workspace',
    path: '/v2/workspace/jobs/list',
    rows,
    data: {},
    filters: ofJobs,
    maxRows: 1_000,
  },
]);
