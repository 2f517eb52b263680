import type { Site } from '../site.ts';
import type { BenchKey } from '../tenant.ts';

/** A document with threads of one user, by the customer's ids. */
export interface ThreadsLocation {
  readonly organizationId: string;
  readonly documentId: string;
  readonly userId: string;
}

/** Threads to load by SQL with equally many comments each. Writing through the API is measured elsewhere. */
export interface ThreadsLoad {
  readonly location: ThreadsLocation;
  readonly threads: number;
  readonly commentsEach: number;
  /** Prefix of each thread's id: the first is `<prefix>1`. */
  readonly prefix: string;
  /** Every n-th comment is by another user; 0 means none. */
  readonly otherEvery?: number;
}

/** The tables whose indexes are dropped during the load. */
export const threadTables = ['thread', 'comment', 'thread_person'] as const;

/** Adds organizations, documents and users through the API. */
export async function makeLocations(
  { steward }: BenchKey,
  locations: readonly ThreadsLocation[],
): Promise<void> {
  for (const { organizationId, documentId, userId } of locations) {
    await steward.organizations.add({ organizations: [{ organizationId }] });
    await steward.documents.add({ organizationId, documents: [{ documentId }] });
    await steward.users.add({ organizationId, users: [{ userId }, { userId: 'bystander' }] });
  }
}

/** Surrogate keys of a location. */
interface LocationKeys {
  readonly organization: string;
  readonly document: string;
  readonly user: string;
  readonly other: string;
}

async function keysOf({ sql }: Site, key: BenchKey, location: ThreadsLocation): Promise<LocationKeys> {
  const { rows } = await sql.query<LocationKeys>(
    `select d.org_id as organization, d.id as document, u.id as "user", b.id as other from document d
     join organization o on o.id = d.org_id and o.ext_id = $2
     join app_user u on u.api_key_id = d.api_key_id and u.ext_id = $4
     join app_user b on b.api_key_id = d.api_key_id and b.ext_id = 'bystander'
     where d.api_key_id = $1 and d.ext_id = $3`,
    [key.id, location.organizationId, location.documentId, location.userId],
  );
  const [found] = rows;
  if (found === undefined) throw new Error(`missing document ${location.documentId}`);
  return found;
}

const loadThreads = `insert into thread (api_key_id, org_id, document_id, ext_id, creator_id, status_id, kind, last_actor_id,
    created_at, updated_at, last_comment_id, comment_count, content_bytes, body)
  select $1, $2, $3, $6::text || n, $4, 'OPEN', 1, $4, 1760000000000 + n, 1760000000000 + n, $7::int, $7::int, $7::int * 128, $8::json
  from generate_series(1, $5::int) as n`;

const loadComments = `insert into comment (api_key_id, org_id, thread_id, ext_id, author_id, created_at, updated_at, body)
  select $1, $2, t.id, c, case when $6 > 0 and c % greatest($6, 1) = 0 then $5::bigint else $4::bigint end, t.created_at, t.updated_at,
    json_build_object('from', json_build_object('userId', case when $6 > 0 and c % greatest($6, 1) = 0 then 'bystander' else $8 end),
      'commentText', 'Could you have another look at this paragraph?')
  from thread t cross join generate_series(1, $7::int) as c where t.document_id = $3 and starts_with(t.ext_id, $9)`;

const loadPeople = `insert into thread_person (thread_id, user_id, api_key_id, org_id, roles)
  select t.id, u.id, $1, $2, 1 from thread t cross join unnest($4::bigint[]) as u (id)
  where t.document_id = $3 and starts_with(t.ext_id, $5)`;

export async function load(site: Site, key: BenchKey, load: ThreadsLoad): Promise<void> {
  const { location, threads, commentsEach, prefix, otherEvery = 0 } = load;
  const { organization, document, user, other } = await keysOf(site, key, location);
  const body = JSON.stringify({
    from: { userId: location.userId },
    status: { id: 'OPEN', name: 'Open', type: 'default', color: '#625DF5', lightColor: '#E7E8FA' },
    commentType: 'manual',
    context: { paragraph: 7 },
  });
  const at = [key.id, organization, document];
  await site.sql.query(loadThreads, [...at, user, threads, prefix, commentsEach, body]);
  await site.sql.query(loadComments, [...at, user, other, otherEvery, commentsEach, location.userId, prefix]);
  await site.sql.query(loadPeople, [...at, otherEvery > 0 ? [user, other] : [user], prefix]);
}
