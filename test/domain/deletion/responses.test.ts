import { afterAll, describe, expect, it } from '@jest/globals';
import { fenceUsers } from '../../../domain/deletion/fence-users.ts';
import { fencedResponses } from '../../../domain/webhooks/delivery/fenced-responses.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { anOrganization, type TestTenant } from '../../support/factories.ts';
import { aReceiver, responding } from '../../support/receiver.ts';
import { explain, statementsOf } from '../../support/statements.ts';
import { aListeningTenant, anEndpoint, happened } from '../../support/webhooks.ts';
import { turnsOf } from '../webhooks/turns.ts';
import { begunDeletion, carriedOut, whole } from './carry-out.ts';

const api = await startTestApi({ environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } });
const turns = turnsOf(api);
const receiver = await aReceiver();
afterAll(async () => {
  await receiver.close();
  await turns.close();
  await api.close();
});

const ada = { userId: 'Ada@example.com', name: 'Ada', email: 'ada.now@example.com' };

/** A tenant with two organizations, an endpoint, and Ada, whose deletion has raised its fence. */
async function fenced(
  { inOrganizations }: { readonly inOrganizations: boolean } = { inOrganizations: false },
) {
  const tenant = await aListeningTenant(api);
  const organizationIds = [await anOrganization(tenant), await anOrganization(tenant)] as const;
  const [organizationId] = organizationIds;
  // Another user with the same id in lower case, to whom that address belongs.
  const users = [ada, { userId: 'ada@example.com', name: 'Adam' }];
  await tenant.ok('/v2/users/add', { organizationId, users });
  const endpointId = await anEndpoint(api, tenant, receiver.url);
  const request = { userIds: [ada.userId], ...(inOrganizations && { organizationIds: [organizationId] }) };
  const deletion = await begunDeletion(api, tenant, request);
  await whole(fenceUsers(api.orm, deletion));
  return { tenant, organizationIds, endpointId, deletion };
}

const quoting = (...texts: string[]): string => JSON.stringify({ got: texts });

/** Delivers an event, to which the receiver responds with this text. Returns the stored responses. */
async function delivered(
  { tenant, endpointId }: { readonly tenant: TestTenant; readonly endpointId: string },
  response: string,
  organization: string | null = null,
): Promise<string[]> {
  receiver.behave(responding(200, {}, response));
  await turns.queued(tenant, [{ organization }]);
  await turns.turn(tenant, endpointId);
  return (await turns.attempts(tenant)).map((attempt) => attempt.response);
}

const surrogateOf = async (tenant: TestTenant, organizationId: string): Promise<string> => {
  const [row] = await api.database.sql<{ id: string }>(
    'select id from organization where api_key_id = $1 and ext_id = $2',
    [tenant.id, organizationId],
  );
  return row?.id ?? '';
};

describe('while a user is deleted, the response of a receiver', () => {
  it.each([
    ['is stored empty when it contains the id as a string', quoting('x', ada.userId), ''],
    ['is stored empty when it contains an address in any letter case', quoting(ada.email.toUpperCase()), ''],
    [
      'is stored when it names others',
      quoting('grace', 'ada@example.com'),
      quoting('grace', 'ada@example.com'),
    ],
    ['is stored when it has no strings', 'Ada@example.com', 'Ada@example.com'],
  ])('%s', async (_, response, stored) => {
    const scene = await fenced();
    expect(await delivered(scene, response)).toEqual([stored]);
    expect(await carriedOut(api, scene.deletion)).toEqual([]);
    expect((await turns.attempts(scene.tenant)).map((attempt) => attempt.response)).toEqual([stored]);
  });

  it('is stored empty for an event of a named organization only, when the deletion names organizations', async () => {
    const scene = await fenced({ inOrganizations: true });
    const [named, other] = scene.organizationIds;
    const response = quoting(ada.userId);
    expect(await delivered(scene, response, await surrogateOf(scene.tenant, named))).toEqual(['']);
    expect(await delivered(scene, response, await surrogateOf(scene.tenant, other))).toEqual(['', response]);
    expect(await delivered(scene, response)).toEqual(['', response, response]);
    expect(await carriedOut(api, scene.deletion)).toEqual([]);
    const kept = (await turns.attempts(scene.tenant)).map((attempt) => attempt.response);
    expect(kept).toEqual(['', response, response]);
  });

  it('to a test is stored and returned empty', async () => {
    const { tenant, endpointId } = await fenced();
    const tested = async (response: string) => {
      receiver.behave(responding(200, {}, response));
      const { data } = await tenant.ok<{ attempt: { response: string } }>(
        '/v2/workspace/advancedwebhook/endpoints/test',
        { endpointId },
      );
      return data.attempt.response;
    };
    expect(await tested(quoting(ada.userId))).toBe('');
    expect(await tested(quoting('grace'))).toBe(quoting('grace'));
    const stored = (await turns.attempts(tenant)).map(({ response }) => response);
    expect(stored).toEqual(['', quoting('grace')]);
  });

  it('costs one lookup of a fence per batch, and a search by indexes while one stands', async () => {
    const searches = async (response: string, { tenant, endpointId }: Awaited<ReturnType<typeof fenced>>) => {
      receiver.behave(responding(200, {}, response));
      await turns.queued(tenant, 1);
      const sent = await statementsOf(async () => turns.turn(tenant, endpointId));
      return sent.map(({ text }) => text).filter((text) => text.includes('user_deletion'));
    };
    const scene = await fenced();
    expect(await searches('fine', scene)).toEqual([]);
    const [lookup = '', search = '', ...others] = await searches(quoting('grace'), scene);
    expect(others).toEqual([]);
    for (const text of [lookup, search]) {
      const { wholeTables } = await explain(api.database, { text }, ['enable_hashjoin']);
      expect({ text, wholeTables }).toEqual({ text, wholeTables: [] });
    }
    expect(await carriedOut(api, scene.deletion)).toEqual([]);
    // Delivers the event of the finished deletion, whose response may be recorded in a batch of its own.
    expect(await searches('fine', scene)).toEqual([]);
    expect(await searches(quoting('grace'), scene)).toEqual([lookup]);
  });
});

