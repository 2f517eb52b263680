import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { personPlaces } from '../../../domain/deletion/places/places.ts';
import { aDatabase, type TestDatabase } from '../../support/database.ts';

/*
 * Every column of the database that could hold a person, and what becomes of it when a person's data is deleted. A new one
 * that is not told here fails: either a place of the registry reaches it, or there is a reason why none has to.
 */

let database: TestDatabase;

beforeAll(async () => {
  database = await aDatabase();
});
afterAll(() => database.drop());

/** Names of columns in which people stand, or what somebody wrote. JSON is looked at whatever its name is. */
const looksLikePerson =
  /user|actor|person|people|recipient|member|email|mention|started_by|updated_by|created_by|author|owner|assignee|subject|phone|avatar|session|payload|response|answer|decoded|ip$/;

/** Columns that a place of the registry empties of the person, by that place. */
const reached: Readonly<Record<string, string>> = {
  'access.user_id': 'access',
  'access.user_ext': 'access',
  'provider_answer.user_id': 'providerAnswers',
  'user_group_member.user_id': 'groups',
  'user_group_member.user_ext': 'groups',
  'preference.user_id': 'preferences',
  'event_user.user_id': 'events',
  'event.payload': 'events',
  'attempt.response': 'events',
  'activity.actor_id': 'activities',
  'activity.body': 'mentions',
  'activity.mentioned': 'mentions',
  'record_user.user_id': 'mentions',
  'notification.actor_id': 'notificationsCaused',
  'notification.body': 'mentions',
  'notification.mentioned': 'mentions',
  'notification_recipient.user_id': 'notificationsReceived',
  'notification_recipient.email': 'notificationsReceived',
  'agent_execution.started_by': 'agentExecutions',
  'agent_execution.body': 'agentExecutions',
  'agent_execution.results': 'agentExecutions',
  'crdt.last_updated_by': 'crdtRecords',
};

/** Columns that no place has to reach, and why. */
const explained: Readonly<Record<string, string>> = {
  'access.is_member': 'a flag of a row that goes',
  'access.member_role': 'a role in a row that goes',
  'app_user.email': 'the person’s own row, which the deletion itself removes at its end',
  'app_user.metadata': 'the person’s own row; of another’s, a free string of theirs',
  'notification.recipient_count': 'a number, kept right by the place of recipients',
  'user_deletion.user_id': 'the fence; it holds no id of the customer’s once the deletion has ended',
  'user_deletion.user_ext_id': 'emptied when the deletion ends',
  'user_data_deletion.users': 'how many they are',
  'user_data_deletion.counts': 'numbers by kind',
  'preference.email': 'how much a person wants to get by e-mail, in a row that goes',
  'user_data_deletion.organization_ids': 'organizations',
  'user_data_deletion.stand': 'surrogate keys of a running deletion',
  'user_data_deletion.receipt': 'people by HMAC',
  'user_data_deletion.users_enc': 'encrypted, and gone with the job: whom the receipt covers',
  'workspace.owner_email': 'the customer who runs the workspace, not a user of theirs',
  'workspace.owner_name': 'the customer who runs the workspace, not a user of theirs',
  'workspace.avatar': 'the customer who runs the workspace, not a user of theirs',
  'api_key.owner_email': 'the customer who runs the workspace, not a user of theirs',
  'key_config.config': 'settings of the customer’s own',
  'crdt.decoded': 'shared content, which is everyone’s',
  'crdt.decoded_bytes': 'a number',
  'crdt.decoded_version': 'a number',
  'crdt.session_id': 'names a connection of a program',
  'idempotency.response_enc': 'encrypted, and gone in 24 hours',
  'staged_request.answer_enc': 'encrypted, and gone with the answer',
  'job.request': 'surrogate keys: never content, never people',
  'job.progress': 'numbers',
  'migration.counts': 'numbers',
  'organization.metadata': 'free metadata of a place: its owner’s strings',
  'folder.metadata': 'free metadata of a place: its owner’s strings',
  'document.metadata': 'free metadata of a place: its owner’s strings',
  'webhook_endpoint.metadata': 'free metadata of an endpoint: its owner’s strings',
};

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Columns of tables; partitions have those of their parents. */
async function columns(): Promise<Column[]> {
  return database.sql<Column>(
    `select c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname not like 'mikro\\_orm%' order by 1`,
  );
}

const suspect = ({ name, type }: Column): boolean =>
  /^jsonb?$/.test(type) || looksLikePerson.test(name.slice(name.indexOf('.') + 1));

describe('the registry of places that hold a person', () => {
  it('reaches every column that looks like a person, or says why not', async () => {
    const known = new Set([...Object.keys(reached), ...Object.keys(explained)]);
    const untold = (await columns()).filter(suspect).map(({ name }) => name);
    expect(untold.filter((name) => !known.has(name))).toEqual([]);
  });

  it('tells of no column that is not there', async () => {
    const present = new Set((await columns()).map(({ name }) => name));
    const told = [...Object.keys(reached), ...Object.keys(explained)];
    expect(told.filter((name) => !present.has(name))).toEqual([]);
  });

  it('has every place that it names, each once', () => {
    const names = personPlaces.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.values(reached).filter((place) => !names.includes(place))).toEqual([]);
  });

  it('finds people by an index wherever they have a column', async () => {
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
