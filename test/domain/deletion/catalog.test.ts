import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { userData } from '../../../api/users-data/user-data.ts';
import {
  personalDataKinds,
  type PersonalDataKind,
} from '../../../domain/deletion/stores/personal-data-store.ts';
import { personalDataStores } from '../../../domain/deletion/stores/personal-data-stores.ts';
import { aDatabase, type TestDatabase } from '../../support/database.ts';
import { explained, looksLikePerson, reached } from './columns.ts';

/*
 * Fails for every column that could contain personal data and is in neither `reached` nor `explained`. A store must
 * reach it, or a reason must explain why not.
 */

let database: TestDatabase;

beforeAll(async () => {
  database = await aDatabase();
});
afterAll(() => database.drop());

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Columns of tables; partitions have those of their parents. */
async function columns(): Promise<Column[]> {
  return database.sql<Column>(
    `select c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not exists (select from pg_inherits where inhrelid = c.oid)
       and c.relname not like 'mikro\\_orm%' order by 1`,
  );
}

const suspect = ({ name, type }: Column): boolean =>
  /^jsonb?$/.test(type) || looksLikePerson.test(name.slice(name.indexOf('.') + 1));

/** The members of the export for each counted kind. Events are not exported. */
const exportedIn: Readonly<
  Record<Exclude<PersonalDataKind, 'events'>, readonly (keyof typeof userData.shape)[]>
> = {
  memberships: ['memberships'],
  grants: ['permissions'],
  groups: ['userGroups'],
  preferences: ['preferences'],
  notificationsReceived: ['notifications'],
  notificationsCaused: ['notificationsCaused'],
  activities: ['activities'],
  recordings: ['recordings'],
  mentions: ['mentions', 'namedIn'],
  agentExecutions: ['agentExecutions'],
  crdtRecords: ['crdtRecords'],
  commentAnnotations: ['commentAnnotations'],
  comments: ['comments'],
  reactions: ['reactions'],
  commentViews: ['commentViews'],
  deliveries: ['deliveries', 'waitingMessages'],
  user: ['user'],
};

describe('the list of personal data stores', () => {
  it('counts only kinds that users/data/get exports, and events', () => {
    const kinds = Object.keys(exportedIn);
    expect(personalDataKinds.filter((kind) => !kinds.includes(kind))).toEqual(['events']);
    const members = new Set(Object.keys(userData.shape));
    expect(
      Object.values(exportedIn)
        .flat()
        .filter((member) => !members.has(member)),
    ).toEqual([]);
  });

  it('reaches or explains every column that looks like personal data', async () => {
    const known = new Set([...Object.keys(reached), ...Object.keys(explained)]);
    const suspects = (await columns()).filter(suspect).map(({ name }) => name);
    expect(suspects.filter((name) => !known.has(name))).toEqual([]);
  });

  it('lists no column that does not exist', async () => {
    const present = new Set((await columns()).map(({ name }) => name));
    const listed = [...Object.keys(reached), ...Object.keys(explained)];
    expect(listed.filter((name) => !present.has(name))).toEqual([]);
  });

  it('contains every store that a column names, each once', () => {
    const names = personalDataStores.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.values(reached).filter((store) => !names.includes(store))).toEqual([]);
  });

  it('has an index for every column that refers to a user', async () => {
    const surrogates = Object.keys(reached).filter((name) => /_(?:id|by)$/.test(name));
    const indexed = await database.sql<{ name: string }>(
      `select distinct c.relname || '.' || a.attname as name from pg_index i join pg_class c on c.oid = i.indrelid
       join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
       where c.relnamespace = 'public'::regnamespace and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) like '%IS NOT NULL%')`,
    );
    const names = new Set(indexed.map(({ name }) => name));
    expect(surrogates.filter((name) => !names.has(name))).toEqual([]);
  });
});
