import { label } from '../label.ts';
import { withoutIndexes } from '../large-table.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import type { BenchKey } from '../tenant.ts';
import type { ConsoleSizes } from './sizes.ts';

/** A key whose lists have the requested lengths. Only the requested lists are loaded. */
export interface ConsoleWorld {
  readonly key: BenchKey;
  /** Contains every user, and every document but those of the small organization. */
  readonly organizationId: string;
  /** Contains the documents of the search in a small organization. */
  readonly smallOrganizationId: string;
  /** The endpoint of the messages; empty when none are loaded. */
  readonly endpointId: string;
  /** One of its messages, and one of the jobs. */
  readonly messageId: string;
  readonly jobId: string;
}

const organizationId = 'organization-1';
const smallOrganizationId = 'small';

/** Inserts the rows by SQL: through the API this would take hours. */
export async function loadWorld(
  site: Site,
  { sizes, show }: Run,
  wanted: readonly (keyof ConsoleSizes)[],
): Promise<ConsoleWorld> {
  const key = await site.newKey();
  const { steward } = key;
  await steward.organizations.add({
    organizations: [
      { organizationId, organizationName: 'Organization 1' },
      { organizationId: smallOrganizationId, organizationName: 'Small' },
    ],
  });
  await steward.documents.add({
    organizationId: smallOrganizationId,
    documents: [{ documentId: 'plan', documentName: 'Document of a small organization' }],
  });
  const endpointId = wanted.includes('messages') ? await makeEndpoint(key) : '';
  for (const name of wanted) {
    show(`Loading ${label(sizes[name])} ${name} …`);
    const { tables, statements } = loads[name];
    await withoutIndexes(site.sql, tables, async () => {
      for (const statement of statements)
        await site.sql.query(statement, statement.includes('$1') ? [key.id, sizes[name]] : []);
    });
  }
  await site.sql.query('checkpoint');
  const [messageId, jobId] = [`evt_bench${key.id}_7`, `job_bench${key.id}_7`];
  return { key, organizationId, smallOrganizationId, endpointId, messageId, jobId };
}

/** Creates an endpoint. Nothing is sent to it: pending messages are due in a day. */
async function makeEndpoint({ steward: { workspace } }: BenchKey): Promise<string> {
  await workspace.advancedWebhookConfig.update({ isEnabled: true });
  const { data } = await workspace.advancedWebhook.endpoints.create({ url: 'http://127.0.0.1:9/hook' });
  return data.id;
}

