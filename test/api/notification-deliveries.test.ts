import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SentChannel } from '../../domain/notices/channels.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { anEndedDelivery } from '../support/deliveries.ts';
import { aDocument, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { rowsRead, statementsOf } from '../support/statements.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

const rows = async <Row>(statement: string): Promise<readonly Row[]> =>
  api.database.sql<Row & object>(statement);

const keyOf = async (table: string, extId: string): Promise<string> =>
  (
    await rows<{ id: string }>(
      `select id from ${table} where api_key_id = ${tenant.id} and ext_id = '${extId}'`,
    )
  )[0]?.id ?? '';

interface Location {
  readonly organizationId: string;
  readonly documentId: string;
  readonly notificationId: string;
  readonly organization: string;
  readonly document: string;
  readonly notification: string;
}

async function aLocation(): Promise<Location> {
  const { organizationId, documentId } = await aDocument(tenant);
  const notificationId = freshId('notification');
  await tenant.ok('/v2/notifications/add', {
    organizationId,
    documentId,
    notificationId,
    actionUser: { userId: 'mary' },
    displayHeadlineMessageTemplate: 'News',
    displayBodyMessage: 'Text',
    notifyUsers: [{ userId: 'ben' }, { userId: 'ann' }],
  });
  return {
    organizationId,
    documentId,
    notificationId,
    organization: await keyOf('organization', organizationId),
    document: await keyOf('document', documentId),
    notification: await keyOf('notification', notificationId),
  };
}

/** Inserts a delivery that has ended. Returns its id. */
const ended = async (
  { notificationId }: Location,
  status: 'sent' | 'skipped',
  {
    user: userId = 'ben',
    channel = 'email',
  }: { readonly user?: string; readonly channel?: SentChannel } = {},
): Promise<string> =>
  anEndedDelivery(api, { tenantId: tenant.id, notificationId, userId }, { status, channel });

/** Inserts an open delivery. */
async function underWay(location: Location, claimed: boolean): Promise<string> {
  const deliveryId = freshId('dlv');
  const user = await keyOf('app_user', 'ann');
  await rows(`with made as (
    insert into outgoing (public_id, api_key_id, org_id, user_id, channel, digest, next_at, claimed_until)
    values ('${deliveryId}', ${tenant.id}, ${location.organization}, ${user}, 1, false, now(),
      ${claimed ? `now() + interval '1 minute'` : 'null'})
    returning id)
    insert into notice (api_key_id, org_id, document_id, user_id, notification_id, channel, state, why, verify, audience,
      in_inbox, due_at, delivery_id)
    select ${tenant.id}, ${location.organization}, ${location.document}, ${user}, ${location.notification}, 1, 2, 5, false, 1, true, now(), id
    from made`);
  return deliveryId;
}

interface Delivery {
  readonly deliveryId: string;
  readonly status: string;
  readonly [member: string]: unknown;
}

const list = async (location: Location, filter: object = {}): Promise<readonly Delivery[]> => {
  const sent = { organizationId: location.organizationId, ...filter };
  return (await tenant.ok<readonly Delivery[]>('/v2/notifications/deliveries/get', sent)).data;
};

const idsOf = async (location: Location, filter: object = {}): Promise<readonly string[]> =>
  (await list(location, filter)).map(({ deliveryId }) => deliveryId);

describe('notifications/deliveries/get', () => {
  it('returns every member of a sent delivery', async () => {
    const location = await aLocation();
    const deliveryId = await ended(location, 'sent');
    const { organizationId, documentId, notificationId } = location;
    expect(await list(location)).toEqual([
      {
        deliveryId,
        organizationId,
        userId: 'ben',
        channel: 'email',
        provider: 'smtp',
        status: 'sent',
        reason: null,
        digest: false,
        notificationIds: [notificationId],
        documentIds: [documentId],
        createdAt: expect.any(Number),
        sentAt: expect.any(Number),
        endedAt: expect.any(Number),
        nextAttemptAt: null,
        messageId: `<${deliveryId}@example.com>`,
        attempts: [
          { number: 1, at: expect.any(Number), outcome: 'accepted', code: '2.0.0', durationMs: 120 },
        ],
      },
    ]);
  });

  it('returns deliveries by their ids only if they are about the notification of the filter', async () => {
    const [location, other] = [await aLocation(), await aLocation()];
    const deliveryIds = [await ended(location, 'sent'), await underWay(location, false)];
    const about = ({ notificationId }: Location) =>
      idsOf(location, { deliveryIds, notificationId }).then((ids) => ids.toSorted());
    expect(await about(location)).toEqual(deliveryIds.toSorted());
    expect(await about(other)).toEqual([]);
  });

  it('lists open deliveries before ended ones, with the reason why a channel is held', async () => {
    const location = await aLocation();
    const old = await ended(location, 'skipped');
    const queued = await underWay(location, false);
    const sending = await underWay(location, true);
    const seen = async () =>
      (await list(location)).map(({ deliveryId, status, reason }) => [deliveryId, status, reason]);
    expect(await seen()).toEqual([
      [sending, 'sending', null],
      [queued, 'queued', null],
      [old, 'skipped', 'seen'],
    ]);
    await rows(
      `insert into channel_state (api_key_id, channel, reason, since) values (${tenant.id}, 1, 6, now())`,
    );
    expect((await seen())[1]).toEqual([queued, 'held', 'unreachable']);
    expect(await idsOf(location, { statuses: ['held'] })).toEqual([queued]);
    await rows(`delete from channel_state where api_key_id = ${tenant.id}`);
  });

  it('combines its filters', async () => {
    const [location, other] = [await aLocation(), await aLocation()];
    const [a, b] = [
      await ended(location, 'sent'),
      await ended(location, 'skipped', { user: 'ann', channel: 'slack' }),
    ];
    const [live, foreign] = [await underWay(location, false), await ended(other, 'sent')];
    const { documentId, notificationId } = location;
    expect(await idsOf(location, { userId: 'ben' })).toEqual([a]);
    expect(await idsOf(location, { userId: 'ann' })).toEqual([live, b]);
    expect(await idsOf(location, { notificationId, order: 'asc' })).toEqual([a, b, live]);
    expect(await idsOf(location, { documentId })).toEqual([live, b, a]);
    expect(await idsOf(location, { documentId, userId: 'ann' })).toEqual([live, b]);
    expect(await idsOf(location, { notificationId, channels: ['slack'] })).toEqual([b]);
    expect(await idsOf(location, { statuses: ['skipped', 'queued'] })).toEqual([live, b]);
    expect(await idsOf(location, { deliveryIds: [a, foreign, 'unknown'] })).toEqual([a]);
    expect(await idsOf(location, { userId: 'nobody' })).toEqual([]);
    expect(await idsOf(location, { notificationId: 'unknown' })).toEqual([]);
    expect(await idsOf(location, { since: Date.now() + 60_000 })).toEqual([]);
    expect(await idsOf(location, { until: Date.now() + 60_000 })).toEqual([live, b, a]);
    const missing = { organizationId: location.organizationId, documentId: 'unknown' };
    expect(await tenant.refused('/v2/notifications/deliveries/get', missing)).toMatchObject({
      status: 'NOT_FOUND',
    });
  });

  it('lists a digest once, and its documents', async () => {
    const location = await aLocation();
    const deliveryId = await ended(location, 'sent');
    const second = freshId('notification');
    await tenant.ok('/v2/notifications/add', {
      organizationId: location.organizationId,
      documentId: location.documentId,
      notificationId: second,
      actionUser: { userId: 'mary' },
      displayHeadlineMessageTemplate: 'More',
      displayBodyMessage: 'Text',
      notifyUsers: [{ userId: 'ben' }],
    });
    await rows(`insert into delivery_item select at, delivery_id, ${await keyOf('notification', second)}, document_id
      from delivery_item where notification_id = ${location.notification}`);
    const [found, ...others] = await list(location, { documentId: location.documentId });
    expect([found?.deliveryId, found?.['notificationIds'], found?.['documentIds'], others]).toEqual([
      deliveryId,
      [location.notificationId, second],
      [location.documentId],
      [],
    ]);
  });

  it.each(['asc', 'desc'] as const)(
    'returns deliveries of the same time once each over all pages (%s)',
    async (order) => {
      const location = await aLocation();
      for (let count = 0; count < 7; count += 1) await ended(location, 'sent');
      const live = await underWay(location, false);
      await rows(`update delivery_item i set at = date_trunc('hour', i.at) from delivery_log l
      where l.at = i.at and l.id = i.delivery_id and l.org_id = ${location.organization}`);
      await rows(
        `update delivery_log set at = date_trunc('hour', at) where org_id = ${location.organization}`,
      );
      for (const filter of [{}, { documentId: location.documentId }, { statuses: ['sent', 'queued'] }]) {
        const all = await idsOf(location, { ...filter, order });
        expect([all.length, new Set(all).size, all.at(order === 'asc' ? -1 : 0)]).toEqual([8, 8, live]);
        const paged: string[] = [];
        let pageToken: string | undefined;
        do {
          const sent = { organizationId: location.organizationId, ...filter, order, pageSize: 3 };
          const { data, nextPageToken } = await tenant.ok<readonly Delivery[]>(
            '/v2/notifications/deliveries/get',
            {
              ...sent,
              ...(pageToken !== undefined && { pageToken }),
            },
          );
          paged.push(...data.map(({ deliveryId }) => deliveryId));
          pageToken = nextPageToken;
        } while (pageToken !== undefined);
        expect(paged).toEqual(all);
      }
    },
  );

  it('shows no delivery of another key', async () => {
    const location = await aLocation();
    const deliveryId = await ended(location, 'sent');
    const other = await aTenant(api);
    const { organizationId } = await aDocument(other);
    const sent = { organizationId, deliveryIds: [deliveryId] };
    expect((await other.ok('/v2/notifications/deliveries/get', sent)).data).toEqual([]);
  });
});

describe('a page of deliveries', () => {
  it('reads about as many rows as it has, by one condition', async () => {
    const location = await aLocation();
    await rows(`with made as (
        insert into delivery_log (id, at, api_key_id, org_id, user_id, channel, status, digest, public_id, attempts, ended_at)
        select nextval('outgoing_id_seq'), now() - n * interval '100 seconds', ${tenant.id}, ${location.organization},
          ${await keyOf('app_user', 'ben')}, 1, 1, false, 'many-' || n, '[]', now()
        from generate_series(1, 3000) n returning at, id)
      insert into delivery_item (at, delivery_id, notification_id, document_id)
      select at, id, ${location.notification}, ${location.document} from made`);
    await rows('analyze delivery_log, delivery_item');
    const partitions = await rows<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'delivery_log'::regclass`,
    );
    const { organizationId, documentId, notificationId } = location;
    for (const filter of [{ userId: 'ben' }, { notificationId }, { documentId }]) {
      const members = { organizationId, ...filter, pageSize: 10 };
      const sent = await statementsOf(async () => tenant.ok('/v2/notifications/deliveries/get', members));
      const page = sent.filter(({ text }) => text.includes('delivery_log'));
      let read = 0;
      for (const { name } of partitions) read += await rowsRead(api.database, page, name);
      expect({ filter, isFew: read < 100, read }).toMatchObject({ filter, isFew: true });
    }
  });

  it('is read by indexes of each partition, by any filter', async () => {
    const location = await aLocation();
    await rows(`insert into outgoing (public_id, api_key_id, org_id, user_id, channel, digest, next_at, created_at)
      select 'filler-' || n, 1, -n % 50, -n % 1000, 1, false, now(), now() - n * interval '1 second'
      from generate_series(1, 20000) n`);
    await rows(`insert into notice (api_key_id, org_id, document_id, user_id, notification_id, channel, state, why, verify,
        audience, in_inbox, due_at, delivery_id)
      select 1, -n % 50, -n % 500, -n % 1000, -n, 1, 2, 5, false, 1, true, now(), n from generate_series(1, 20000) n`);
    await rows(`insert into delivery_log (id, at, api_key_id, org_id, user_id, channel, status, digest, public_id, attempts, ended_at)
      select n, now() - n * interval '100 seconds', 1, -n % 50, -n % 1000, 1, 1, false, 'filler-' || n, '[]', now()
      from generate_series(1, 20000) n`);
    await rows(`insert into delivery_item (at, delivery_id, notification_id, document_id)
      select at, id, -id, -id % 500 from delivery_log where public_id like 'filler-%'`);
    await rows('analyze outgoing, notice, delivery_log, delivery_item');
    const { organizationId, documentId, notificationId } = location;
    const filters: readonly object[] = [
      {},
      { userId: 'ben' },
      { notificationId },
      { documentId },
      { documentId, userId: 'ben' },
      { deliveryIds: ['a'] },
      { channels: ['slack'] },
      { statuses: ['sent'] },
      { since: 1, until: Date.now() },
    ];
    const client = await api.database.connect();
    for (const filter of filters) {
      const sent = await statementsOf(async () =>
        tenant.ok('/v2/notifications/deliveries/get', { organizationId, ...filter }),
      );
      const [page, ...others] = sent.filter(({ text }) => text.includes('delivery_log'));
      expect(others).toEqual([]);
      const { rows: lines } = await client.query<Record<string, string>>(
        `explain (generic_plan) ${page?.text ?? ''}`,
      );
      const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
      expect([filter, plan.match(/Seq Scan on (?!pg_)\w+/g)]).toEqual([filter, null]);
    }
    await client.end();
  });
});
