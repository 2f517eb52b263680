import { afterAll, describe, expect, it } from '@jest/globals';
import { fanOut } from '../../../domain/webhooks/delivery/fan-out.ts';
import { migrateDatabase } from '../../../platform/database/migrate.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestTenant } from '../../support/factories.ts';
import { transacted } from '../../support/in-transaction.ts';
import { aListeningTenant, anEndpoint, happened } from '../../support/webhooks.ts';
import { at } from '../../api/webhooks/webhook-calls.ts';

const api = await startTestApi();
afterAll(api.close);
const { database } = api;

const kinds = [0, 1, 2];
const hook = 'https://receiver.test/hook';

const fannedOut = async (tenant: TestTenant, batchSize = 500, maxMessages = 5_000) =>
  transacted(api.orm, async (em) =>
    fanOut(em, { tenantId: tenant.id, batchSize, maxMessages, kinds, firstWaitMs: 0 }),
  );

interface Made {
  readonly endpoint: string;
  readonly type: string;
  readonly sequence: number;
}

/** Messages of a tenant, ordered by endpoint and sequence. */
const made = async (tenant: TestTenant): Promise<Made[]> =>
  database.sql<Made>(
    `select w.public_id as endpoint, e.type, d.sequence::int as sequence
     from delivery d join webhook_endpoint w on w.id = d.endpoint_id join event e on e.at = d.event_at and e.id = d.event_id
     where d.api_key_id = $1 order by w.id, d.sequence`,
    [tenant.id],
  );

const typesOf = (messages: readonly Made[], endpoint: string): string[] =>
  messages.filter((message) => message.endpoint === endpoint).map(({ type }) => type);

/** Records an event in a transaction that stays open until `commit`. */
async function openWriter(tenant: TestTenant, type: string) {
  const { promise: mayCommit, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: written, resolve: isWritten } = Promise.withResolvers<void>();
  const committed = inTransaction(api.orm, async (em) => {
    const { recordEvents } = await import('../../../domain/events/record-events.ts');
    await recordEvents(em, tenant.id, [
      { type, organization: null, document: null, channels: [], payload: {}, users: [] },
    ]);
    isWritten();
    await mayCommit;
  });
  await written;
  return {
    commit: async () => {
      letGo();
      await committed;
    },
  };
}

