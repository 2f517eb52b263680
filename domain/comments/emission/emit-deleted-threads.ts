import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import type { NotificationLocation } from '../../notifications/decide-recipients.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import type { NamedUser } from '../comment.ts';
import { emitChanges } from './emit-changes.ts';
import { readEmitted } from './read-emitted.ts';

/** Max bytes of annotations in memory at once. */
const maxChunkBytes = 16_777_216;

/** The actor of the deletion, and the flags of the call. */
export interface DeletionTriggers {
  /** Null only when both flags are false. */
  readonly actor: NamedUser | null;
  readonly triggerNotification: boolean;
  readonly triggerActivities: boolean;
}

const SizeRow = z.strictObject({ id: z.string(), bytes: z.number() });

/**
 * Emits the deletion of locked threads, by surrogate key, if a flag is true. Call it before they are deleted. Reads and
 * renders them in chunks of at most 16 MiB.
 */
export async function emitDeletedThreads(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  threads: readonly string[],
  { actor, triggerNotification, triggerActivities }: DeletionTriggers,
): Promise<void> {
  const { webhooks, activityLogs } = tenant.switches;
  const isRequested = triggerNotification || triggerActivities;
  if (actor === null || !isRequested || !(webhooks || activityLogs)) return;
  for (const chunk of await chunksOf(em, threads)) {
    const emitted = await readEmitted(em, chunk);
    const changes = [...emitted.values()].map((state) => ({
      ...state,
      type: 'comment_annotation.delete' as const,
      actor,
      named: [],
      triggerNotification,
      triggerActivities,
    }));
    await emitChanges(em, tenant, location, changes);
  }
}

async function chunksOf(em: EntityManager, threads: readonly string[]): Promise<string[][]> {
  const sizes = await rowsOf(
    em,
    SizeRow,
    sql`select id, octet_length(body::text) as bytes from thread where id = any(${threads}::bigint[]) order by id`,
  );
  const chunks: string[][] = [];
  let bytes = Infinity;
  for (const size of sizes) {
    bytes += size.bytes;
    if (bytes > maxChunkBytes) {
      chunks.push([]);
      ({ bytes } = size);
    }
    chunks.at(-1)?.push(size.id);
  }
  return chunks;
}
