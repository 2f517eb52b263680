import { afterAll, describe, expect, it } from '@jest/globals';
import { dispatchDue } from '../../../domain/webhooks/delivery/dispatch-turn.ts';
import { keysWithDueEvents } from '../../../domain/webhooks/delivery/find-waiting.ts';
import type { PoisonedEvent } from '../../../domain/webhooks/delivery/poison-events.ts';
import { deleteExpiredPoisonEvents } from '../../../domain/maintenance/delete-expired.ts';
import { startTestApi } from '../../support/api.ts';
import type { TestTenant } from '../../support/factories.ts';
import { explain, statementsOf } from '../../support/statements.ts';
import { aListeningTenant, anEndpoint, happened } from '../../support/webhooks.ts';

const api = await startTestApi();
afterAll(api.close);
const { database } = api;

const setAside: PoisonedEvent[] = [];

const dispatched = async (tenant: TestTenant) =>
  dispatchDue(
    {
      orm: api.orm,
      kinds: [0, 1, 2],
      firstWaitMs: 0,
      wake: () => undefined,
      onSetAside: (event) => void setAside.push(event),
      signal: new AbortController().signal,
    },
    tenant.id,
  );

async function scene() {
  const tenant = await aListeningTenant(api);
  await anEndpoint(api, tenant, 'https://receiver.test/hook');
  return tenant;
}

/** Makes the dispatch of all events of a type fail, because their messages already exist as after a restore. */
async function poison(tenant: TestTenant, type: string): Promise<void> {
  await database.sql(
    `insert into delivery (event_at, event_id, api_key_id, endpoint_id)
     select e.at, e.id, e.api_key_id, w.id from event e join webhook_endpoint w on w.api_key_id = e.api_key_id
     where e.api_key_id = $1 and e.type = $2`,
    [tenant.id, type],
  );
}

const poisoned = async (tenant: TestTenant) =>
  database.sql<{ type: string; attempts: number; reason: string; next_in: number | null }>(
    `select e.type, p.attempts, p.reason, round(extract(epoch from p.next_at - p.failed_at))::int as next_in
     from poison_event p join event e on e.at = p.event_at and e.id = p.event_id where p.api_key_id = $1`,
    [tenant.id],
  );

const left = async (tenant: TestTenant): Promise<number> =>
  (await database.sql('select from outbox where api_key_id = $1', [tenant.id])).length;

const sequences = async (tenant: TestTenant): Promise<number[]> =>
  (
    await database.sql<{ sequence: number }>(
      'select sequence::int from delivery where api_key_id = $1 and sequence is not null order by 1',
      [tenant.id],
    )
  ).map(({ sequence }) => sequence);

const due = async (tenant: TestTenant): Promise<unknown> =>
  database.sql('update poison_event set next_at = now() where api_key_id = $1 and next_at is not null', [
    tenant.id,
  ]);

const dueKeys = async (): Promise<readonly string[]> => (await keysWithDueEvents(api.orm.em.fork())).found;

/** Failed events whose next attempt is due after `sinceSeconds` of waiting, without their rows in `event`. */
const failedEvents = async (tenant: TestTenant, events: number, sinceSeconds: number): Promise<unknown> =>
  database.sql(
    `insert into poison_event (api_key_id, event_id, event_at, reason, next_at)
     select $1, i, now(), 'test', now() - $3 * interval '1 second' from generate_series(1, $2::int) i`,
    [tenant.id, events, sinceSeconds],
  );

const waiting = async (tenant: TestTenant): Promise<number> =>
  (await database.sql('select from poison_event where api_key_id = $1', [tenant.id])).length;

