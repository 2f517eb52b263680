import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sample } from 'fast-check';
import { migrateDatabase } from '../../../platform/database/migrate.ts';
import { countPersonalData } from '../../../domain/deletion/process-stores.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { addActivityLogs, aDocument, freshId, type TestTenant } from '../../support/factories.ts';
import { aReceiver, type Receiver } from '../../support/receiver.ts';
import { begunDeletion, carriedOut, whole } from './carry-out.ts';
import { reached } from './columns.ts';
import { aKnownPerson, columnsWith, naming, writeEverywhere, type KnownPerson } from './free-json.ts';
import { aBusyTenant } from './furnish.ts';

let api: TestApi;
let receiver: Receiver;

beforeAll(async () => {
  api = await startTestApi({ environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } });
  receiver = await aReceiver();
});
afterAll(async () => {
  await receiver.close();
  await api.close();
});

const marks = ({ userId, name, addresses }: KnownPerson): string[] => [userId, name, ...addresses];

/** Columns of free JSON and of receivers' responses that a deletion reaches. */
async function freeColumns(): Promise<string[]> {
  const json = await api.database.sql<{ name: string }>(
    `select c.relname || '.' || a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not exists (select from pg_inherits where inhrelid = c.oid)
       and a.atttypid in ('json'::regtype, 'jsonb'::regtype)`,
  );
  const names = json.map(({ name }) => name).filter((name) => name in reached);
  return [...names, 'attempt.response'].sort();
}

let worlds = 0;

/** A tenant whose every column of free JSON names a user. */
async function aWorld(): Promise<{ readonly tenant: TestTenant; readonly person: KnownPerson }> {
  worlds += 1;
  const tenant = await aBusyTenant(api);
  const person = aKnownPerson(`world${String(worlds)}-${freshId('x').slice(2, 8)}`);
  const [json = {}] = sample(naming(person), { numRuns: 1, seed: worlds });
  await writeEverywhere({ api, tenant, receiver }, person, json);
  return { tenant, person };
}

describe('free JSON that names a user', () => {
  it.each([1, 2, 3])('names the user in no column after the deletion (world %i)', async () => {
    const { tenant, person } = await aWorld();
    expect(await columnsWith(api.database, marks(person))).toEqual(
      expect.arrayContaining(await freeColumns()),
    );
    expect(await carriedOut(api, await begunDeletion(api, tenant, { userIds: [person.userId] }))).toEqual([]);
    expect(await columnsWith(api.database, marks(person))).toEqual([]);
  });

  it('keeps all other content', async () => {
    const { tenant, person } = await aWorld();
    await carriedOut(api, await begunDeletion(api, tenant, { userIds: [person.userId] }));
    const [row] = await api.database.sql<{ results: unknown }>(
      'select results from agent_execution where api_key_id = $1',
      [tenant.id],
    );
    expect(JSON.stringify(row?.results).match(/"kept"/gu)).toHaveLength(1 + person.addresses.length);
  });

  it('is counted and not changed by a dry run', async () => {
    const { tenant, person } = await aWorld();
    const before = await columnsWith(api.database, marks(person));
    const request = { userIds: [person.userId], dryRun: true };
    await whole(countPersonalData(api.orm, await begunDeletion(api, tenant, request)));
    const [row] = await api.database.sql<{ counts: Record<string, number> }>(
      'select counts from user_data_deletion where api_key_id = $1',
      [tenant.id],
    );
    // An organization, a document, a folder, a user, an endpoint, an execution, an annotation and a comment. Also an
    // activity log, a notification and a recording by address, and two recordings.
    expect(row?.counts['mentions']).toBe(15);
    expect(await columnsWith(api.database, marks(person))).toEqual(expect.arrayContaining(before));
  });

  it('keeps shared content and free strings, as declared in notReached', async () => {
    const { tenant, person } = await aWorld();
    const location = await aDocument(tenant);
    await tenant.ok('/v2/crdt/add', { ...location, editorId: 'e', type: 'map', data: { by: person.name } });
    const free = `A word about ${person.name}`;
    const other = { userId: freshId('other') };
    const activity = { featureType: 'comment', actionType: 'comment.add', actionUser: other };
    await addActivityLogs(tenant, location, [{ ...activity, id: freshId('a'), entityData: { text: free } }]);
    await carriedOut(api, await begunDeletion(api, tenant, { userIds: [person.userId] }));
    const found = await columnsWith(api.database, marks(person));
    expect(found.filter((name) => !name.startsWith('crdt'))).toEqual(['activity.body', 'event.payload']);
    expect(found).toContain('crdt.decoded');
  });
});

/** Reverts the database to the schema before the index of names. */
async function asEarlierRelease(): Promise<void> {
  await api.database.sql('drop table json_name, moment_name, user_address, json_name_build');
  await api.database.sql('alter table event drop column scrubbed_at');
  await api.database.sql(`delete from schema_migration where name = '2026-11-23-person-index'`);
}

describe('rows of an earlier release', () => {
  it('are indexed before a deletion begins, by whichever worker is first', async () => {
    const { tenant, person } = await aWorld();
    await asEarlierRelease();
    await migrateDatabase(api.database.url);
    const upgraded = await startTestApi({ database: api.database });
    const deletion = await begunDeletion(api, tenant, { userIds: [person.userId] });
    const dryRun = await begunDeletion(api, tenant, { userIds: [person.userId], dryRun: true });
    const status = { jobId: deletion.publicId };
    expect(await tenant.ok('/v2/users/data/delete/status', status)).toMatchObject({
      data: { phase: null, waitingFor: 'index-upgrade' },
    });
    const workers = [carriedOut(upgraded, deletion), whole(countPersonalData(upgraded.orm, dryRun))] as const;
    const [found] = await Promise.all(workers);
    await upgraded.close();
    expect(found).toEqual([]);
    // That release did not store former addresses.
    const [now, , given] = person.addresses;
    const rest = await columnsWith(api.database, [person.userId, person.name, now, given]);
    expect(rest.filter((name) => name !== 'user_deletion.user_ext_id')).toEqual([]);
    expect(await tenant.ok('/v2/users/data/delete/status', status)).toMatchObject({
      data: { status: 'completed', verified: true, waitingFor: null },
    });
  });
});
