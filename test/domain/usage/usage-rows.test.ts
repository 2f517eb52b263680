import { afterAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { addUsage, type CountedUsage } from '../../../domain/usage/add-usage.ts';
import { readUsage, type UsageRange } from '../../../domain/usage/read-usage.ts';
import { deleteExpiredDays, rollUpHours } from '../../../domain/usage/roll-up-usage.ts';
import { UsageMeter } from '../../../domain/usage/usage-meter.ts';
import { usageCounters, type UsageCounter, type UsageCounts } from '../../../domain/tenancy/usage.ts';
import { withConnectionsOf } from '../../../platform/database/connection-shares.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { kyselyOf } from '../../../platform/database/statements.ts';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aTenant, anOrganization } from '../../support/factories.ts';
import { aReceiver } from '../../support/receiver.ts';
import { explain, statementsOf } from '../../support/statements.ts';
import { aListeningTenant, anEndpoint } from '../../support/webhooks.ts';
import { turnsOf } from '../webhooks/turns.ts';

const api = await startTestApi();
afterAll(api.close);
const { em } = api.orm;

const hour = 3_600_000;
const day = 24 * hour;
/** Noon of a day, in UTC. */
const noon = Date.UTC(2030, 5, 15, 12);

const none = Object.fromEntries(usageCounters.map((counter) => [counter, 0])) as Record<UsageCounter, number>;
const used = (tenantId: string, startsAt: number, counts: UsageCounts = { requests: 1 }): CountedUsage => ({
  tenantId,
  startsAt,
  counts: { ...none, ...counts },
});

async function rollUpUsage(now: number): Promise<void> {
  expect(await rollUpHours(em.fork(), now)).toBe(false);
  expect(await deleteExpiredDays(em.fork(), now)).toBe(false);
}

const read = async (tenantId: string, range: UsageRange) =>
  (await readUsage(em.fork(), tenantId, range, { limit: 1_000 })).map(
    ({ startsAt, requests }) => [(startsAt - noon) / hour, requests] as const,
  );

const perHour = async (tenantId: string): Promise<number> =>
  (await api.database.sql('select 1 from usage_hour where api_key_id = $1', [tenantId])).length;

/** Three quarters of the three connections of `api.orm`. */
const share = 2;

describe('usage rows', () => {
  it('are written while the key whose call counted first uses all of its connections', async () => {
    const { id } = await aTenant(api);
    const failures: string[] = [];
    const meter = new UsageMeter({
      write: async (usage) => addUsage(em.fork(), usage),
      onFailure: ({ reason }) => failures.push(reason),
      onDropped: () => undefined,
      writeWithinMs: 1,
      now: () => noon,
    });
    const end = Promise.withResolvers<undefined>();
    await withConnectionsOf('busy', async () => {
      const held = Array.from({ length: share }, async () =>
        inTransaction(api.orm, async (transaction) => {
          await sql`select`.execute(kyselyOf(transaction));
          await end.promise;
        }),
      );
      meter.count(id, { requests: 1 });
      await eventually(async () => expect(await perHour(id)).toBe(1));
      end.resolve(undefined);
      await Promise.all(held);
    });
    expect(failures).toEqual([]);
  });

  it('store every counter exactly', async () => {
    const { id } = await aTenant(api);
    const counts = Object.fromEntries(usageCounters.map((counter, index) => [counter, 2 ** 40 + index]));
    await addUsage(em.fork(), [used(id, noon, counts)]);
    await addUsage(em.fork(), [used(id, noon, { requests: 1 })]);
    const [stored] = await readUsage(em.fork(), id, { by: 'hour' }, { limit: 10 });
    expect(stored).toEqual({ startsAt: noon, ...counts, requests: 2 ** 40 + 1 });
  });

  it('add up concurrent writes of several processes in any order of keys', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, async () => (await aTenant(api)).id));
    await Promise.all(
      Array.from({ length: 24 }, async (_, process) => {
        const order = process % 2 === 0 ? keys : keys.toReversed();
        await addUsage(
          em.fork(),
          order.map((id) => used(id, noon)),
        );
      }),
    );
    for (const id of keys) expect(await read(id, { by: 'hour' })).toEqual([[0, 24]]);
  });

  it('omit deleted keys', async () => {
    const { id } = await aTenant(api);
    const { id: deleted } = await aTenant(api);
    await api.database.sql('update api_key set deleted_at = now() where id = $1', [deleted]);
    await addUsage(em.fork(), [used('999999999', noon), used(deleted, noon), used(id, noon)]);
    expect(await perHour(deleted)).toBe(0);
    expect(await read(id, { by: 'hour' })).toEqual([[0, 1]]);
  });

  it('are written by one statement for any number of keys, which uses indexes', async () => {
    const sent: string[] = [];
    const { id } = await aTenant(api);
    for (const statement of await statementsOf(async () => rollUpUsage(noon))) {
      const { wholeTables } = await explain(api.database, statement);
      expect(wholeTables).toEqual([]);
      sent.push(statement.text);
    }
    for (const by of ['hour', 'day'] as const) {
      for (const statement of await statementsOf(async () => read(id, { by }))) {
        const { wholeTables } = await explain(api.database, statement);
        expect(wholeTables).toEqual([]);
        sent.push(statement.text);
      }
    }
    expect(sent).toHaveLength(4);
  });

  it('are merged into days after 48 hours without a change of any sum', async () => {
    const { id } = await aTenant(api);
    const hours = [-60, -51, -50, -49, -48, -12, 0];
    await addUsage(
      em.fork(),
      hours.map((at) => used(id, noon + at * hour, { requests: 10 })),
    );
    const days = await read(id, { by: 'day' });
    expect(days).toEqual([
      [-60, 50],
      [-12, 20],
    ]);
    await rollUpUsage(noon + hour / 2);
    expect(await read(id, { by: 'hour' })).toEqual([
      [-48, 10],
      [-12, 10],
      [0, 10],
    ]);
    expect(await read(id, { by: 'day' })).toEqual(days);
    // A disconnected process adds to an hour that was already merged.
    await addUsage(em.fork(), [used(id, noon - 50 * hour)]);
    await Promise.all([rollUpUsage(noon), rollUpUsage(noon)]);
    expect(await read(id, { by: 'day' })).toEqual([
      [-60, 51],
      [-12, 20],
    ]);
    expect(await perHour(id)).toBe(3);
  });

  it('are deleted after 400 days', async () => {
    const { id } = await aTenant(api);
    await addUsage(
      em.fork(),
      [-401, -400, -399].map((at) => used(id, noon + at * day)),
    );
    await rollUpUsage(noon);
    expect(await read(id, { by: 'day' })).toEqual([
      [-400 * 24 - 12, 1],
      [-399 * 24 - 12, 1],
    ]);
  });

  it('are listed in pages of whole periods', async () => {
    const { id } = await aTenant(api);
    await addUsage(
      em.fork(),
      [-30, -29, -5, 0, 1].map((at) => used(id, noon + at * hour)),
    );
    await rollUpUsage(noon + 19 * hour);
    expect(await read(id, { by: 'hour', from: noon + 1, to: noon + hour })).toEqual([[0, 1]]);
    expect(await read(id, { by: 'hour', to: noon })).toEqual([
      [-29, 1],
      [-5, 1],
    ]);
    expect(await read(id, { by: 'day', from: noon - 1, to: noon + 1 })).toEqual([[-12, 3]]);
    const page = async (after?: number) =>
      (await readUsage(em.fork(), id, { by: 'day' }, { after, limit: 1 })).map(({ startsAt }) => startsAt);
    const [first] = await page();
    const [second] = await page(first);
    expect([first, second]).toEqual([noon - 36 * hour, noon - 12 * hour]);
    expect(await page(second)).toEqual([]);
  });
});

describe('the work of a worker for a key', () => {
  it('is counted when committed: each attempt to deliver an event', async () => {
    const receiver = await aReceiver();
    const counted: CountedUsage[] = [];
    const meter = new UsageMeter({
      write: async (usage) => void counted.push(...usage),
      onFailure: () => undefined,
      onDropped: () => undefined,
    });
    const turns = turnsOf({ ...api, orm: { em, onAnnounced: meter.onAnnounced } });
    const tenant = await aListeningTenant(api);
    await anOrganization(tenant);
    const endpoint = await anEndpoint(api, tenant, receiver.url);
    await turns.queued(tenant, 3);
    await turns.turn(tenant, endpoint);
    await meter.write();
    await turns.close();
    await receiver.close();
    const sum = (counter: UsageCounter): number =>
      counted.reduce((total, { counts }) => total + counts[counter], 0);
    expect([sum('deliveries'), sum('requests')]).toEqual([3, 0]);
  });
});
