import type { Site } from '../site.ts';
import type { BenchKey } from '../tenant.ts';
import { isDocument, type World } from './world.ts';

export const organizationId = 'permissions';

/** The numbers of access types in the database. */
const [organizationPrivate, restricted] = [2, 3];
const kinds = { organization: 1, folder: 2, document: 3 } as const;
const roles = { viewer: 1, editor: 2 } as const;

/** Writes the world into an organization of the key by SQL. */
export async function loadWorld({ sql }: Site, key: BenchKey, world: World): Promise<void> {
  await key.steward.organizations.add({
    organizations: [{ organizationId, organizationName: 'Permissions' }],
  });
  const { rows } = await sql.query<{ id: string }>(
    'select id from organization where api_key_id = $1 and ext_id = $2',
    [key.id, organizationId],
  );
  const ids = [key.id, rows[0]?.id];
  await loadResources(sql, ids, world);
  await loadPeople(sql, ids, world);
  await sql.query('vacuum analyze folder, document, app_user, access');
}

async function loadResources(sql: Site['sql'], ids: readonly unknown[], world: World): Promise<void> {
  for (const folders of Map.groupBy(world.folders, ({ depth }) => depth).values()) {
    await sql.query(
      `insert into folder (api_key_id, org_id, ext_id, name, parent_id, ancestors, access_type)
       select $1, $2, t.id, t.id, p.id, case when p.id is null then '{}' else p.ancestors || p.id end, t.type
       from unnest($3::text[], $4::text[], $5::smallint[]) as t (id, parent, type)
       left join folder p on p.org_id = $2 and p.ext_id = t.parent`,
      [
        ...ids,
        folders.map(({ id }) => id),
        folders.map(({ parent }) => parent?.id ?? null),
        folders.map(({ parent, shared }) => {
          if (shared) return organizationPrivate;
          return parent === undefined ? restricted : null;
        }),
      ],
    );
  }
  await sql.query(
    `insert into document (api_key_id, org_id, ext_id, name, folder_id)
     select $1, $2, t.id, t.id, f.id from unnest($3::text[], $4::text[]) as t (id, folder)
     join folder f on f.org_id = $2 and f.ext_id = t.folder`,
    [...ids, world.documents.map(({ id }) => id), world.documents.map(({ folder }) => folder.id)],
  );
}

async function loadPeople(sql: Site['sql'], ids: readonly unknown[], world: World): Promise<void> {
  const { users, members, grants } = world;
  await sql.query('insert into app_user (api_key_id, ext_id) select $1, unnest($2::text[])', [ids[0], users]);
  await sql.query(
    `insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member)
     select u.id, ${String(kinds.organization)}, $2::bigint, $1, $2, u.ext_id, true
     from app_user u where u.api_key_id = $1 and u.ext_id = any($3)`,
    [...ids, [...members]],
  );
  await sql.query(
    `insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member, grant_role)
     select u.id, t.kind, coalesce(f.id, d.id), $1, $2, u.ext_id, false, t.role
     from unnest($3::text[], $4::smallint[], $5::text[], $6::smallint[]) as t (user_id, kind, id, role)
     join app_user u on u.api_key_id = $1 and u.ext_id = t.user_id
     left join folder f on t.kind = ${String(kinds.folder)} and f.org_id = $2 and f.ext_id = t.id
     left join document d on t.kind = ${String(kinds.document)} and d.org_id = $2 and d.ext_id = t.id`,
    [
      ...ids,
      grants.map(({ userId }) => userId),
      grants.map(({ on }) => (isDocument(on) ? kinds.document : kinds.folder)),
      grants.map(({ on }) => on.id),
      grants.map(({ role }) => roles[role]),
    ],
  );
}
