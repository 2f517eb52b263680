import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDocument, aFolder, aTenant, type TestDocument, type TestTenant } from '../../support/factories.ts';
import { explain, isTransactionCommand, statementsOf, type Plan } from '../../support/statements.ts';

let api: TestApi;
let tenant: TestTenant;
let documents: readonly TestDocument[];
let folderId: string;

/** An annotation as sent; the model that filters are compared with. */
interface Model {
  readonly annotationId: string;
  readonly document: number;
  readonly creator: string;
  readonly tagged: readonly string[];
  readonly location: string;
  readonly status: string;
  readonly agent: string | undefined;
  readonly suggestion: boolean;
  readonly createdAt: number;
  readonly lastUpdated: number;
}

const seed = Math.floor(Math.random() * 2 ** 31);
let state = seed;
/** A number from 0 to `max` - 1, from a linear congruential generator. */
const random = (max: number): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
  return Math.floor((state / 0x80000000) * max);
};
const one = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;

const users = ['u0', 'u1', 'u2', 'u3'];
const locations = ['l0', 'l1', 'l2'];
const statuses = ['OPEN', 'DONE'];
const count = 120;

const models: Model[] = Array.from({ length: count }, (_, at) => {
  const createdAt = 1_000 + random(500);
  return {
    annotationId: `a${String(at)}`,
    document: random(4),
    creator: one(users),
    tagged: users.filter(() => random(3) === 0),
    location: one(locations),
    status: one(statuses),
    agent: random(3) === 0 ? one(['bot', 'other']) : undefined,
    suggestion: random(2) === 0,
    createdAt,
    lastUpdated: createdAt + random(500),
  };
});

const plansOf = async (reading: readonly { readonly text: string }[]): Promise<Plan[]> =>
  Promise.all(
    reading
      .filter((statement) => !isTransactionCommand(statement))
      .map(async (statement) => explain(api.database, statement)),
  );

const sent = (model: Model): object => ({
  annotationId: model.annotationId,
  location: { id: model.location },
  status: { id: model.status, name: model.status, type: 'default' },
  type: model.suggestion ? 'suggestion' : 'comment',
  createdAt: model.createdAt,
  lastUpdated: model.lastUpdated,
  commentData: [
    {
      from: { userId: model.creator },
      ...(model.tagged.length > 0 && { taggedUserContacts: model.tagged.map((userId) => ({ userId })) }),
      ...(model.agent !== undefined && {
        agent: { agentSource: 'own', agentId: model.agent, executionId: `run-${model.agent}` },
      }),
    },
  ],
});

let organizationId: string;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
  const first = await aDocument(tenant);
  ({ organizationId } = first);
  ({ folderId } = await aFolder(tenant, { organizationId }));
  const second = await aDocument(tenant, { organizationId, folderId });
  const third = await aDocument(tenant, { organizationId, folderId });
  documents = [first, second, third, await aDocument(tenant, { organizationId })];
  // Writes in the order of the models.
  for (const model of models) {
    await tenant.ok('/v2/commentannotations/add', {
      ...documents[model.document],
      commentAnnotations: [sent(model)],
    });
  }
});
afterAll(() => api.close());

type Condition = readonly [data: object, matches: (model: Model) => boolean];

const documentId = (at: number): string => documents[at]?.documentId ?? '';

/** Returns a random condition of each kind. */
const conditions: readonly (() => Condition)[] = [
  () => {
    const [from, to] = [random(4), random(4)];
    return [
      { documentIds: [documentId(from), documentId(to)] },
      ({ document }) => document === from || document === to,
    ];
  },
  () => [{ folderId }, ({ document }) => document === 1 || document === 2],
  () => [{ folderId: 'root' }, ({ document }) => document === 0 || document === 3],
  () => {
    const named = users.filter(() => random(2) === 0);
    return named.length === 0
      ? [{}, () => true]
      : [{ userIds: named }, ({ creator }) => named.includes(creator)];
  },
  () => {
    const named = [one(users), one(users)];
    return [{ mentionedUserIds: named }, ({ tagged }) => named.some((user) => tagged.includes(user))];
  },
  () => {
    const location = one(locations);
    return [{ locationIds: [location] }, (model) => model.location === location];
  },
  () => {
    const status = one(statuses);
    return [{ statusId: status }, (model) => model.status === status];
  },
  () => [{ agentId: 'bot' }, ({ agent }) => agent === 'bot'],
  () => [{ executionId: 'run-other' }, ({ agent }) => agent === 'other'],
  () => [{ agentComments: true }, ({ agent }) => agent !== undefined],
  () => [{ agentSuggestions: true }, ({ agent, suggestion }) => agent !== undefined && suggestion],
  () => {
    const after = 1_000 + random(800);
    return [{ updatedAfter: after }, ({ lastUpdated }) => lastUpdated > after];
  },
  () => {
    const before = 1_100 + random(800);
    return [
      { updatedBefore: before, createdAfter: 1_050 },
      (model) => model.lastUpdated < before && model.createdAt > 1_050,
    ];
  },
  () => {
    const ids = [one(models).annotationId, one(models).annotationId];
    return [{ annotationIds: ids }, ({ annotationId }) => ids.includes(annotationId)];
  },
];

