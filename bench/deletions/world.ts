import type { Site } from '../site.ts';
import type { BenchKey } from '../tenant.ts';

/** A key with one organization and one document, whose activity logs are deleted. */
export interface DeletionWorld {
  readonly key: BenchKey;
  readonly organizationId: string;
  /** Surrogate keys. */
  readonly organization: string;
  readonly document: string;
}

const location = { organizationId: 'deletions', documentId: 'deletions' };

export async function makeWorld(site: Site): Promise<DeletionWorld> {
  const key = await site.newKey();
  const { organizationId, documentId } = location;
  await key.steward.workspace.activityConfig.update({
    activityServiceConfig: { isEnabled: true },
  });
  await key.steward.organizations.add({ organizations: [{ organizationId }] });
  await key.steward.documents.add({ organizationId, documents: [{ documentId }] });
  const { rows } = await site.sql.query<{ id: string; org_id: string }>(
    'select id, org_id from document where api_key_id = $1 and ext_id = $2',
    [key.id, documentId],
  );
  const [document] = rows;
  if (document === undefined) throw new Error('The document of the deletions is missing.');
  return { key, organizationId, organization: document.org_id, document: document.id };
}

/**
 * People with `rowsEach` records each. Every sixth record in between is of another person. Loaded by SQL, because the
 * API is measured elsewhere.
 */
export interface Crowd {
  readonly userIds: readonly string[];
  readonly rowsEach: number;
}

export async function loadCrowd(
  { sql }: Site,
  { key, organization, document }: DeletionWorld,
  { userIds, rowsEach }: Crowd,
): Promise<void> {
  await sql.query(
    `insert into app_user (api_key_id, ext_id) select $1, unnest($2::text[] || '{bystander}') on conflict do nothing`,
    [key.id, userIds],
  );
  await sql.query(
    `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body)
     select $1, $2, $3, u.ext_id || '-' || n, 1760000000000 + n, 1, 'comment.add',
       case when n % 6 = 0 then b.id else u.id end, '\\x00',
       json_build_object('featureType', 'comment', 'actionType', 'comment.add', 'actionUser', json_build_object('userId', u.ext_id),
         'entityData', json_build_object('text', 'Could you have another look at this paragraph?', 'page', n))
     from generate_series(1, $5::int * 6 / 5) as n, app_user u, app_user b
     where u.api_key_id = $1 and u.ext_id = any($4) and b.api_key_id = $1 and b.ext_id = 'bystander'
     order by n, u.id`,
    [key.id, organization, document, userIds, rowsEach],
  );
}

/** Deletes the same rows by one statement, the minimal work of the database. Returns seconds. */
export async function deleteBare({ sql }: Site, { key }: DeletionWorld, { userIds }: Crowd): Promise<number> {
  const began = performance.now();
  if (userIds.length === 1) {
    await sql.query(
      'delete from activity where actor_id = (select id from app_user where api_key_id = $1 and ext_id = $2)',
      [key.id, userIds[0]],
    );
  } else {
    await sql.query(
      'delete from activity a using app_user u where a.actor_id = u.id and u.api_key_id = $1 and u.ext_id = any($2)',
      [key.id, userIds],
    );
  }
  return (performance.now() - began) / 1_000;
}