describe('an event whose dispatch fails', () => {
  it('does not block the other events of its batch, and leaves no gap in their numbers', async () => {
    const tenant = await scene();
    const types = Array.from({ length: 30 }, (_, at) => (at === 11 ? 'poison.one' : `event.n${String(at)}`));
    await happened(
      api,
      tenant,
      types.map((type) => ({ type })),
    );
    await poison(tenant, 'poison.one');
    expect(await dispatched(tenant)).toEqual({ finished: true });
    expect(await left(tenant)).toBe(0);
    expect(await sequences(tenant)).toEqual(Array.from({ length: 29 }, (_, at) => at + 1));
    expect(await poisoned(tenant)).toEqual([
      { type: 'poison.one', attempts: 1, reason: 'integrity constraint (23505)', next_in: 15 },
    ]);
  });

  it('is retried with backoff, and set aside after 5 attempts', async () => {
    const tenant = await scene();
    await happened(api, tenant, [{ type: 'poison.one' }]);
    await poison(tenant, 'poison.one');
    await dispatched(tenant);
    await dispatched(tenant);
    const seen: unknown[] = [];
    for (let round = 0; round < 6; round += 1) {
      seen.push(...(await poisoned(tenant)).map(({ attempts, next_in }) => [attempts, next_in]));
      await due(tenant);
      expect((await dueKeys()).includes(tenant.keyId)).toBe(round < 4);
      await dispatched(tenant);
    }
    expect(seen).toEqual([
      [1, 15],
      [2, 30],
      [3, 60],
      [4, 120],
      [5, null],
      [5, null],
    ]);
    const [{ public_id: eventId } = { public_id: '' }] = await database.sql<{ public_id: string }>(
      'select public_id from event where api_key_id = $1',
      [tenant.id],
    );
    expect(setAside).toEqual([{ eventId, reason: 'integrity constraint (23505)' }]);
  });

  it('is retried however many events of other keys wait, of disabled ones too', async () => {
    const [many, disabled, later, failing] = [await scene(), await scene(), await scene(), await scene()];
    await failedEvents(many, 1_500, 3_600);
    await failedEvents(disabled, 1_500, 3_600);
    await database.sql('update api_key set disabled_at = now() where id = $1', [disabled.id]);
    await failedEvents(later, 1, -3_600);
    await failedEvents(failing, 1, 0);
    const keys = await dueKeys();
    const ours = [many, disabled, later, failing].filter(({ keyId }) => keys.includes(keyId));
    expect(ours).toEqual([many, failing]);
  });

  it('is retried in further turns at once when many are due, unless its key is disabled', async () => {
    const tenant = await scene();
    await failedEvents(tenant, 150, 0);
    await database.sql('update api_key set disabled_at = now() where id = $1', [tenant.id]);
    expect(await dispatched(tenant)).toEqual({ finished: true });
    expect(await waiting(tenant)).toBe(150);
    await database.sql('update api_key set disabled_at = null where id = $1', [tenant.id]);
    expect(await dispatched(tenant)).toEqual({ finished: false });
    expect(await waiting(tenant)).toBe(50);
    expect(await dispatched(tenant)).toEqual({ finished: true });
    expect(await waiting(tenant)).toBe(0);
  });

  it('is dispatched by a later attempt once its cause is fixed', async () => {
    const tenant = await scene();
    await happened(api, tenant, [{ type: 'poison.one' }]);
    await poison(tenant, 'poison.one');
    await dispatched(tenant);
    await database.sql('delete from delivery where api_key_id = $1', [tenant.id]);
    await due(tenant);
    await dispatched(tenant);
    expect(await poisoned(tenant)).toEqual([]);
    expect(await sequences(tenant)).toEqual([1]);
  });

  it('stays in the outbox when the failure concerns every event', async () => {
    const tenant = await scene();
    await happened(api, tenant, [{}, {}]);
    await database.sql('alter table webhook_drain rename to absent');
    await expect(dispatched(tenant)).rejects.toMatchObject({ code: '42P01' });
    await database.sql('alter table absent rename to webhook_drain');
    expect(await left(tenant)).toBe(2);
    expect(await poisoned(tenant)).toEqual([]);
  });

  it('is deleted with its partition', async () => {
    const tenant = await scene();
    await happened(api, tenant, [{ type: 'poison.one' }, { type: 'poison.one' }]);
    await poison(tenant, 'poison.one');
    await dispatched(tenant);
    await database.sql(
      `update poison_event set event_at = now() - interval '32 days'
       where api_key_id = $1 and event_id = (select min(event_id) from poison_event where api_key_id = $1)`,
      [tenant.id],
    );
    await deleteExpiredPoisonEvents(30)(api.orm.em.fork());
    expect(await poisoned(tenant)).toHaveLength(1);
  });

  it('is found by an index', async () => {
    const tenant = await scene();
    await happened(api, tenant, [{ type: 'poison.one' }]);
    await poison(tenant, 'poison.one');
    const sent = await statementsOf(async () => {
      await dispatched(tenant);
      await due(tenant);
      await dispatched(tenant);
      await dueKeys();
      await deleteExpiredPoisonEvents(30)(api.orm.em.fork());
    });
    for (const text of new Set(sent.map((statement) => statement.text))) {
      if (!/^\s*(?:select|with|insert|update|delete)/.test(text)) continue;
      const { wholeTables } = await explain(database, { text });
      expect({ text, wholeTables }).toEqual({ text, wholeTables: [] });
    }
  });
});