const agentConditions = new Set(conditions.slice(7, 11));

/** Returns up to three conditions that may be sent together. */
function combination(): Condition {
  const picked = new Set([one(conditions), one(conditions), one(conditions)]);
  const agents = [...picked].filter((condition) => agentConditions.has(condition));
  for (const condition of agents.slice(1)) picked.delete(condition);
  const made = [...picked].map((condition) => condition());
  const data: object = Object.assign({}, ...made.map(([part]) => part));
  // Of two conditions with one member, the later one is sent.
  const effective = made.filter(([part]) =>
    Object.entries(part).every(([name, value]) => (data as Record<string, unknown>)[name] === value),
  );
  return [data, (model) => effective.every(([, matches]) => matches(model))];
}

async function everyPage(data: object, pageSize: number): Promise<string[]> {
  const found: string[] = [];
  let pageToken: string | undefined;
  do {
    const request = { organizationId, ...data, pageSize, pageToken };
    const page = await tenant.ok<{ annotationId: string }[]>('/v2/commentannotations/get', request);
    found.push(...page.data.map(({ annotationId }) => annotationId));
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return found;
}

describe('lists of annotations', () => {
  it('equal a slow model for any filters, orders and page sizes', async () => {
    for (let run = 0; run < 40; run += 1) {
      const [data, matches] = combination();
      const expected = models
        .map((model, written) => ({ model, written }))
        .filter(({ model }) => matches(model))
        .sort(
          (left, right) => left.model.lastUpdated - right.model.lastUpdated || left.written - right.written,
        )
        .map(({ model }) => model.annotationId);
      const order = one(['asc', 'desc']);
      const found = await everyPage({ ...data, order }, one([7, 40, 1_000]));
      expect({ seed, data, order, found }).toEqual({
        seed,
        data,
        order,
        found: order === 'asc' ? expected : expected.toReversed(),
      });
    }
  });

  it('return each unchanged annotation exactly once while others are added and deleted', async () => {
    const location = await aDocument(tenant, { organizationId });
    const add = async (prefix: string, number: number) =>
      tenant.ok('/v2/commentannotations/add', {
        ...location,
        commentAnnotations: Array.from({ length: number }, (_, at) => ({
          annotationId: `${prefix}${String(at)}`,
          commentData: [{ from: { userId: 'u0' } }],
        })),
      });
    await add('stays', 60);
    const ended = new AbortController();
    const writing = (async () => {
      for (let round = 0; !ended.signal.aborted; round += 1) {
        await add(`r${String(round)}-`, 3);
        const annotationIds = [`r${String(round)}-0`];
        await tenant.ok('/v2/commentannotations/delete', { ...location, annotationIds });
      }
    })();
    for (const order of ['asc', 'desc']) {
      const found = await everyPage(
        { documentId: location.documentId, order, updatedBefore: Date.now() + 1_000 },
        7,
      );
      const stayed = found.filter((id) => id.startsWith('stays'));
      expect(stayed).toHaveLength(60);
      expect(new Set(stayed).size).toBe(60);
    }
    ended.abort();
    await writing;
  });

  it.each([
    ['a document', () => ({ documentId: documentId(0) }), 'thread_document'],
    ['documents', () => ({ documentIds: [documentId(0), documentId(1)] }), 'thread_document'],
    ['a folder', () => ({ folderId }), 'thread_document'],
    ['the organization', () => ({}), 'thread_org'],
    ['times of the last update', () => ({ updatedAfter: 1, updatedBefore: 9_000 }), 'thread_org'],
    ['creators', () => ({ userIds: ['u0', 'u1'] }), 'thread_creator'],
    ['creators in a document', () => ({ userIds: ['u0'], documentId: documentId(0) }), 'thread_document'],
    ['mentioned users', () => ({ mentionedUserIds: ['u0'] }), 'thread_org'],
    ['statuses', () => ({ statusIds: ['OPEN'] }), 'thread_org'],
    ['a status', () => ({ statusId: 'OPEN' }), 'thread_org'],
    ['locations', () => ({ locationIds: ['l0'] }), 'thread_org'],
    [
      'locations in a document',
      () => ({ locationIds: ['l0'], documentId: documentId(0) }),
      'thread_document',
    ],
    ['the resolver', () => ({ resolvedBy: 'u0' }), 'thread_org'],
    ['agents', () => ({ agentId: 'bot' }), 'thread_org'],
    ['executions', () => ({ executionId: 'run-bot' }), 'thread_org'],
    ['types of agents', () => ({ agentType: 'custom' }), 'thread_org'],
    ['sources of agents', () => ({ agentSource: 'own' }), 'thread_org'],
    ['suggestions of agents', () => ({ agentSuggestions: true }), 'thread_org'],
    ['comments of agents', () => ({ agentComments: true }), 'thread_org'],
    ['times of creation', () => ({ createdAfter: 1, createdBefore: 9_000 }), 'thread_org'],
    ['documents, by document', () => ({ groupByDocumentId: true }), 'thread_document'],
  ] as const)('of %s read every table by an index', async (_what, data, index) => {
    const request = { organizationId, ...data() };
    const reading = await statementsOf(async () => tenant.ok('/v2/commentannotations/get', request));
    const page = reading.filter(({ text }) => /\bfrom thread\b/.test(text));
    expect(page.length).toBeGreaterThan(0);
    const plans = await plansOf(reading);
    expect(plans.flatMap(({ wholeTables }) => wholeTables)).toEqual([]);
    expect(plans.flatMap(({ indexes }) => indexes)).toContain(index);
  });

  it.each([{}, { groupByDocumentId: true }])(
    'of a folder examine the annotations of a page and one more per document: %j',
    async (beside) => {
      const request = { organizationId, folderId, pageSize: 3, ...beside };
      const reading = await statementsOf(async () => tenant.ok('/v2/commentannotations/get', request));
      const pages = reading.filter(({ text }) => text.includes('examined as materialized'));
      expect(pages).toHaveLength(1);
      for (const { text, values } of pages) {
        const [row] = await api.database.sql<{ 'QUERY PLAN': string }>(
          `explain (analyze, format json) ${text}`,
          [...values],
        );
        const plan = JSON.stringify(row?.['QUERY PLAN']);
        const examined = /"Subplan Name":"CTE examined".*?"Actual Rows":(?<rows>[0-9.]+)/u.exec(plan);
        expect(Number(examined?.groups?.['rows'])).toBeLessThanOrEqual(2 * 4);
      }
    },
  );

  it('of a folder with more than 100 documents read the index of the organization’s order', async () => {
    const folder = await aFolder(tenant, { organizationId });
    const inFolder = Array.from({ length: 101 }, (_, n) => ({ documentId: `in-folder-${String(n)}` }));
    await tenant.ok('/v2/organizations/documents/add', { ...folder, documents: inFolder });
    const request = { ...folder, pageSize: 100 };
    const reading = await statementsOf(async () => tenant.ok('/v2/commentannotations/get', request));
    const plans = await plansOf(reading);
    expect(plans.flatMap(({ wholeTables }) => wholeTables)).toEqual([]);
    expect(plans.flatMap(({ indexes }) => indexes)).toContain('thread_org');
  });

  it('can be counted by document, read marks and audience', async () => {
    const request = { organizationId, userId: 'u0', documentIds: [documentId(0)] };
    const reading = await statementsOf(async () => tenant.ok('/v2/commentannotations/count/get', request));
    const plans = await plansOf(reading);
    expect(plans.flatMap(({ wholeTables }) => wholeTables)).toEqual([]);
    const indexes = plans.flatMap((plan) => plan.indexes);
    for (const index of ['thread_document', 'thread_view_pkey', 'thread_audience_pkey'])
      expect(indexes).toContain(index);
  });

  it('of ids read by the index of ids in a grown installation', async () => {
    await api.database.sql(
      `insert into thread (api_key_id, org_id, document_id, ext_id, status_id, kind, created_at, updated_at, body)
       select d.api_key_id, -1, d.id, 'filler-' || n, 'OPEN', 0, n, n, '{}' from document d, generate_series(1, 20000) n
       where d.ext_id = $1`,
      [documentId(3)],
    );
    await api.database.sql('analyze thread');
    for (const beside of [{}, { documentId: documentId(0) }]) {
      const request = { organizationId, annotationIds: ['a0', 'a1'], ...beside };
      const reading = await statementsOf(async () => tenant.ok('/v2/commentannotations/get', request));
      const plans = await plansOf(reading);
      expect(plans.flatMap(({ wholeTables }) => wholeTables)).toEqual([]);
      expect(plans.flatMap(({ indexes }) => indexes)).toContain('thread_ext');
    }
  });
});
