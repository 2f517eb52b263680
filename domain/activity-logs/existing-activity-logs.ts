import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { isInVisibleDocument } from '../documents/resolve-document.ts';
import type { LocationRequest } from '../documents/lock-location.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { PreparedActivityLog } from './activity-log.ts';

/** Identifies a record within the tenant, by the id of its organization: the customer's or the surrogate. */
export const activityLogKey = (organization: string, id: string): string => `${organization} ${id}`;

/** A record with an id of the call. One of a deleted document, which the call replaces, counts as new to the caller. */
export interface Existing {
  /** Surrogate key. */
  readonly id: string;
  readonly visible: boolean;
  readonly ts: number;
  readonly document: string;
  readonly hash: Buffer;
}

const ExistingRow = z.strictObject({
  id: z.string(),
  org_id: z.string(),
  ext_id: z.string(),
  ts: z.string(),
  document_id: z.string(),
  content_hash: z.instanceof(Buffer),
  visible: z.boolean(),
});

/**
 * Existing records by `activityLogKey`, locked: the second of two overwrites sees the first. The lateral joins look up each
 * organization and record by index under any plan.
 */
export async function readExisting(
  em: EntityManager,
  tenant: Tenant,
  requests: readonly LocationRequest[],
  prepared: readonly (readonly PreparedActivityLog[])[],
): Promise<ReadonlyMap<string, Existing>> {
  const organizations = [...new Set(requests.map(({ organizationId }) => organizationId))];
  const named = requests.flatMap(({ organizationId }, call) => {
    const position = organizations.indexOf(organizationId) + 1;
    return (prepared[call] ?? []).flatMap(({ id, idSent }) => (idSent ? [{ position, id }] : []));
  });
  if (named.length === 0) return new Map();
  const found = await rowsOf(
    em,
    ExistingRow,
    sql`with known as materialized (
        select array_agg(o.id order by w.position) as ids from unnest(${organizations}::text[]) with ordinality as w (ext_id, position)
        left join lateral (select id from organization where api_key_id = ${tenant.id} and ext_id = w.ext_id limit 1) o on true)
      select a.id, a.org_id, a.ext_id, a.ts, a.document_id, a.content_hash, ${isInVisibleDocument(sql.ref('a.document_id'))} as visible
      from (
        select k.ids[t.position] as org_id, t.ext_id from known k
        cross join unnest(${named.map(({ position }) => position)}::int[], ${named.map(({ id }) => id)}::text[]) as t (position, ext_id)
        order by org_id, t.ext_id collate "C") s
      cross join lateral (
        select id, org_id, ext_id, ts, document_id, content_hash from activity a
        where a.org_id = s.org_id and a.ext_id = s.ext_id for no key update of a) a`,
  );
  return new Map(
    found.map(({ id, org_id, ext_id, ts, document_id, content_hash, visible }) => [
      activityLogKey(org_id, ext_id),
      { id, ts: Number(ts), document: document_id, hash: content_hash, visible },
    ]),
  );
}
