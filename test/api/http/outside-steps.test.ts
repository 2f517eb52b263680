import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { dataResponse, succeeded } from '../../../api/http/response/data.ts';
import { outsideEndpoint } from '../../../api/http/outside-endpoint.ts';
import { notFound } from '../../../domain/errors.ts';
import { tablesOf } from '../../../domain/tables.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aTenant, type TestTenant } from '../../support/factories.ts';

/** An external server that responds when the test allows it. */
let party: Server;
let calls: number;
let letRespond: (status: number) => void;
let reached: Promise<void>;

const askParty = outsideEndpoint({
  paths: ['/v2/test/ask'],
  credentials: 'apiKey',
  summary: 'Calls a local server and returns its status.',
  description: 'Calls a local server and returns its status.',
  data: z.strictObject({ question: z.string() }),
  response: dataResponse(z.strictObject({ status: z.int() })),
  errors: ['NOT_FOUND'],
  example: { question: 'ready?' },
  outside: {
    // The lease also lasts that long: a slow machine must not end it.
    limitMs: 600_000,
    async prepare({ data, tenant }, { em }) {
      if (data.question === '') throw notFound('There is no question.');
      const id = `prepared-${data.question}`;
      await tablesOf(em)
        .insertInto('organization')
        .values({ api_key_id: tenant.id, ext_id: id, name: id })
        .execute();
      return data.question;
    },
    async reach(question, signal) {
      const response = await fetch(
        `http://127.0.0.1:${String((party.address() as AddressInfo).port)}/${question}`,
        {
          signal,
        },
      );
      if (response.status === 500) throw new Error('The party failed.');
      return response.status;
    },
  },
  async handle({ outcome }) {
    return succeeded('Asked.', { status: outcome });
  },
});

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi({ endpoints: [askParty], environment: { DATABASE_POOL_SIZE: '1' } });
  tenant = await aTenant(api);
  party = createServer().listen(0, '127.0.0.1');
  await once(party, 'listening');
});

beforeEach(() => {
  calls = 0;
  let tellReached: () => void;
  reached = new Promise((resolve) => {
    tellReached = resolve;
  });
  party.removeAllListeners('request');
  party.on('request', (_request, response) => {
    calls += 1;
    letRespond = (status) => response.writeHead(status).end();
    tellReached();
  });
});

afterAll(async () => {
  await api.close();
  party.closeAllConnections();
  party.close();
});

async function ask(question: string, idempotencyKey?: string) {
  return tenant.call('/v2/test/ask', { question }, idempotencyKey === undefined ? {} : { idempotencyKey });
}

describe('an endpoint that calls another server', () => {
  it('holds no database connection while it waits', async () => {
    const pending = ask('waiting');
    await reached;
    const other = await tenant.call('/v2/test/ask', { question: '' });
    expect(other.status).toBe(404);
    letRespond(204);
    expect((await pending).body.result?.data).toEqual({ status: 204 });
  });

  it('calls the server once per Idempotency-Key, and returns ABORTED to a concurrent call', async () => {
    const pending = ask('once', 'one-key');
    await reached;
    const second = await ask('once', 'one-key');
    expect([second.status, second.headers['retry-after']]).toEqual([409, '1']);
    letRespond(200);
    const first = await pending;
    const replay = await ask('once', 'one-key');
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect(replay.text).toBe(first.text);
    expect(calls).toBe(1);
  });

  it('releases the key when the server fails, so that a retry runs', async () => {
    const pending = ask('failing', 'second-key');
    await reached;
    letRespond(500);
    expect((await pending).status).toBe(500);
    const claims = await api.database.sql('select 1 from idempotency where http_status is null');
    expect(claims).toEqual([]);
  });

  it('stores a refusal of its first step and rolls back its writes', async () => {
    const first = await ask('', 'third-key');
    const again = await ask('', 'third-key');
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([404, 404, 'true']);
    expect(again.text).toBe(first.text);
    expect(calls).toBe(0);
  });

  describe('when it stalls past its lease while a later call holds its key', () => {
    /** A call in `reach`, and a later call that claimed its key after the lease expired. */
    async function overtaken(key: string) {
      const first = ask(key, key);
      await reached;
      const respondFirst = letRespond;
      await api.database.sql(`update idempotency set lease_until = now() - interval '1 second'
        where http_status is null`);
      await api.database.sql('delete from organization where ext_id = $1', [`prepared-${key}`]);
      const second = ask(key, key);
      await eventually(() => calls === 2);
      return { first, respondFirst, second, respondSecond: letRespond };
    }

    it.each([200, 500])(
      'neither stores a response nor releases the key when the server returns %i',
      async (status) => {
        const key = `overtaken-by-${String(status)}`;
        const { first, respondFirst, second, respondSecond } = await overtaken(key);
        respondFirst(status);
        const { status: firstStatus, headers, body } = await first;
        if (status === 200) {
          expect([firstStatus, body.error?.status, headers['retry-after']]).toEqual([409, 'ABORTED', '1']);
        } else expect(firstStatus).toBe(500);
        // The later call still holds the key.
        expect((await ask(key, key)).status).toBe(409);
        respondSecond(201);
        const response = await second;
        expect(response.body.result?.data).toEqual({ status: 201 });
        const replay = await ask(key, key);
        expect([replay.headers['idempotent-replayed'], replay.text]).toEqual(['true', response.text]);
      },
    );

    it('returns ABORTED after the later call has ended, whose response stays', async () => {
      const { first, respondFirst, second, respondSecond } = await overtaken('overtaken-and-ended');
      respondSecond(201);
      const response = await second;
      respondFirst(200);
      expect((await first).status).toBe(409);
      expect((await ask('overtaken-and-ended', 'overtaken-and-ended')).text).toBe(response.text);
    });
  });

  it('frees the key of a crashed process once its lease expires', async () => {
    const claim = async (lease: string): Promise<void> => {
      await api.database.sql(
        `update idempotency set http_status = null, response_enc = null, lease_until = now() + $1::interval`,
        [lease],
      );
    };
    const pending = ask('dying', 'fourth-key');
    await reached;
    letRespond(200);
    await pending;
    await claim('1 hour');
    expect((await ask('dying', 'fourth-key')).status).toBe(409);
    await claim('-1 second');
    await api.database.sql(`delete from organization where ext_id = 'prepared-dying'`);
    party.on('request', (_request, response) => response.writeHead(200).end());
    party.removeListener('request', party.listeners('request')[0] as () => void);
    expect((await ask('dying', 'fourth-key')).body.result?.data).toEqual({ status: 200 });
  });
});