describe('fan-out', () => {
  it('returns no promises of more than a second, which remain after the clock stepped back', async () => {
    const tenant = await aListeningTenant(api);
    await anEndpoint(api, tenant, hook);
    const drainingMs = async (interval: string): Promise<(number | null | undefined)[]> => {
      await database.sql(
        `with dispatch as (
           insert into webhook_dispatch (api_key_id, draining_until) values ($1, clock_timestamp() + $2::interval)
           on conflict (api_key_id) do update set draining_until = excluded.draining_until)
         insert into webhook_drain (endpoint_id, api_key_id, draining_until)
         select id, $1, clock_timestamp() + $2::interval from webhook_endpoint where api_key_id = $1
         on conflict (endpoint_id) do update set draining_until = excluded.draining_until`,
        [tenant.id, interval],
      );
      await happened(api, tenant, [{}]);
      const { drainingMs: own, reached } = await fannedOut(tenant);
      return [own, reached[0]?.drainingMs];
    };
    expect(await drainingMs('10 minutes')).toEqual([0, 0]);
    for (const ms of await drainingMs('-1 second')) expect(ms).toBeLessThan(0);
  });

  it('creates one message per event and subscribed endpoint', async () => {
    const tenant = await aListeningTenant(api);
    const all = await anEndpoint(api, tenant, hook);
    const types = await anEndpoint(api, tenant, hook, { filterTypes: ['comment.add'], channels: [] });
    const channel = await anEndpoint(api, tenant, hook, { channels: ['other', 'plan'] });
    const both = await anEndpoint(api, tenant, hook, { filterTypes: ['comment.delete'], channels: ['acme'] });
    await anEndpoint(api, tenant, hook, { disabled: true });
    await happened(api, tenant, [
      { type: 'comment.add' },
      { type: 'comment.delete', channels: ['acme'] },
      { type: 'webhook.other', channels: [] },
    ]);
    const { events, deliveries, reached } = await fannedOut(tenant);
    expect({ events, deliveries }).toEqual({ events: 3, deliveries: 6 });
    expect(new Set(reached.map(({ endpointId }) => endpointId))).toEqual(
      new Set([all, types, channel, both]),
    );
    const messages = await made(tenant);
    expect(typesOf(messages, all)).toEqual(['comment.add', 'comment.delete', 'webhook.other']);
    expect(typesOf(messages, types)).toEqual(['comment.add']);
    expect(typesOf(messages, channel)).toEqual(['comment.add']);
    expect(typesOf(messages, both)).toEqual(['comment.delete']);
    expect(await fannedOut(tenant)).toMatchObject({ events: 0, deliveries: 0, reached: [] });
  });

  it('creates messages for a basic webhook URL only for the types of its triggers', async () => {
    const tenant = await aListeningTenant(api);
    const chosen = await anEndpoint(api, tenant, hook, { filterTypes: ['comment.add'] });
    const none = await anEndpoint(api, tenant, hook);
    await database.sql(
      'update webhook_endpoint set kind = case public_id when $2 then 1 else 2 end where api_key_id = $1',
      [tenant.id, chosen],
    );
    await happened(api, tenant, [{ type: 'comment.add' }, { type: 'comment.delete' }]);
    await fannedOut(tenant);
    const messages = await made(tenant);
    expect(typesOf(messages, chosen)).toEqual(['comment.add']);
    expect(typesOf(messages, none)).toEqual([]);
  });

  it('creates messages of advanced endpoints only for events recorded while advanced webhooks are on', async () => {
    const tenant = await aListeningTenant(api);
    const basic = await anEndpoint(api, tenant, hook, { filterTypes: ['comment.add'] });
    const advanced = await anEndpoint(api, tenant, hook);
    await database.sql('update webhook_endpoint set kind = 1 where public_id = $1', [basic]);
    const turn = async (isEnabled: boolean) =>
      tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled });
    const event = { type: 'comment.add' };
    await happened(api, tenant, [event]);
    await turn(false);
    await happened(api, tenant, [event, event]);
    await turn(true);
    await happened(api, tenant, [event]);
    await fannedOut(tenant);
    const messages = await made(tenant);
    expect(typesOf(messages, basic)).toHaveLength(4);
    expect(messages.flatMap(({ endpoint, sequence }) => (endpoint === advanced ? [sequence] : []))).toEqual([
      1, 2,
    ]);
    await database.sql('update webhook_endpoint set deleted_at = now() where public_id = $1', [basic]);
    await turn(false);
    await happened(api, tenant, [event]);
    expect(await fannedOut(tenant)).toMatchObject({ events: 0 });
  });

  it('matches filters as an endpoint has them after each change', async () => {
    const tenant = await aListeningTenant(api);
    const endpoint = await anEndpoint(api, tenant, hook, { filterTypes: ['a.one'], channels: ['x', 'y'] });
    const matches = async (type: string, channels: string[]): Promise<number> => {
      await happened(api, tenant, [{ type, channels }]);
      return (await fannedOut(tenant)).deliveries;
    };
    const update = async (change: object) =>
      tenant.ok(at('endpoints/update'), { endpointId: endpoint, ...change });
    expect([
      await matches('a.one', ['y', 'x']),
      await matches('a.one', ['z']),
      await matches('a.two', ['x']),
    ]).toEqual([1, 0, 0]);
    await update({ filterTypes: null });
    expect([await matches('a.two', ['x']), await matches('a.two', [])]).toEqual([1, 0]);
    await update({ channels: [] });
    expect(await matches('a.two', [])).toBe(1);
    await update({ disabled: true });
    expect(await matches('a.two', [])).toBe(0);
    await update({ disabled: false, filterTypes: ['a.one', 'a.three'] });
    expect([await matches('a.three', []), await matches('a.two', [])]).toEqual([1, 0]);
    await tenant.ok(at('endpoints/delete'), { endpointId: endpoint });
    expect(
      await database.sql('select 1 from webhook_subscription where api_key_id = $1', [tenant.id]),
    ).toEqual([]);
  });

  it('matches endpoints of the previous release once their subscriptions are written', async () => {
    const tenant = await aListeningTenant(api);
    await anEndpoint(api, tenant, hook, { filterTypes: ['a.one'], channels: ['x', 'y'] });
    await anEndpoint(api, tenant, hook, { filterTypes: ['a.one'], disabled: true });
    const rows = async () =>
      database.sql('select type, channel from webhook_subscription where api_key_id = $1 order by 2', [
        tenant.id,
      ]);
    await database.sql('delete from webhook_subscription where api_key_id = $1', [tenant.id]);
    await database.sql(`delete from schema_migration where name = '2026-11-25-webhook-subscription-rows'`);
    await migrateDatabase(database.url);
    const written = [
      { type: 'a.one', channel: 'x' },
      { type: 'a.one', channel: 'y' },
    ];
    expect(await rows()).toEqual(written);
    await database.sql(`delete from schema_migration where name = '2026-11-25-webhook-subscription-rows'`);
    await migrateDatabase(database.url);
    expect(await rows()).toEqual(written);
  });

  it('consumes an event whose row has expired without creating a message', async () => {
    const tenant = await aListeningTenant(api);
    await anEndpoint(api, tenant, hook);
    await happened(api, tenant, [{}, {}]);
    await database.sql(
      'delete from event where api_key_id = $1 and id = (select min(event_id) from outbox where api_key_id = $1)',
      [tenant.id],
    );
    expect(await fannedOut(tenant)).toMatchObject({ found: 2, events: 2, deliveries: 1 });
    expect((await made(tenant)).map(({ sequence }) => sequence)).toEqual([1]);
  });

  it('consumes the oldest events up to the max number of messages, and one event beyond it', async () => {
    const tenant = await aListeningTenant(api);
    for (let n = 0; n < 3; n += 1) await anEndpoint(api, tenant, hook);
    await happened(api, tenant, [{ type: 'a.1' }, { type: 'a.2' }, { type: 'a.3' }]);
    expect(await fannedOut(tenant, 500, 7)).toMatchObject({ found: 3, events: 2, deliveries: 6 });
    expect(await fannedOut(tenant, 500, 1)).toMatchObject({ found: 1, events: 1, deliveries: 3 });
  });

  it('makes messages due in the order of their numbers', async () => {
    const tenant = await aListeningTenant(api);
    await anEndpoint(api, tenant, hook);
    for (let n = 0; n < 3; n += 1) {
      await happened(
        api,
        tenant,
        Array.from({ length: 20 }, () => ({})),
      );
      await fannedOut(tenant);
    }
    const due = await database.sql<{ sequence: number }>(
      'select sequence::int as sequence from delivery where api_key_id = $1 order by next_at',
      [tenant.id],
    );
    expect(due.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
    const [distinct] = await database.sql<{ times: number }>(
      'select count(distinct next_at)::int as times from delivery where api_key_id = $1',
      [tenant.id],
    );
    expect(distinct?.times).toBe(60);
  });

  it('does not skip an event that commits after younger events were consumed', async () => {
    const tenant = await aListeningTenant(api);
    const endpoint = await anEndpoint(api, tenant, hook);
    const late = await openWriter(tenant, 'late.one');
    await happened(api, tenant, [{ type: 'young.one' }]);
    expect(await fannedOut(tenant)).toMatchObject({ events: 1 });
    await late.commit();
    expect(await fannedOut(tenant)).toMatchObject({ events: 1 });
    const messages = await made(tenant);
    expect(typesOf(messages, endpoint)).toEqual(['young.one', 'late.one']);
    expect(messages.map(({ sequence }) => sequence)).toEqual([1, 2]);
  });

  it('numbers without gaps and creates each message once under concurrency and rollbacks', async () => {
    const tenant = await aListeningTenant(api);
    const endpoints = await Promise.all([0, 1, 2].map(async () => anEndpoint(api, tenant, hook)));
    const writers = Array.from({ length: 40 }, async (_, writer) =>
      happened(
        api,
        tenant,
        Array.from({ length: 5 }, (__, at) => ({ type: `event.${String(writer * 5 + at)}` })),
      ),
    );
    const undone = async (): Promise<void> =>
      transacted(api.orm, async (em) => {
        await fanOut(em, { tenantId: tenant.id, batchSize: 20, maxMessages: 30, kinds, firstWaitMs: 0 });
        throw new Error('The process died.');
      }).catch(() => undefined);
    await Promise.all([
      ...writers,
      ...Array.from({ length: 10 }, async (_, turn) => (turn % 3 === 0 ? undone() : fannedOut(tenant, 7))),
    ]);
    await eventually(async () => (await fannedOut(tenant)).events === 0);
    const messages = await made(tenant);
    for (const endpoint of endpoints) {
      const own = messages.filter((message) => message.endpoint === endpoint);
      expect(own.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
      expect(new Set(own.map(({ type }) => type)).size).toBe(200);
    }
  });

  it('creates no message for an endpoint that is deleted while it waits for the lock, and leaves no gap', async () => {
    const tenant = await aListeningTenant(api);
    await anEndpoint(api, tenant, hook);
    await happened(api, tenant, [{}]);
    const holder = await database.connect();
    await holder.query('begin');
    await holder.query('select 1 from webhook_endpoint where api_key_id = $1 for update', [tenant.id]);
    const taking = fannedOut(tenant);
    await eventually(
      async () =>
        (
          await database.sql(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and replace(query, '"', '') ~ 'from outbox'`,
          )
        ).length > 0,
    );
    await holder.query('update webhook_endpoint set deleted_at = now() where api_key_id = $1', [tenant.id]);
    await holder.query('commit');
    expect(await taking).toMatchObject({ events: 1, deliveries: 0 });
    expect(
      await database.sql('select next_sequence::int as next from webhook_endpoint where api_key_id = $1', [
        tenant.id,
      ]),
    ).toEqual([{ next: 1 }]);
  });
});
