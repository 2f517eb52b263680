import { boolean, infiniteStream, integer, tuple, type Arbitrary } from 'fast-check';
import { aDocument, addActivityLogs, freshId, type TestTenant } from '../../support/factories.ts';
import { responding, type Receiver } from '../../support/receiver.ts';
import { anEndpoint } from '../../support/webhooks.ts';
import type { TestApi } from '../../support/api.ts';
import type { TestDatabase } from '../../support/database.ts';

/** A user with every name that free JSON may contain. */
export interface KnownPerson {
  readonly userId: string;
  readonly name: string;
  /** The current address, a former one, and one that only records contain. */
  readonly addresses: readonly [string, string, string];
}

export function aKnownPerson(mark: string): KnownPerson {
  const address = (word: string): string => `${word}.${mark}@Example.com`;
  return {
    userId: `person-${mark}`,
    name: `Name of ${mark}`,
    addresses: [address('now'), address('former'), address('never')],
  };
}

/** Every form in which JSON names a user: by an object or a key, with addresses in another letter case. */
const forms = ({ userId, name, addresses }: KnownPerson): object[] => [
  { by: { userId, name, email: addresses[2] } },
  { list: [{ userId, name }, 'kept'] },
  { [userId]: { kept: 1 } },
  { mentions: { [userId]: true } },
  ...addresses.map((address) => ({ reactions: { [address.toUpperCase()]: 'yes', kept: 1 } })),
  { notifyUsers: { [addresses[0].toLowerCase()]: true } },
];

/** JSON that names a user in every form, each at another depth. */
export const naming = (person: KnownPerson): Arbitrary<Record<string, unknown>> =>
  tuple(
    ...forms(person).map((form) =>
      tuple(integer({ min: 0, max: 40 }), infiniteStream(boolean())).map(([depth, lists]) =>
        buried(form, depth, lists),
      ),
    ),
  ).map((all) => Object.fromEntries(all.map((part, at) => [`part${String(at)}`, part])));

function buried(form: object, depth: number, lists: Iterator<boolean>): unknown {
  let part: unknown = form;
  for (let level = 0; level < depth; level += 1) part = lists.next().value === true ? [part] : { in: part };
  return part;
}

/** Writes JSON into every column of free JSON, as another user. */
export async function writeEverywhere(
  {
    api,
    tenant,
    receiver,
  }: { readonly api: TestApi; readonly tenant: TestTenant; readonly receiver: Receiver },
  person: KnownPerson,
  json: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { userId, name, addresses } = person;
  const [now, former, never] = addresses;
  const organizationId = freshId('organization');
  await tenant.ok('/v2/organizations/add', { organizations: [{ organizationId, note: json }] });
  const location = await aDocument(tenant, { organizationId, note: json });
  await tenant.ok('/v2/organizations/folders/add', {
    organizationId,
    folders: [{ folderId: freshId('folder'), note: json }],
  });
  const other = { userId: freshId('other'), name: 'Other' };
  const actionUser = { ...other, team: json };
  const activity = { id: freshId('activity'), featureType: 'comment', actionType: 'comment.add', actionUser };
  await addActivityLogs(tenant, location, [
    { ...activity, entityData: { note: json }, changes: { text: { from: null, to: json } } },
  ]);
  // Creates the user after the records, with one address after the other.
  await tenant.ok('/v2/users/add', {
    organizationId,
    users: [
      { userId, name, email: former },
      { ...other, note: json },
    ],
  });
  await tenant.ok('/v2/users/update', { organizationId, users: [{ userId, email: now }] });
  const notification = { ...location, notificationId: freshId('n').replaceAll(/[^\w-]/gu, '_'), actionUser };
  await tenant.ok('/v2/notifications/add', {
    ...notification,
    displayHeadlineMessageTemplate: 'wrote',
    displayBodyMessage: 'Hello.',
    notifyUsers: [{ userId, email: never.toUpperCase() }, other],
    metadata: { note: json },
  });
  await tenant.ok('/v2/agents/execution/add', {
    ...location,
    agentId: 'agent',
    executionId: freshId('run'),
    ranBy: { ...other, team: json },
    results: [json],
  });
  const recording = { from: { ...other, team: json }, recordingType: 'audio', context: json };
  const recordings = [
    { ...recording, [userId]: json },
    { from: other, recordingType: 'audio', userId, name, email: now },
  ];
  await tenant.ok('/v2/recordings/add', { ...location, recordings });
  const annotationId = freshId('thread');
  const comment = { commentId: 1, from: { ...other, team: json }, context: json };
  await tenant.ok('/v2/commentannotations/add', {
    ...location,
    commentAnnotations: [{ annotationId, context: json, commentData: [comment] }],
  });
  const reaction = { annotationId, commentId: 1, icon: 'seen', from: comment.from };
  await tenant.ok('/v2/commentannotations/comments/reactions/add', { ...location, ...reaction });
  receiver.behave(
    responding(200, {}, `{"got":{"userId":"${userId}","name":"${name}"},"more":"${'x'.repeat(2_000)}"}`),
  );
  const endpointId = await anEndpoint(api, tenant, receiver.url, {
    metadata: { [userId]: 'on call', [former.toUpperCase()]: 'before', kept: 'yes' },
  });
  await tenant.ok('/v2/workspace/advancedwebhook/endpoints/test', { endpointId });
}

/** Returns the columns of the whole database that contain one of these texts, in any letter case, also within bytes. */
export async function columnsWith(database: TestDatabase, texts: readonly string[]): Promise<string[]> {
  const columns = await database.sql<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not exists (select from pg_inherits where inhrelid = c.oid) order by 1, 2`,
  );
  const found: string[] = [];
  for (const [table, own] of Map.groupBy(columns, (one) => one.table)) {
    const sums = own.map(
      ({ column }, at) => `coalesce(bool_or(exists (select from unnest($1::text[]) as m (text)
        where strpos(lower(t."${column}"::text), lower(m.text)) > 0
          or strpos(t."${column}"::text, encode(convert_to(m.text, 'UTF8'), 'hex')) > 0)), false) as c${String(at)}`,
    );
    const [row = {}] = await database.sql<Record<string, boolean>>(
      `select ${sums.join(', ')} from "${table}" t`,
      [texts],
    );
    found.push(
      ...own.flatMap(({ column }, at) => (row[`c${String(at)}`] === true ? [`${table}.${column}`] : [])),
    );
  }
  return found.sort();
}
