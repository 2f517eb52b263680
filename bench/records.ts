import { comparing, type Comparison } from './comparison.ts';
import { label } from './label.ts';
import { withoutIndexes } from './large-table.ts';
import type { Run } from './run.ts';
import type { Site } from './site.ts';
import type { BenchKey } from './tenant.ts';

/** A document and a user with a number of records. */
interface Location {
  readonly records: number;
  readonly documentId: string;
  readonly userId: string;
}

const organizationId = 'records';
const page = 100;

const locationOf = (records: number): Location => ({
  records,
  documentId: `document-of-${String(records)}`,
  userId: `reader-of-${String(records)}`,
});

interface Records {
  readonly path: '/v2/notifications/get' | '/v2/activities/get';
  readonly tables: readonly string[];
  /** Statements that load records of a document and a user: $1 tenant, $2 organization, $3 document, $4 user, $5 number. */
  readonly load: readonly string[];
}

const body = `'displayBodyMessage', 'Could you have another look at this paragraph?', 'n', n`;

const activities: Records = {
  path: '/v2/activities/get',
  tables: ['activity'],
  load: [
    `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body)
     select $1, $2, $3::bigint, $3::bigint || '-' || n, 1760000000000 + n, 1, 'comment.add', $4::bigint, '\\x00',
       json_build_object('featureType', 'comment', 'actionType', 'comment.add', 'actionUser', json_build_object('userId', 'bench'),
         'entityData', json_build_object(${body}))
     from generate_series(1, $5::int) as n`,
  ],
};

const notifications: Records = {
  path: '/v2/notifications/get',
  tables: ['notification', 'notification_recipient'],
  load: [
    `insert into notification (api_key_id, org_id, document_id, ext_id, source, actor_id, ts, recipient_count, body)
     select $1, $2, $3::bigint, $3::bigint || '-' || n, 1, $4::bigint, 1760000000000 + n, 1,
       json_build_object('notificationSource', 'comment', 'actionUser', json_build_object('userId', 'bench'), ${body})
     from generate_series(1, $5::int) as n`,
    `insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, ts)
     select $4::bigint, n.audience, $1, $2, $3::bigint, n.ts from notification n where n.document_id = $3 and n.api_key_id = $1
     limit $5`,
  ],
};

export const readActivityLogs = comparing((site, run) => pagesOf(site, run, activities));
export const readNotifications = comparing((site, run) => pagesOf(site, run, notifications));

/** Compares a page among many records, by document and by user, with a page among few in the same tables. */
async function pagesOf(site: Site, run: Run, records: Records): Promise<Comparison[]> {
  const [few, many] = [locationOf(10_000), locationOf(run.quick ? 200_000 : 10_000_000)];
  const key = await site.newKey();
  await makeLocations(key, [few, many]);
  await withoutIndexes(site.sql, records.tables, async () => {
    for (const location of [few, many]) {
      run.show(`Loading ${label(location.records)} records for ${records.path} …`);
      await load(site, key, records, location);
    }
  });
  await site.sql.query('checkpoint');
  return (['documentId', 'userId'] as const).map((by) => {
    const target = (location: Location) => ({
      url: `${site.api.url}${records.path}`,
      headers: key.headers,
      body: JSON.stringify({ data: { organizationId, [by]: location[by], pageSize: page } }),
    });
    return {
      name: `${records.path.slice('/v2/'.length)} by ${by}, ${String(page)} of ${label(many.records)}`,
      connections: 10,
      steward: target(many),
      against: [
        {
          name: `${String(page)} of ${label(few.records)}`,
          target: target(few),
          by: 'steward',
          shownAs: 'times',
          aim: { of: 'ratio', is: 'at most', value: 1.3 },
        },
      ],
    };
  });
}

async function makeLocations({ steward }: BenchKey, locations: readonly Location[]): Promise<void> {
  await steward.organizations.add({
    organizations: [{ organizationId, organizationName: 'Records' }],
  });
  await steward.documents.add({
    organizationId,
    documents: locations.map(({ documentId }) => ({ documentId })),
  });
  await steward.users.add({ organizationId, users: locations.map(({ userId }) => ({ userId })) });
}

async function load({ sql }: Site, key: BenchKey, { load }: Records, location: Location): Promise<void> {
  const { rows } = await sql.query<{ organization: string; document: string; person: string }>(
    `select d.org_id as organization, d.id as document, u.id as person from document d
     join app_user u on u.api_key_id = d.api_key_id and u.ext_id = $3 where d.api_key_id = $1 and d.ext_id = $2`,
    [key.id, location.documentId, location.userId],
  );
  const [found] = rows;
  if (found === undefined) throw new Error(`${location.documentId} is missing.`);
  const { organization, document, person } = found;
  for (const statement of load) {
    await sql.query(statement, [key.id, organization, document, person, location.records]);
  }
}
