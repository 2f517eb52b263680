import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { statuses } from '../../api/http/response/statuses.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aClient, type Response } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import {
  aDocument,
  anOrganization,
  calledThrough,
  aTenant,
  withActivityLogs,
  type TestTenant,
} from '../support/factories.ts';
import { destructiveLast, inLeftWorlds } from '../support/left-worlds.ts';
import { killed, startProcess } from '../support/processes.ts';
import { allRows, rowsOf } from '../support/rows.ts';
import { callerOf, mutations, type Operation } from '../support/operations.ts';
import { about, unknownIds } from '../support/world-ids.ts';
import type { World } from '../support/world.ts';

const api = await startTestApi();
afterAll(api.close);
const add = '/v2/organizations/add';
const createKey = '/v2/workspace/apikey/create';
const newKey = { ownerEmail: 'owner@example.com', type: 'testing' };
const addDocuments = '/v2/organizations/documents/add';

const organizations = (...ids: string[]) => ({
  organizations: ids.map((organizationId) => ({ organizationId })),
});
const seen = ({ status, headers, text }: Response) => [status, headers['idempotent-replayed'], text];
const replayOf = ({ status, text }: Response) => [status, 'true', text];
const idsOf = async (tenant: TestTenant) =>
  (await tenant.ok<{ id: string }[]>('/v2/organizations/get')).data.map(({ id }) => id);

/** Runs handlers, but stops calls before they store their response. */
async function beforeStoring(database: TestApi['database']): Promise<{ release: () => Promise<unknown> }> {
  const blocker = await database.connect();
  await blocker.query('begin');
  await blocker.query('lock table idempotency in share mode');
  return { release: () => blocker.query('rollback') };
}

/** The request hash of version 0.1. */
const hashOf = (data: object): string => createHash('sha256').update(JSON.stringify(data)).digest('hex');

const callsWait = async (): Promise<void> => {
  await eventually(async () => {
    const found = await api.database.sql(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return found.length > 0;
  });
};

describe('a repeated call with the same Idempotency-Key', () => {
  // Generated from the registry, so every registered operation is covered.
  // The rewriter stores only texts, and its example has none. Its own test covers the replay.
  const kept = mutations.filter(({ endpoint }) => endpoint.response.kind !== 'result');

  const inWorld = inLeftWorlds(api);

  async function expectReplay({ endpoint, path }: Operation, { tenant, ids }: World): Promise<void> {
    const caller = callerOf(api, tenant, endpoint);
    const data = about(ids, endpoint.example);
    const idempotencyKey = `${tenant.apiKey}${path}`;
    const first = await caller.call(path, data, { idempotencyKey });
    expect([first.status < 300, first.headers['idempotent-replayed']]).toEqual([true, undefined]);
    const rows = async () =>
      endpoint.credentials === 'apiKey' ? rowsOf(api.database, tenant.id) : allRows(api.database);
    const before = await rows();
    const again = await caller.call(path, data, { idempotencyKey });
    expect(seen(again)).toEqual(replayOf(first));
    const other = about(unknownIds(ids), endpoint.example);
    if (JSON.stringify(other) !== JSON.stringify(data)) {
      const refusal = await caller.refused(path, other, { idempotencyKey });
      expect([refusal.http, refusal.status, refusal.message]).toEqual([
        422,
        'INVALID_ARGUMENT',
        'Idempotency-Key was used with another request.',
      ]);
    }
    expect(await rows()).toEqual(before);
  }

  it.each(destructiveLast(kept))('of $path returns the same response and does nothing', async (operation) =>
    inWorld((world) => expectReplay(operation, world)),
  );

  it('is recognized with its members in another order', async () => {
    const tenant = await aTenant(api);
    const options = { idempotencyKey: 'order' };
    const first = await tenant.call(add, undefined, {
      ...options,
      raw: '{"data":{"organizations":[{"organizationId":"a","note":{"x":1,"y":2}}]}}',
    });
    const again = await tenant.call(add, undefined, {
      ...options,
      raw: ' {"other":1, "data":{"organizations":[{"note":{"y":2, "x":1}, "organizationId":"a"}]}}',
    });
    expect(seen(again)).toEqual(replayOf(first));
  });

  it('runs once for concurrent calls to two API processes', async () => {
    const { workspace } = await aTenant(api);
    const second = await startTestApi({ database: api.database });
    try {
      const responses = await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const caller = aClient(index % 2 === 0 ? api.url : second.url, workspace.headers);
          return caller.call(createKey, newKey, { idempotencyKey: 'at-once' });
        }),
      );
      const keys = await workspace.ok<unknown[]>('/v2/workspace/apikeys/get');
      expect(keys.data).toHaveLength(2);
      const made = new Set(responses.filter(({ status }) => status === 200).map(({ text }) => text));
      expect(made.size).toBe(1);
      for (const { status, headers, body } of responses) {
        if (status === 200) continue;
        expect([status, body.error?.status, headers['retry-after']]).toEqual([409, 'ABORTED', '1']);
      }
    } finally {
      await second.close();
    }
  });

  it('returns 409 ABORTED with Retry-After while the first runs, and a replay afterwards', async () => {
    const tenant = await aTenant(api);
    const blocker = await beforeStoring(api.database);
    const first = tenant.call(add, organizations('a'), { idempotencyKey: 'running' });
    await callsWait();
    const refusal = await tenant.refused(add, organizations('a'), { idempotencyKey: 'running' });
    expect([refusal.http, refusal.status, refusal.message, refusal.headers['retry-after']]).toEqual([
      409,
      'ABORTED',
      'A request with this Idempotency-Key is still running.',
      '1',
    ]);
    await blocker.release();
    const response = await first;
    const again = await tenant.call(add, organizations('a'), { idempotencyKey: 'running' });
    expect(seen(again)).toEqual(replayOf(response));
  });
});