describe('a deletion', () => {
  it('waits for responses that were received before its fence', async () => {
    const tenant = await aListeningTenant(api);
    const deletion = await begunDeletion(api, tenant, { userIds: ['unheard-of'] });
    let closed = false;
    let closing: Promise<boolean> | undefined;
    await inTransaction(api.orm, async (em) => {
      expect((await fencedResponses(em, tenant, [{ response: quoting('unheard-of') }])).size).toBe(0);
      closing = whole(fenceUsers(api.orm, deletion)).then(() => (closed = true));
      await eventually(async () => {
        const [row] = await api.database.sql<{ phase: number | null }>(
          'select phase from user_data_deletion where job_id = $1',
          [deletion.jobId],
        );
        return row?.phase === 1;
      });
      expect(closed).toBe(false);
    });
    expect(await closing).toBe(true);
  });
});

describe('the response to an event of a user', () => {
  /** A tenant with an event that names Ada, which waits for its delivery. */
  async function waiting() {
    const tenant = await aListeningTenant(api);
    const organizationId = await anOrganization(tenant);
    await tenant.ok('/v2/users/add', { organizationId, users: [ada] });
    const endpointId = await anEndpoint(api, tenant, receiver.url);
    const [user] = await api.database.sql<{ id: string }>(
      'select id from app_user where api_key_id = $1 and ext_id = $2',
      [tenant.id, ada.userId],
    );
    await turns.queued(tenant, [{ users: [user?.id ?? ''] }]);
    const deleted = async () => carriedOut(api, await begunDeletion(api, tenant, { userIds: [ada.userId] }));
    return { tenant, endpointId, deleted };
  }

  it('is emptied when the clock of the worker was behind that of PostgreSQL', async () => {
    const { tenant, endpointId, deleted } = await waiting();
    receiver.behave(responding(200, {}, quoting(`Stored the comment of ${ada.name}.`)));
    await turns.turn(tenant, endpointId);
    await api.database.sql(
      `update attempt a set at = a.event_at - interval '200 milliseconds' where a.api_key_id = $1`,
      [tenant.id],
    );
    expect(await deleted()).toEqual([]);
    expect((await turns.attempts(tenant)).map(({ response }) => response)).toEqual(['']);
  });

  it('leaves no hash of a name when it arrives after the deletion', async () => {
    const { tenant, endpointId, deleted } = await waiting();
    let findings: readonly string[] | undefined;
    receiver.behave((_delivered, response) => {
      void deleted().then((found) => {
        findings = found;
        response.end(quoting(ada.userId));
      });
    });
    await turns.turn(tenant, endpointId);
    expect(findings).toEqual([]);
    expect((await turns.attempts(tenant)).map(({ response }) => response)).toEqual(['']);
    const hashes = await api.database.sql(
      'select from moment_name where api_key_id = $1 and name_hash = hashtextextended(lower($2), $1)',
      [tenant.id, ada.userId],
    );
    expect(hashes).toEqual([]);
  });
});

describe('the responses of thousands of attempts', () => {
  /** Records how many attempts each statement changes. Returns a function that reads the numbers. */
  async function changesCounted() {
    await api.database.sql('create table attempt_change (changed int not null)');
    await api.database.sql(
      `create function count_change() returns trigger language plpgsql as
       'begin insert into attempt_change select count(*) from changed; return null; end'`,
    );
    await api.database.sql(
      `create trigger count_change after update on attempt referencing new table as changed
       for each statement execute function count_change()`,
    );
    return async () =>
      (
        await api.database.sql<{ changed: number }>(
          'delete from attempt_change where changed > 0 returning changed',
        )
      ).map(({ changed }) => changed);
  }

  it('are emptied in statements of at most 5,000, for events by their users and by their payloads', async () => {
    const changes = await changesCounted();
    for (const isListed of [true, false]) {
      const tenant = await aListeningTenant(api);
      await tenant.ok('/v2/users/add', { organizationId: await anOrganization(tenant), users: [ada] });
      const [user] = await api.database.sql<{ id: string }>(
        'select id from app_user where api_key_id = $1 and ext_id = $2',
        [tenant.id, ada.userId],
      );
      await anEndpoint(api, tenant, receiver.url);
      const found = isListed ? { users: [user?.id ?? ''] } : { names: [ada.userId] };
      const named = { payload: { actionUser: ada }, ...found };
      await happened(api, tenant, [named, named, named]);
      await api.database.sql(
        `insert into attempt (event_at, event_id, api_key_id, endpoint_id, no, at, trigger, status, http_status, ms, response)
         select e.at, e.id, $1, n, 1, now(), 0, 0, 200, 5, 'fine'
         from (select *, row_number() over (order by id) as number from event where api_key_id = $1) e,
           generate_series(1, case e.number when 2 then 12000 else 10 end) n`,
        [tenant.id],
      );
      const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
      expect(await carriedOut(api, deletion)).toEqual([]);
      expect(await changes()).toEqual([5_000, 5_000, 2_020]);
      const left = `select from attempt where api_key_id = $1 and response <> ''`;
      expect(await api.database.sql(left, [tenant.id])).toEqual([]);
      const scrubbed = 'select from event where api_key_id = $1 and scrubbed_at is not null';
      expect(await api.database.sql(scrubbed, [tenant.id])).toHaveLength(3);
    }
  });
});
