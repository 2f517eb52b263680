import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';

const ProtectionRow = z.strictObject({ changes: z.boolean() });

/**
 * Whether the role of this connection has no privilege to change audit entries. A trigger refuses changes in any case.
 */
export async function auditEntriesAreProtected(em: EntityManager): Promise<boolean> {
  const found = await rowOf(
    em,
    ProtectionRow,
    sql`select pg_has_role(current_user, c.relowner, 'member')
      or has_table_privilege(current_user, c.oid, 'update, delete, truncate') as changes
      from pg_class c where c.oid = 'audit_entry'::regclass`,
  );
  return found?.changes === false;
}