/** Parameters: $1 is the key, $2 the number of rows. */
const statements = {
  organizations: [
    `insert into organization (api_key_id, ext_id, name, metadata)
     select $1, 'organization-' || n, 'Organization ' || n, '{"plan": "gold", "seats": 12}' from generate_series(2, $2::int) n`,
  ],
  documents: [
    `insert into document (api_key_id, org_id, ext_id, name, metadata)
     select $1::bigint, o.id, 'document-' || n, 'Document ' || n, '{"language": "en"}'
     from organization o, generate_series(1, $2::int) n where o.api_key_id = $1 and o.ext_id = '${organizationId}'`,
  ],
  users: [
    `insert into app_user (api_key_id, ext_id, name, email)
     select $1, 'user-' || n, (array['Ada', 'Grace', 'Barbara', 'Edith', 'Frances', 'Hedy', 'Joan', 'Karen'])[1 + n % 8] || ' ' ||
       (array['Hopper', 'Liskov', 'Clarke', 'Allen', 'Lamarr', 'Jones', 'Noether', 'Wilson'])[1 + n / 8 % 8] || ' ' || n,
       'member-' || n || '@example.com'
     from generate_series(1, $2::int) n`,
    `insert into user_address (api_key_id, address, user_id)
     select u.api_key_id, u.email, u.id from app_user u where u.api_key_id = $1 and u.ext_id like 'user-%' limit $2`,
    `insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member)
     select u.id, 1, o.id, o.api_key_id, o.id, u.ext_id, true from organization o join app_user u on u.api_key_id = o.api_key_id
     where o.api_key_id = $1 and o.ext_id = '${organizationId}' and u.ext_id like 'user-%' limit $2`,
  ],
  // Over 29 days. 1 in 1,000 events has the rarest type, and about 1 % of messages have another status than succeeded.
  messages: [
    ...['event', 'delivery', 'attempt'].map(
      (table) => `do $$ begin
        for days in 1 .. 29 loop
          execute format('create table if not exists ${table}_%s partition of ${table} for values from (%L) to (%L)',
            to_char(current_date - days, 'YYYYMMDD'), current_date - days, current_date - days + 1);
        end loop; end $$`,
    ),
    `insert into event (api_key_id, public_id, type, channels, payload, at)
     select $1::bigint, 'evt_bench' || $1::bigint || '_' || n, case when n % 1000 = 0 then 'document.migrated' when n % 10 = 0 then 'comment.update' else 'comment.add' end,
       array['organization-' || n % 100, 'document-' || n % 10000], json_build_object('featureType', 'comment',
         'actionType', 'comment.add', 'actionUser', json_build_object('userId', 'user-' || n % 1000, 'name', 'Ada Lovelace'),
         'entityData', json_build_object('text', repeat('Could you have another look at this paragraph? ', 8))),
       now() - ($2::int - n) * (interval '29 days' / $2::int)
     from generate_series(1, $2::int) n`,
    `insert into delivery (api_key_id, endpoint_id, event_at, event_id, sequence, status, step, attempts, retry_at, next_at)
     select e.api_key_id, w.id, e.at, e.id, e.id, s.status, 1, 1, s.next, s.next
     from event e join webhook_endpoint w on w.api_key_id = e.api_key_id cross join lateral (
       select case when e.id % 1000 = 1 then 0 when e.id % 100 = 2 then 2 when e.id % 5000 = 3 then 3 else 1 end as status,
         case when e.id % 1000 = 1 then now() + interval '1 day' end as next) s
     where e.api_key_id = $1 limit $2`,
    `insert into attempt (event_id, endpoint_id, no, at, event_at, api_key_id, trigger, status, http_status, ms)
     select d.event_id, d.endpoint_id, 1, d.event_at, d.event_at, d.api_key_id, 0, case when d.status = 2 then 2 else 1 end,
       case when d.status = 2 then 500 else 200 end, 20 + d.event_id % 100 from delivery d where d.api_key_id = $1 limit $2`,
  ],
  // One per minute, mostly completed migrations. The sweep ignores open ones until tomorrow.
  jobs: [
    `insert into job (api_key_id, public_id, kind, status, progress, created_at, started_at, ended_at, error, next_sweep_at)
     select $1::bigint, 'job_bench' || $1::bigint || '_' || n, k.kind, s.status, '{"done": 1, "total": 1}', t.at, t.at, case when s.status > 1 then t.at end,
       case when s.status = 3 then 'The work failed.' end, now() + interval '1 day'
     from generate_series(1, $2::int) n
       cross join lateral (select case n % 100 when 0 then 2 when 1 then 3 when 2 then 5 when 3 then 4 when 4 then 4 else 1 end as kind) k
       cross join lateral (select case n % 1000 when 500 then 3 when 503 then 0 when 504 then 1 else 2 end as status) s
       cross join lateral (select now() - ($2::int - n) * interval '1 minute' as at) t`,
  ],
} as const satisfies Readonly<Record<keyof ConsoleSizes, readonly string[]>>;

const loads: Readonly<
  Record<keyof ConsoleSizes, { readonly tables: readonly string[]; readonly statements: readonly string[] }>
> = {
  organizations: { tables: ['organization'], statements: statements.organizations },
  documents: { tables: ['document'], statements: statements.documents },
  users: { tables: ['app_user', 'user_address', 'access'], statements: statements.users },
  messages: { tables: ['event', 'delivery', 'attempt'], statements: statements.messages },
  jobs: { tables: ['job'], statements: statements.jobs },
};
