import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../../support/api.ts';
import type { Response } from '../../../support/client.ts';
import { eventually, repeatUntil } from '../../../support/eventually.ts';
import {
  aDocument,
  aTenant,
  withActivityLogs,
  type TestDocument,
  type TestTenant,
} from '../../../support/factories.ts';
import { explain, statementsOf } from '../../../support/statements.ts';

const api = await startTestApi();
afterAll(api.close);

const path = '/v2/activities/add';
let tenant: TestTenant;
let location: TestDocument;

/** A new key and a document of it. */
async function begin(): Promise<void> {
  tenant = await withActivityLogs(await aTenant(api));
  location = await aDocument(tenant);
}
beforeEach(begin);

/**
 * Repeats a scenario with a new key until it returns true. A slow machine may send the calls one by one, and a lock that
 * takes more than 250 ms ends grouping for a second.
 */
const untilGrouped = async (scenario: () => Promise<boolean>): Promise<void> =>
  repeatUntil(async () => {
    await begin();
    return scenario();
  });

const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

/** Adds a record without an id, so that a call that runs twice adds two. */
const add = async (idempotencyKey: string, title = idempotencyKey, at = location): Promise<Response> =>
  tenant.call(
    path,
    {
      ...at,
      activities: [
        {
          featureType: 'comment',
          actionType: 'comment.add',
          actionUser: { userId: 'ada' },
          displayMessageTemplate: title,
        },
      ],
    },
    { idempotencyKey },
  );

const stored = async () =>
  api.database.sql<{ xmin: string }>('select xmin::text from activity where api_key_id = $1', [tenant.id]);
const seen = ({ status, text, headers }: Response) => [status, text, headers['idempotent-replayed']];
const replayOf = ({ status, text }: Response) => [status, text, 'true'];
const codes = (responses: readonly Response[]) => responses.map(({ status }) => status);

/** Sends calls while another one of the key runs, so that they wait and share the next transaction. */
async function together<Result>(calls: readonly (() => Promise<Result>)[]): Promise<Result[]> {
  const holder = await api.database.connect();
  await holder.query('begin');
  await holder.query('select 1 from document where ext_id = $1 for update', [location.documentId]);
  const first = tenant.call(path, {
    ...location,
    activities: [
      { id: 'first', featureType: 'comment', actionType: 'comment.add', actionUser: { userId: 'ada' } },
    ],
  });
  const sent = calls.map(async (call) => call());
  await callsWait();
  await holder.query('rollback');
  expect((await first).status).toBe(200);
  return Promise.all(sent);
}

const callsWait = async () =>
  eventually(async () => {
    const waits = await api.database.sql(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waits.length > 0;
  });

describe('concurrent small calls with Idempotency-Keys', () => {
  it('share transactions, and each is replayed by a repetition alone or together', async () => {
    await untilGrouped(async () => {
      const responses = await Promise.all(numbers(100).map(async (number) => add(`key-${String(number)}`)));
      // After a pause of seconds, calls have waited too long for a connection to the database.
      if (codes(responses).includes(503)) return false;
      expect(new Set(codes(responses))).toEqual(new Set([200]));
      const rows = await stored();
      expect(rows).toHaveLength(100);
      const again = await Promise.all(numbers(100).map(async (number) => add(`key-${String(number)}`)));
      expect(again.map(seen)).toEqual(responses.map(replayOf));
      const [first] = responses;
      expect(seen(await add('key-0'))).toEqual(first && replayOf(first));
      expect(await stored()).toHaveLength(100);
      return new Set(rows.map(({ xmin }) => xmin)).size < 75;
    });
  });

  it('are refused individually when a key was used with another request', async () => {
    await add('used', 'first');
    await add('repeated', 'first');
    const [other, repeated, ...fresh] = await Promise.all([
      add('used', 'second'),
      add('repeated', 'first'),
      ...numbers(40).map(async (number) => add(`fresh-${String(number)}`)),
    ]);
    expect([other.status, other.body.error?.message]).toEqual([
      422,
      'Idempotency-Key was used with another request.',
    ]);
    expect(seen(repeated).at(-1)).toBe('true');
    expect(new Set(codes(fresh))).toEqual(new Set([200]));
    expect(await stored()).toHaveLength(42);
  });

  it('run once per key when several have the same one, with and without keys mixed', async () => {
    const calls = numbers(90).map((number) => async () => {
      if (number % 3 === 2)
        return tenant.call(path, {
          ...location,
          activities: [{ featureType: 'comment', actionType: 'comment.add', actionUser: { userId: 'ben' } }],
        });
      return add(`shared-${String(number % 10)}`);
    });
    const responses = await together(calls);
    const bodies = new Map<number, Set<string>>();
    for (const [number, { status, text, headers }] of responses.entries()) {
      if (number % 3 === 2) expect(status).toBe(200);
      else if (status === 200) bodies.set(number % 10, (bodies.get(number % 10) ?? new Set()).add(text));
      else expect([status, headers['retry-after']]).toEqual([409, '1']);
    }
    expect([...bodies.values()].map(({ size }) => size)).toEqual(numbers(10).map(() => 1));
    expect(await stored()).toHaveLength(1 + 10 + 30);
  });

  it('are refused individually by their handler, and the refusal is replayed', async () => {
    const unknown = { organizationId: location.organizationId, documentId: 'not-added' };
    const [refused, ...others] = await Promise.all([
      add('to-nowhere', 'x', unknown),
      ...numbers(40).map(async (number) => add(`fresh-${String(number)}`)),
    ]);
    expect(refused.status).toBe(404);
    expect(new Set(codes(others))).toEqual(new Set([200]));
    await aDocument(tenant, unknown);
    expect(seen(await add('to-nowhere', 'x', unknown))).toEqual(replayOf(refused));
  });

  it('run a constant number of statements, each by an index', async () => {
    await untilGrouped(async () => {
      const sent = await statementsOf(async () =>
        Promise.all(numbers(90).map(async (number) => add(`counted-${String(number)}`))),
      );
      const keyed = sent.filter(({ text, values }) => values.length > 0 && text.includes('idempotency'));
      expect(keyed.length).toBeGreaterThan(0);
      for (const statement of keyed) expect((await explain(api.database, statement)).wholeTables).toEqual([]);
      return sent.length < 90 * 3;
    });
  });

  it('that lose their connection run once, or not at all, and are written by a repetition', async () => {
    const holder = await api.database.connect();
    await holder.query('begin');
    await holder.query('select 1 from document where ext_id = $1 for update', [location.documentId]);
    const calls = numbers(30).map(async (number) => add(`cut-${String(number)}`));
    await callsWait();
    await api.database.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'steward' and datname = current_database() and wait_event_type = 'Lock'`,
    );
    await holder.query('rollback');
    for (const { status } of await Promise.all(calls)) expect([200, 503]).toContain(status);
    const again = await Promise.all(numbers(30).map(async (number) => add(`cut-${String(number)}`)));
    expect(new Set(codes(again))).toEqual(new Set([200]));
    expect(await stored()).toHaveLength(30);
  });
});
