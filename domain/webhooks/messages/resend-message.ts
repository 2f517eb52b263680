import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { changedBy } from '../../../platform/database/statements.ts';
import { notFound } from '../../errors.ts';
import { messages } from '../../messages.ts';
import { eventOf } from './index-scan.ts';
import { attemptAt } from './extra-attempt.ts';

/** Queues another attempt of a message in any status. Throws NOT_FOUND. */
export async function resendMessage(
  em: EntityManager,
  tenantId: string,
  endpoint: string,
  messageId: string,
): Promise<void> {
  const queued = await changedBy(
    em,
    sql`with wanted as materialized ${eventOf(em, tenantId, messageId)}
      update delivery d set ${attemptAt(sql`now()`)} where d.api_key_id = ${tenantId} and d.endpoint_id = ${endpoint}
        and d.event_at = (select at from wanted) and d.event_id = (select id from wanted)`,
  );
  if (queued === 0) throw notFound(messages.webhookMessageMissing);
}
