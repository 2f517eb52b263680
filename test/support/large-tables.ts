import type { TestDatabase } from './database.ts';

/** Statements that add rows, by their table. Later ones read the rows of earlier ones. */
const statements = {
  organization: `insert into organization (api_key_id, ext_id, name) select $1, 'filler-' || n, 'x' from generate_series(1, 5000) n`,
  folder: `insert into folder (api_key_id, org_id, ext_id, name)
     select $1, o.id, 'filler-' || n, 'x' from organization o, generate_series(1, 4) n where o.ext_id like 'filler-%'`,
  document: `insert into document (api_key_id, org_id, ext_id, folder_id, name)
     select $1, f.org_id, 'filler-' || f.id, f.id, 'x' from folder f where f.ext_id like 'filler-%'`,
  app_user: `insert into app_user (api_key_id, ext_id) select $1, 'filler-' || n from generate_series(1, 20000) n`,
  access: `insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member)
     select u.id, 3, d.id, $1, d.org_id, u.ext_id, true from document d
     join app_user u on u.api_key_id = $1 and u.ext_id = d.ext_id where d.api_key_id = $1`,
  user_group: `insert into user_group (api_key_id, org_id, ext_id, name)
     select $1, o.id, 'filler', 'x' from organization o where o.ext_id like 'filler-%'`,
  user_group_member: `insert into user_group_member (group_id, user_id, user_ext, api_key_id)
     select g.id, u.id, u.ext_id, $1 from user_group g
     join app_user u on u.api_key_id = $1 and u.ext_id = 'filler-' || g.id where g.ext_id = 'filler'`,
  activity: `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body)
     select $1, d.org_id, d.id, 'filler-' || d.id, d.id, 0, 'x', 0, '', '{}' from document d where d.ext_id like 'filler-%'`,
  recording: `insert into recording (api_key_id, org_id, document_id, ext_id, creator_id, created_at, updated_at, body)
     select $1, d.org_id, d.id, 'filler-' || d.id, -d.id, d.id, d.id, '{}' from document d where d.ext_id like 'filler-%'`,
  notification: `insert into notification (api_key_id, org_id, document_id, ext_id, location_id, source, actor_id, ts, body)
     select $1, d.org_id, d.id, 'filler-' || d.id, 'filler-' || d.id, 1, 0, d.id, '{}' from document d where d.ext_id like 'filler-%'`,
  notification_recipient: `insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, location_id, ts)
     select -n.id - i, n.audience, $1, n.org_id, n.document_id, n.location_id, n.ts from notification n, generate_series(1, 3) i
     where n.ext_id like 'filler-%'`,
  preference: `insert into preference (user_id, org_id, document_id, api_key_id, inbox)
     select u.id, -u.id, u.id, $1, 1 from app_user u where u.ext_id like 'filler-%'`,
  crdt: `insert into crdt (api_key_id, org_id, document_id, editor_id, type, content_key, state, decoded, decoded_bytes)
     select $1, d.org_id, d.id, 'filler', 1, 'content', '', '""', 2 from document d where d.ext_id like 'filler-%'`,
  crdt_update: `insert into crdt_update (crdt_id, seq, api_key_id, bytes) select c.id, 1, $1, '' from crdt c where c.editor_id = 'filler'`,
  crdt_event: `insert into crdt_event (crdt_id, api_key_id, due_at)
     select c.id, $1, now() + c.id * interval '1 day' from crdt c where c.editor_id = 'filler'`,
  agent_execution: `insert into agent_execution (api_key_id, org_id, document_id, ext_id, agent_id, status, started_at, body)
     select $1, d.org_id, d.id, 'filler-' || d.id, 'filler-' || d.id, 1, d.id, '{}' from document d where d.ext_id like 'filler-%'`,
  job: `insert into job (api_key_id, public_id, kind, status) select $1, 'filler-' || n, 4, 2 from generate_series(1, 5000) n`,
  migration: `insert into migration (job_id, api_key_id, org_id, document_id, old_ext_id, new_ext_id, flipped_at)
     select j.id, $1, j.id, j.id, 'a', 'b', now() from job j where j.public_id like 'filler-%'`,
  id_reservation: `insert into id_reservation (org_id, ext_id, job_id)
     select -j.id, 'a', j.id from job j where j.api_key_id = $1 and j.public_id like 'filler-%'`,
  user_deletion: `insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, fenced_at, ended_at)
     select j.id, -j.id, 'a', $1, now(), now() from job j where j.public_id like 'filler-%'`,
  user_deletion_organization: `insert into user_deletion_organization (job_id, org_id)
     select j.id, -n from job j, generate_series(1, 3) n where j.api_key_id = $1 and j.public_id like 'filler-%'`,
  user_address: `insert into user_address (api_key_id, address, user_id)
     select $1, u.ext_id || '@example.com', u.id from app_user u where u.api_key_id = $1 and u.ext_id like 'filler-%'`,
  json_name: `insert into json_name (api_key_id, kind, name_hash, block)
     select $1, k, hashtextextended('filler-' || n, 0), n from generate_series(1, 8) k, generate_series(1, 5000) n`,
  moment_name: `insert into moment_name (api_key_id, endpoint_id, name_hash, at)
     select $1, n % 3, hashtextextended('filler-' || n, 0), now() - n * interval '1 minute' from generate_series(1, 20000) n`,
  event: `insert into event (api_key_id, public_id, type, channels, payload, at)
     select $1, 'filler-' || n, 'x', '{}', '{}', now() - n * interval '1 minute' from generate_series(1, 20000) n`,
  outgoing: `insert into outgoing (public_id, api_key_id, org_id, user_id, channel, digest, next_at)
     select 'filler-' || n, $1, -n % 50, -n, 1, false, now() from generate_series(1, 5000) n`,
  notice: `insert into notice (api_key_id, org_id, document_id, user_id, notification_id, channel, state, why, verify, audience, in_inbox,
       due_at, delivery_id)
     select $1, -n % 50, -n % 500, -n, -n, 1, 2, 5, false, 1, true, now(), n from generate_series(1, 20000) n`,
  delivery_log: `insert into delivery_log (id, at, api_key_id, org_id, user_id, channel, status, digest, public_id, attempts, ended_at)
     select -n, now() - n * interval '100 seconds', $1, -n % 50, -n, 1, 1, false, 'filler-' || n, '[]', now()
     from generate_series(1, 20000) n`,
  delivery_item: `insert into delivery_item (at, delivery_id, notification_id, document_id)
     select at, id, id, id % 500 from delivery_log where api_key_id = $1 and public_id like 'filler-%'`,
  webhook_endpoint: `insert into webhook_endpoint (api_key_id, public_id, url)
     select $1, 'filler-' || n, 'http://filler.test/' from generate_series(1, 5000) n`,
  named_recipient: `insert into named_recipient (notification_id, user_id, audience_id, api_key_id, org_id)
     select n.id, -n.id, n.audience, $1, n.org_id from notification n where n.ext_id like 'filler-%'`,
  limited_call: `insert into limited_call (api_key_id, kind, process) select $1, 'filler-' || n, 'filler' from generate_series(1, 5000) n`,
};

type LargeTable = keyof typeof statements;

/**
 * Adds so many rows of a tenant that PostgreSQL plans as in a grown installation. `tables`: those that the test's
 * statements read, each after those that its rows are made from; default: all.
 */
export async function withLargeTables(
  database: TestDatabase,
  tenantId: string,
  tables: readonly LargeTable[] = Object.keys(statements) as LargeTable[],
): Promise<void> {
  for (const table of tables) await database.sql(statements[table], [tenantId]);
  await database.sql('analyze');
}
