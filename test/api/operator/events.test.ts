import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { anOperator, type TestTenant } from '../../support/factories.ts';
import { explain, statementsOf } from '../../support/statements.ts';
import { aListeningTenant, anEndpoint, happened } from '../../support/webhooks.ts';

const api = await startTestApi();
afterAll(api.close);
const operator = anOperator(api);

const list = '/v2/operator/events/poison/list';
const retry = '/v2/operator/events/poison/retry';
const discard = '/v2/operator/events/poison/discard';

interface Poison {
  readonly eventId: string;
  readonly keyId: string;
}

async function scene(events: number): Promise<TestTenant> {
  const tenant = await aListeningTenant(api);
  await anEndpoint(api, tenant, 'https://receiver.test/hook');
  await happened(
    api,
    tenant,
    Array.from({ length: events }, () => ({})),
  );
  return tenant;
}

/** A tenant all of whose events are poison events. */
async function poisoned(events: number): Promise<TestTenant> {
  const tenant = await scene(events);
  await api.database.sql(
    `with taken as (delete from outbox where api_key_id = $1 returning *)
     insert into poison_event (api_key_id, event_id, event_at, attempts, reason)
     select api_key_id, event_id, event_at, 5, 'integrity constraint (23505)' from taken`,
    [tenant.id],
  );
  return tenant;
}

describe('operator/events/outbox', () => {
  it('lists the keys with undispatched events, their number and the age of the oldest', async () => {
    const [one, two] = [await scene(3), await scene(1)];
    const first = await operator.ok<object[]>('/v2/operator/events/outbox', { pageSize: 1 });
    const rest = await operator.ok<object[]>('/v2/operator/events/outbox', {
      pageSize: 1,
      pageToken: first.nextPageToken,
    });
    expect([...first.data, ...rest.data]).toEqual(
      [one, two].map(({ keyId }, at) => ({
        keyId,
        events: at === 0 ? 3 : 1,
        oldestAt: expect.any(Number),
        oldestAgeMs: expect.any(Number),
      })),
    );
    expect(rest.nextPageToken).toBeUndefined();
  });
});

describe('operator/events/poison', () => {
  it('lists events with their attempts and the reason, of a key or of all, in pages', async () => {
    const [one, two] = [await poisoned(2), await poisoned(1)];
    const { data } = await operator.ok<Poison[]>(list, { keyId: one.keyId });
    expect(data).toHaveLength(2);
    expect(data[0]).toEqual({
      eventId: expect.stringMatching(/^evt_/),
      keyId: one.keyId,
      type: 'comment.add',
      occurredAt: expect.any(Number),
      attempts: 5,
      reason: 'integrity constraint (23505)',
      failedAt: expect.any(Number),
      nextAttemptAt: null,
    });
    const page = await operator.ok<Poison[]>(list, { pageSize: 2 });
    const next = await operator.ok<Poison[]>(list, { pageSize: 2, pageToken: page.nextPageToken });
    expect([...page.data, ...next.data].map(({ keyId }) => keyId)).toEqual([one.keyId, one.keyId, two.keyId]);
  });

  it('leaves out events that have expired, on any page', async () => {
    const { id, keyId } = await poisoned(3);
    await api.database.sql(
      'delete from event where id = (select min(event_id) from poison_event where api_key_id = $1)',
      [id],
    );
    const found: Poison[] = [];
    let pageToken: string | undefined;
    do {
      const page = await operator.ok<Poison[]>(list, { keyId, pageSize: 1, pageToken });
      found.push(...page.data);
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    expect(found).toHaveLength(2);
  });

  it('retry makes an event, or all of a key, due with all attempts, and has no further effect when repeated', async () => {
    const tenant = await poisoned(3);
    const { data } = await operator.ok<Poison[]>(list, { keyId: tenant.keyId });
    const due = async () =>
      api.database.sql('select attempts from poison_event where api_key_id = $1 and next_at <= now()', [
        tenant.id,
      ]);
    const eventId = data[0]?.eventId;
    for (let round = 0; round < 2; round += 1) {
      expect((await operator.ok(retry, { eventId })).data).toEqual({ events: 1 });
      expect(await due()).toEqual([{ attempts: 0 }]);
    }
    // One is due already, so a repeated call reaches others.
    expect((await operator.ok(retry, { keyId: tenant.keyId })).data).toEqual({ events: 2 });
    expect(await due()).toHaveLength(3);
    expect((await operator.ok(retry, { keyId: tenant.keyId })).data).toEqual({ events: 0 });
  });

  it('discard deletes an event, or all of a key, and succeeds when repeated', async () => {
    const tenant = await poisoned(3);
    const { data } = await operator.ok<Poison[]>(list, { keyId: tenant.keyId });
    const eventId = data[0]?.eventId;
    expect((await operator.ok(discard, { eventId })).data).toEqual({ events: 1 });
    expect((await operator.ok(discard, { eventId })).data).toEqual({ events: 0 });
    expect((await operator.ok(discard, { keyId: tenant.keyId })).data).toEqual({ events: 2 });
    expect((await operator.ok<Poison[]>(list, { keyId: tenant.keyId })).data).toEqual([]);
  });

  it('require exactly one of an event and a key, which must exist', async () => {
    for (const path of [retry, discard]) {
      expect((await operator.refused(path, {})).status).toBe('INVALID_ARGUMENT');
      for (const data of [{ eventId: 'evt_missing' }, { keyId: 'akid_missing' }])
        expect((await operator.refused(path, data)).status).toBe('NOT_FOUND');
    }
  });

  it('read every row by an index', async () => {
    const tenant = await poisoned(1);
    const { data } = await operator.ok<Poison[]>(list, { keyId: tenant.keyId });
    const sent = await statementsOf(async () => {
      await operator.ok('/v2/operator/events/outbox', {});
      await operator.ok(list, {});
      await operator.ok(list, { keyId: tenant.keyId });
      for (const scope of [{ eventId: data[0]?.eventId }, { keyId: tenant.keyId }]) {
        await operator.ok(retry, scope);
        await operator.ok(discard, scope);
      }
    });
    const texts = new Set(
      sent.map(({ text }) => text).filter((text) => /outbox|poison_event|event/.test(text)),
    );
    expect(texts.size).toBeGreaterThan(5);
    for (const text of texts) {
      const { wholeTables } = await explain(api.database, { text });
      expect({ text, wholeTables }).toEqual({ text, wholeTables: [] });
    }
  });
});

describe('operator/processes/list', () => {
  it('lists the API process with version, build and heartbeat', async () => {
    const { data } = await operator.ok<object[]>('/v2/operator/processes/list', {});
    expect(data).toEqual([
      {
        processId: expect.stringMatching(/^proc_/),
        kind: 'api',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        buildId: expect.stringMatching(/^[0-9a-f]{20}$/),
        host: expect.any(String),
        paused: [],
        startedAt: expect.any(Number),
        heartbeatAt: expect.any(Number),
      },
    ]);
  });
});
