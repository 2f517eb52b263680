import { afterAll, describe, expect, it } from '@jest/globals';
import {
  endpointsWithOldMessages,
  keysWithOldEvents,
} from '../../../domain/webhooks/delivery/find-waiting.ts';
import { maintainDayPartitions } from '../../../domain/maintenance/day-partitions.ts';
import { startTestApi } from '../../support/api.ts';
import { responding, aReceiver } from '../../support/receiver.ts';
import { explain, statementsOf } from '../../support/statements.ts';
import { aListeningTenant, anEndpoint, happened } from '../../support/webhooks.ts';
import { turnsOf } from './turns.ts';

const api = await startTestApi();
const turns = turnsOf(api);
const receiver = await aReceiver();
afterAll(async () => {
  await receiver.close();
  await turns.close();
  await api.close();
});

/** The planner settings that `indexLookups` turns off. */
const lookingUp = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];

/** `explain` rejects commands such as `begin`. */
const explainable = (text: string): boolean => /^\s*(?:select|with|insert|update|delete)/.test(text);

const isPostgres15 = process.env['TEST_POSTGRES'] === '15';

describe('the statements of deliveries', () => {
  it('use an index for every row, also over many daily partitions', async () => {
    await maintainDayPartitions(api.orm, Date.now(), 30);
    const tenant = await aListeningTenant(api);
    const endpoint = await anEndpoint(api, tenant, receiver.url, { rateLimit: 1_000 });
    const sent = await statementsOf(async () => {
      await turns.queued(tenant, 3);
      await turns.turn(tenant, endpoint);
      receiver.behave(responding(500));
      await turns.queued(tenant, 1);
      await turns.turn(tenant, endpoint);
      await api.database.sql(
        `update webhook_endpoint set failing_since = now() - interval '6 days' where public_id = $1`,
        [endpoint],
      );
      await turns.later(tenant, '6 seconds');
      await turns.turn(tenant, endpoint);
      receiver.behave(responding(410));
      await turns.queued(tenant, 1);
      await turns.turn(tenant, endpoint);
      await turns.turn(tenant, endpoint);
      await keysWithOldEvents(api.orm.em.fork());
      await endpointsWithOldMessages(api.orm.em.fork(), [0, 1, 2]);
    });
    const texts = [...new Set(sent.map(({ text }) => text))].filter(explainable);
    expect(texts.length).toBeGreaterThan(12);
    for (const text of texts) {
      expect({ text, wholeTables: (await explain(api.database, { text })).wholeTables }).toEqual({
        text,
        wholeTables: [],
      });
    }
  });

  it('create messages from events by an index for every row, with the planner settings of dispatch', async () => {
    const tenant = await aListeningTenant(api);
    await anEndpoint(api, tenant, receiver.url);
    const sent = await statementsOf(async () => turns.queued(tenant, 3));
    const [text = '', ...others] = sent
      .map((one) => one.text)
      .filter((one) => /insert into delivery/.test(one));
    expect(others).toEqual([]);
    const { wholeTables, indexes } = await explain(api.database, { text }, ['enable_nestloop']);
    expect(wholeTables).toEqual([]);
    expect(indexes).toEqual(expect.arrayContaining(['webhook_subscription_pkey', 'webhook_drain_pkey']));
  });

  it('find pending messages by the partial index', async () => {
    receiver.behave(responding(500));
    const tenant = await aListeningTenant(api);
    const endpoint = await anEndpoint(api, tenant, receiver.url);
    await turns.queued(tenant, 12);
    const sent = await statementsOf(async () => {
      await turns.turn(tenant, endpoint);
      await turns.turn(tenant, endpoint);
      await endpointsWithOldMessages(api.orm.em.fork(), [0, 1, 2]);
    });
    const waiting = [...new Set(sent.map(({ text }) => text))].filter((text) => /status = 0/.test(text));
    // The statements of claim, next due time, outage and sweep.
    expect(waiting.length).toBeGreaterThanOrEqual(4);
    for (const text of waiting) {
      const { indexes } = await explain(api.database, { text }, lookingUp);
      expect(indexes).toContainEqual(expect.stringMatching(/^delivery_.*_endpoint_id_next_at_idx$/));
    }
  });

  it('update messages by their keys, also with a plan cached while the table was empty', async () => {
    receiver.behave(responding(200));
    const tenant = await aListeningTenant(api);
    const endpoint = await anEndpoint(api, tenant, receiver.url);
    await turns.queued(tenant, 2);
    const sent = await statementsOf(() => turns.turn(tenant, endpoint));
    await api.database.sql('truncate delivery, attempt');
    const changing = sent.filter(({ text }) => /update delivery/.test(text));
    expect(new Set(changing.map(({ text }) => text)).size).toBe(2);
    for (const { text } of changing) {
      const { indexes, conditions } = await explain(api.database, { text }, lookingUp);
      const entered = conditions.filter((_, at) => indexes[at]?.startsWith('delivery'));
      expect(entered.length).toBeGreaterThan(0);
      // PostgreSQL 15 would search two lists for all of their pairs, and reads the time range of the messages instead.
      const byKey = isPostgres15 ? /event_id =|event_at <=/ : /event_id =/;
      expect(entered.filter((condition) => !byKey.test(condition))).toEqual([]);
    }
  });

  it('commit synchronously when messages are numbered, and asynchronously when they are sent', async () => {
    const tenant = await aListeningTenant(api);
    receiver.behave(responding(200));
    const endpoint = await anEndpoint(api, tenant, receiver.url);
    const waitsNot = async (act: () => Promise<unknown>): Promise<[number, number]> => {
      const texts = (await statementsOf(act)).map(({ text }) => text);
      const count = (part: string): number => texts.filter((text) => text.includes(part)).length;
      return [count('synchronous_commit'), count('update delivery')];
    };
    expect((await waitsNot(async () => turns.queued(tenant, 2)))[0]).toBe(0);
    const [asynchronousCommit, changes] = await waitsNot(async () => turns.turn(tenant, endpoint));
    // One commit for the claim and one for the attempts, or on a slow machine one for each attempt.
    expect([2, 3]).toContain(changes);
    expect(asynchronousCommit).toBeGreaterThanOrEqual(changes);
  });

  it('do not increase with the number of messages', async () => {
    const tenant = await aListeningTenant(api);
    receiver.behave(responding(200));
    const endpoint = await anEndpoint(api, tenant, receiver.url);
    const countFor = async (events: number): Promise<number> => {
      const sent = await statementsOf(async () => turns.queued(tenant, events));
      await turns.turn(tenant, endpoint, { share: 200 });
      return sent.length;
    };
    expect(await countFor(100)).toBe(await countFor(1));
  });
});

