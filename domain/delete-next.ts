import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../platform/database/orm.ts';
import { onlyRowOf } from '../platform/database/statements.ts';

const MatchedRow = z.strictObject({ matched: z.number() });

/**
 * Runs common table expressions that begin with `with`, among them the selected rows, `next`, and their deletion. Returns
 * how many matched, including those that a concurrent call deleted first: fewer than their limit only when no others
 * remain.
 */
export async function deleteNext(em: EntityManager, expressions: RawBuilder<unknown>): Promise<number> {
  const counting = sql`${expressions} select count(*)::int as matched from next`;
  return (await onlyRowOf(em, MatchedRow, counting)).matched;
}