describe('an Idempotency-Key', () => {
  it('has 1 to 255 visible ASCII characters', async () => {
    const tenant = await aTenant(api);
    for (const idempotencyKey of ['', ' ', 'a b', 'é', '~'.repeat(256), 'k, k']) {
      const refusal = await tenant.refused(add, organizations('a'), { idempotencyKey });
      expect([refusal.http, refusal.message]).toEqual([
        400,
        'Idempotency-Key must be 1 to 255 visible ASCII characters.',
      ]);
    }
    expect(await idsOf(tenant)).toEqual([]);
    for (const idempotencyKey of ['!', '~'.repeat(255)]) {
      await tenant.ok(add, organizations('a'), { idempotencyKey });
    }
  });

  it('is rejected when malformed, after the JSON check and before the shape check', async () => {
    const tenant = await aTenant(api);
    const options = { idempotencyKey: 'a b' };
    const message = 'Idempotency-Key must be 1 to 255 visible ASCII characters.';
    expect(await tenant.refused(add, { x: 1 }, options)).toMatchObject({
      message,
      details: { issues: [{ path: 'Idempotency-Key', message }], issuesTotal: 1 },
    });
    expect((await tenant.refused(add, {}, { ...options, raw: '{' })).message).not.toBe(message);
  });

  it('on /v1 also covers ignored members', async () => {
    const tenant = await aTenant(api);
    const sent = async (data: object) =>
      tenant.call('/v1/organizations/add', data, { idempotencyKey: 'passed-over' });
    const first = await sent({ ...organizations('a'), passedOver: 1 });
    expect(first.headers['x-ignored-members']).toBe('passedOver');
    expect(seen(await sent({ ...organizations('a'), passedOver: 1 }))).toEqual(replayOf(first));
    expect((await sent({ ...organizations('a'), passedOver: 2 })).status).toBe(422);
    expect((await sent(organizations('a'))).status).toBe(422);
  });

  it('has no effect on reading operations', async () => {
    const tenant = await aTenant(api);
    const options = { idempotencyKey: 'reading' };
    expect((await tenant.ok('/v2/organizations/get', {}, options)).data).toEqual([]);
    await anOrganization(tenant);
    expect((await tenant.ok('/v2/organizations/get', {}, options)).data).toHaveLength(1);
  });

  it('is scoped to its owner and path', async () => {
    const [mine, theirs] = [await aTenant(api), await aTenant(api)];
    const options = { idempotencyKey: 'scope' };
    const replayed = async (tenant: TestTenant, path: string, data: object) =>
      (await tenant.call(path, data, options)).headers['idempotent-replayed'];
    expect(await replayed(mine, add, organizations('a'))).toBeUndefined();
    expect(await replayed(theirs, add, organizations('a'))).toBeUndefined();
    expect(await replayed(mine, '/v1/organizations/add', organizations('a'))).toBeUndefined();
    expect(await replayed(mine, '/v2/organizations/update', organizations('a'))).toBeUndefined();
    expect(await replayed(mine, add, organizations('a'))).toBe('true');
    const responses = [mine, theirs].map(async ({ workspace }) => workspace.call(createKey, newKey, options));
    const [first, second] = await Promise.all(responses);
    expect(first?.text).not.toBe(second?.text);
  });

  it('expires after 24 hours', async () => {
    const tenant = await aTenant(api);
    const options = { idempotencyKey: 'day' };
    const age = async (interval: string) =>
      api.database.sql(
        `update idempotency set created_at = now() - $2::interval where scope = 3 and scope_id = $1`,
        [tenant.id, interval],
      );
    await tenant.ok(add, organizations('a'), options);
    await age('23 hours 59 minutes');
    expect((await tenant.refused(add, organizations('b'), options)).http).toBe(422);
    await age('24 hours 1 second');
    const fresh = await tenant.call(add, organizations('b'), options);
    expect([fresh.status, fresh.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(seen(await tenant.call(add, organizations('b'), options))).toEqual(replayOf(fresh));
    expect(await idsOf(tenant)).toEqual(['a', 'b']);
  });

  it('stores no hash that lets a reader of the database confirm a guessed request', async () => {
    const tenants = [await aTenant(api), await aTenant(api)];
    for (const tenant of tenants) {
      for (const idempotencyKey of ['guess-1', 'guess-2'])
        await tenant.ok(add, organizations('ada'), { idempotencyKey });
    }
    const stored = await api.database.sql<{ hash: string }>(
      `select encode(request_hash, 'hex') as hash from idempotency where scope = 3 and scope_id = any($1)`,
      [tenants.map(({ id }) => id)],
    );
    const hashes = new Set(stored.map(({ hash }) => hash));
    expect(hashes.size).toBe(4);
    expect(hashes).not.toContain(hashOf(organizations('ada')));
  });

  it('of version 0.1 is replayed after the upgrade and rejects a different request', async () => {
    const tenant = await aTenant(api);
    const options = { idempotencyKey: 'before-the-upgrade' };
    const first = await tenant.call(add, organizations('ada'), options);
    await api.database.sql(
      `update idempotency set request_hash = decode($2, 'hex') where scope = 3 and scope_id = $1`,
      [tenant.id, hashOf(organizations('ada'))],
    );
    expect(seen(await tenant.call(add, organizations('ada'), options))).toEqual(replayOf(first));
    expect((await tenant.refused(add, organizations('grace'), options)).http).toBe(422);
  });

  it('and its response are encrypted for their owner only', async () => {
    const { workspace } = await aTenant(api);
    const { data } = await workspace.ok<{ apiKey: string; authToken: string }>(createKey, newKey, {
      idempotencyKey: 'secret-idempotency-key',
    });
    const stored = await api.database.sql<{ line: string }>(
      `select t::text || encode(response_enc, 'escape') as line from idempotency t where scope = 2 and scope_id = $1`,
      [workspace.id],
    );
    expect(stored).toHaveLength(1);
    for (const secret of [data.apiKey, data.authToken, 'secret-idempotency-key', 'API key created']) {
      expect(stored[0]?.line).not.toContain(secret);
    }
    const { workspace: other } = await aTenant(api);
    await api.database.sql(
      `insert into idempotency (scope, scope_id, key_hash, request_hash, http_status, response_enc)
       select scope, $2, key_hash, decode($3, 'hex'), http_status, response_enc from idempotency where scope = 2 and scope_id = $1`,
      [workspace.id, other.id, hashOf(newKey)],
    );
    const stolen = await other.call(createKey, newKey, { idempotencyKey: 'secret-idempotency-key' });
    expect([stolen.status, stolen.text.includes(data.authToken)]).toEqual([500, false]);
  });
});

describe('a refusal', () => {
  it('by the handler is stored and replayed after later changes', async () => {
    const tenant = await aTenant(api);
    const options = { idempotencyKey: 'refusal' };
    const documents = { organizationId: 'later', documents: [{ documentId: 'd' }] };
    const missing = await tenant.call(addDocuments, documents, options);
    expect([missing.status, missing.body.error?.status]).toEqual([404, 'NOT_FOUND']);
    await tenant.ok(add, organizations('later'));
    expect(seen(await tenant.call(addDocuments, documents, options))).toEqual(replayOf(missing));
    await tenant.ok(addDocuments, documents, { idempotencyKey: 'another' });

    const logs = {
      organizationId: 'later',
      documentId: 'd',
      activities: [
        { featureType: 'custom', actionType: 'x', targetEntityId: 't', actionUser: { userId: 'u' } },
      ],
    };
    const off = await tenant.call('/v2/activities/add', logs, options);
    expect([off.status, off.body.error?.status]).toEqual([400, 'FAILED_PRECONDITION']);
    await withActivityLogs(tenant);
    expect(seen(await tenant.call('/v2/activities/add', logs, options))).toEqual(replayOf(off));

    const taken = await aDocument(tenant, { organizationId: 'later' });
    const migration = { organizationId: 'later', documentId: 'd', newDocumentId: taken.documentId };
    const exists = await tenant.call('/v2/organizations/documents/migrate', migration, options);
    expect([exists.status, exists.body.error?.status]).toEqual([409, 'ALREADY_EXISTS']);
    await tenant.ok('/v2/organizations/documents/delete', {
      organizationId: 'later',
      documentIds: [taken.documentId],
    });
    const again = await tenant.call('/v2/organizations/documents/migrate', migration, options);
    expect(seen(again)).toEqual(replayOf(exists));
    for (const status of ['NOT_FOUND', 'FAILED_PRECONDITION', 'ALREADY_EXISTS'] as const)
      expect(statuses[status].remedy).toContain('with a new Idempotency-Key');
  });

  it('by the handler that is stored writes nothing else', async () => {
    const tenant = await aTenant(api);
    const refusal = await tenant.refused(
      addDocuments,
      {
        organizationId: 'o',
        createOrganization: true,
        folderId: 'unknown',
        documents: [{ documentId: 'd' }],
      },
      { idempotencyKey: 'writes-nothing' },
    );
    expect(refusal.status).toBe('NOT_FOUND');
    expect(await idsOf(tenant)).toEqual([]);
  });

  it('for shape, credentials or size leaves the key free', async () => {
    const tenant = await aTenant(api);
    const options = { idempotencyKey: 'free' };
    expect((await tenant.call(add, { organizations: [] }, options)).status).toBe(400);
    expect((await tenant.call(add, undefined, { ...options, raw: '{' })).status).toBe(400);
    expect((await tenant.call(add, undefined, { ...options, raw: ' '.repeat(1_048_577) })).status).toBe(413);
    const stranger = tenant.with({ 'x-svc-auth-token': 'wrong' });
    expect((await stranger.call(add, organizations('a'), options)).status).toBe(403);
    const fresh = await tenant.call(add, organizations('a'), options);
    expect([fresh.status, fresh.headers['idempotent-replayed']]).toEqual([200, undefined]);
  });

  it('with INTERNAL leaves the key free', async () => {
    const tenant = await aTenant(api);
    const options = { idempotencyKey: 'fault' };
    await api.database.sql('alter table organization rename column name to gone_name');
    const fault = await tenant.call(add, organizations('a'), options);
    await api.database.sql('alter table organization rename column gone_name to name');
    expect([fault.status, fault.body.error?.message]).toEqual([500, 'Internal error.']);
    const fresh = await tenant.call(add, organizations('a'), options);
    expect([fresh.status, fresh.headers['idempotent-replayed']]).toEqual([200, undefined]);
  });
});

describe('a crash between the handler and the storing of its response', () => {
  it('of the connection rolls back both, and a retry runs', async () => {
    const tenant = await aTenant(api);
    const blocker = await beforeStoring(api.database);
    const call = tenant.call(add, organizations('a'), { idempotencyKey: 'cut' });
    await callsWait();
    await api.database.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect((await call).status).toBe(503);
    await blocker.release();
    expect(await idsOf(tenant)).toEqual([]);
    const fresh = await tenant.call(add, organizations('a'), { idempotencyKey: 'cut' });
    expect([fresh.status, fresh.headers['idempotent-replayed']]).toEqual([200, undefined]);
  });

  it('of the API process rolls back both, and a retry at another process runs', async () => {
    const tenant = await aTenant(api);
    const process = await startProcess('api', api.database.url);
    const blocker = await beforeStoring(api.database);
    const call = calledThrough(process, tenant).call(add, organizations('a'), { idempotencyKey: 'killed' });
    const lost = expect(call).rejects.toThrow();
    await callsWait();
    await killed(process);
    await lost;
    await blocker.release();
    // The server detects the lost client shortly after it resumes.
    const fresh = await eventually(async () => {
      const response = await tenant.call(add, organizations('a'), { idempotencyKey: 'killed' });
      return response.status === 409 ? false : response;
    });
    // PostgreSQL may have run the sent statements, but only together with the commit that followed them.
    expect([fresh.status, fresh.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(await idsOf(tenant)).toEqual(['a']);
  });
});