describe('the sweep', () => {
  it('finds only keys with overdue events and endpoints with overdue messages', async () => {
    const quiet = await aListeningTenant(api);
    const forgotten = await aListeningTenant(api);
    const held = await aListeningTenant(api, { encryptData: true });
    const ids = new Map<string, string>();
    for (const tenant of [quiet, forgotten, held])
      ids.set(tenant.id, await anEndpoint(api, tenant, receiver.url));
    const found = async () => {
      const em = api.orm.em.fork();
      const keys = new Set((await keysWithOldEvents(em)).found);
      const waiting = await endpointsWithOldMessages(em, [0, 1, 2]);
      const endpoints = new Set(waiting.found.map(({ endpointId }) => endpointId));
      return [quiet, forgotten, held].map(({ id, keyId }) => [
        keys.has(keyId),
        endpoints.has(ids.get(id) ?? ''),
      ]);
    };
    for (const tenant of [quiet, forgotten, held]) await happened(api, tenant, [{}]);
    // An hour ahead for the others, because a slow machine may need more than the 10 s itself.
    await api.database.sql(
      `update outbox set event_at = event_at +
         case when api_key_id = $1 then interval '-11 seconds' else interval '1 hour' end`,
      [forgotten.id],
    );
    expect(await found()).toEqual([
      [false, false],
      [true, false],
      [false, false],
    ]);
    await api.database.sql('delete from outbox');
    for (const tenant of [quiet, forgotten, held]) {
      await turns.queued(tenant);
      await turns.later(tenant, '-1 hour');
    }
    expect(await found()).toEqual([
      [false, false],
      [false, false],
      [false, false],
    ]);
    for (const tenant of [forgotten, held]) await turns.later(tenant, '1 hour 21 seconds');
    expect(await found()).toEqual([
      [false, false],
      [false, true],
      [false, false],
    ]);
    await api.database.sql(
      `update delivery set claimed_until = now() + interval '1 hour' where api_key_id = $1`,
      [forgotten.id],
    );
    expect((await found())[1]).toEqual([false, false]);
  });
});
