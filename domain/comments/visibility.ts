import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { failedPrecondition } from '../errors.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import { commentTexts } from './comment-texts.ts';
import { audienceKinds } from './thread-audience.entity.ts';
import type { Visibility } from './thread.entity.ts';
import { userKeyOf } from './write-comments.ts';

/** Throws FAILED_PRECONDITION when a visibility other than public is sent while private comments are not enabled. */
export async function refusePrivate(
  em: EntityManager,
  tenant: Tenant,
  sent: readonly (Visibility | undefined)[],
): Promise<void> {
  if (sent.every((visibility) => visibility === undefined)) return;
  const found = await tablesOf(em)
    .selectFrom('key_config')
    .select(sql<boolean>`(config ->> 'enablePrivateComments')::boolean`.as('enabled'))
    .where((row) => row.and({ api_key_id: tenant.id, kind: 'apikey' }))
    .executeTakeFirst();
  if (found?.enabled !== true) throw failedPrecondition(commentTexts.privateCommentsOff);
}

/** A locked thread with its visibility; undefined is public. */
export interface ThreadVisibility {
  /** Surrogate key. */
  readonly thread: string;
  readonly visibility: Visibility | undefined;
}

const OrganizationRow = z.strictObject({ id: z.string(), ext_id: z.string() });

/** Adds the audience of threads without one. Unknown organizations match no user, even after they are added. */
export async function writeAudience(
  em: EntityManager,
  tenant: Tenant,
  users: LockedUsers,
  threads: readonly ThreadVisibility[],
): Promise<void> {
  const named = threads.flatMap(({ visibility }) => visibility?.organizationIds ?? []);
  const organizations =
    named.length === 0
      ? []
      : await rowsOf(
          em,
          OrganizationRow,
          sql`select id, ext_id from organization where api_key_id = ${tenant.id} and ext_id = any(${named}::text[])`,
        );
  const keys = new Map(organizations.map(({ id, ext_id }) => [ext_id, id]));
  const rows = threads.flatMap(({ thread, visibility }) => [
    ...(visibility?.organizationIds ?? []).flatMap((organizationId) => {
      const ref = keys.get(organizationId);
      return ref === undefined ? [] : [{ thread, kind: audienceKinds.organization, ref }];
    }),
    ...(visibility?.userIds ?? []).map((userId) => ({
      thread,
      kind: audienceKinds.user,
      ref: userKeyOf(users, userId),
    })),
  ]);
  if (rows.length === 0) return;
  await sql`insert into thread_audience (thread_id, kind, ref_id, api_key_id)
    select t.thread_id, t.kind, t.ref_id, ${tenant.id}
    from unnest(${rows.map(({ thread }) => thread)}::bigint[], ${rows.map(({ kind }) => kind)}::smallint[],
      ${rows.map(({ ref }) => ref)}::bigint[]) as t (thread_id, kind, ref_id)
    order by 1, 2, 3 on conflict do nothing`.execute(tablesOf(em));
}
