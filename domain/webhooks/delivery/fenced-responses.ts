import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { anyUserFenced, fencesNaming, shareNames } from '../../users/lock-named.ts';
import { nameOf } from '../../users/named-users.ts';
import { textsInResponse } from '../../users/name-index.ts';

/** A receiver's response that is about to be stored. */
export interface ReceivedResponse {
  readonly response: string;
  /** Primary key of the event; undefined for a test, which belongs to no organization. */
  readonly event?: { readonly eventAt: string; readonly eventId: string } | undefined;
}

const none: ReadonlySet<number> = new Set();

/**
 * Returns the positions of the responses that name a user under deletion. The caller stores them empty, because the
 * deletion may have scanned responses already. A deletion that begins now waits for the caller's transaction.
 */
export async function fencedResponses(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  responses: readonly ReceivedResponse[],
): Promise<ReadonlySet<number>> {
  // Names are quoted strings. Most responses that are not JSON have none, and need no statement.
  if (!responses.some(({ response }) => response.includes('"'))) return none;
  // One round trip. The fence is read in a statement of its own, after the lock.
  const [, fenced] = await Promise.all([shareNames(em, tenant), anyUserFenced(em, tenant)]);
  return fenced ? namingFenced(em, tenant, responses) : none;
}

const FoundRow = z.strictObject({ at: z.number() });

/** A deletion in named organizations fences only the responses to their events. */
async function namingFenced(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  responses: readonly ReceivedResponse[],
): Promise<ReadonlySet<number>> {
  const texts = responses.flatMap(({ response }, at) =>
    [...new Set(textsInResponse(response))].map((text) => [at + 1, text] as const),
  );
  const found = await rowsOf(
    em,
    FoundRow,
    sql`with responded as (
        select t.at, t.event_at, t.event_id
        from unnest(${responses.map(({ event }) => event?.eventAt ?? null)}::timestamptz[],
          ${responses.map(({ event }) => event?.eventId ?? null)}::bigint[]) with ordinality as t (event_at, event_id, at)),
      named as materialized (
        select distinct t.at, d.job_id
        from unnest(${texts.map(([at]) => at)}::int[], ${texts.map(([, text]) => text)}::text[],
          ${texts.map(([, text]) => nameOf(text))}::text[]) as t (at, text, address)
        cross join lateral (${fencesNaming(tenant, { text: sql`t.text`, address: sql`t.address` })}) d)
      select distinct n.at - 1 as at from named n join responded r on r.at = n.at
      where not exists (select from user_deletion_organization o where o.job_id = n.job_id)
        or exists (
          select from user_deletion_organization o join event e on e.org_id = o.org_id
          where o.job_id = n.job_id and e.api_key_id = ${tenant.id} and e.at = r.event_at and e.id = r.event_id)`,
  );
  return new Set(found.map(({ at }) => at));
}
