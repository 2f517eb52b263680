import { escapeIdentifier, type ClientBase } from 'pg';

/** Tables that the runtime role only reads, except for inserts into the first. */
const protectedTables = ['audit_entry', 'audit_retention', 'schema_migration'];

/** Columns that the runtime role inserts. PostgreSQL sets the others: a writer cannot choose the time of an entry. */
const entryColumns = [
  'workspace_id',
  'key_id',
  'actor_kind',
  'actor',
  'address',
  'action',
  'target',
  'outcome',
  'before',
  'after',
  'request_id',
  'dropped',
];

const functions = [
  'create_audit_partitions()',
  'drop_expired_audit_partitions()',
  'create_day_partition(text, date, int)',
  'drop_day_partition(text, date)',
  'empty_next_slot(text)',
];

/**
 * Grants the role of API and worker every table's rows; of the audit log only reads and inserts. Must run in a
 * transaction as the owner of the tables. Throws when `role` is the owner itself.
 */
export async function grantRuntimeRole(client: ClientBase, role: string): Promise<void> {
  const { rows } = await client.query<{ schema: string; user: string; partitions: string[] }>(
    `select current_schema() as schema, current_user::text as user, array(select c.relname::text from pg_inherits i
       join pg_class c on c.oid = i.inhrelid where i.inhparent = 'audit_entry'::regclass) as partitions`,
  );
  const [found] = rows;
  if (found === undefined) throw new Error('missing row with the schema of the connection');
  if (found.user === role)
    throw new Error(
      'DATABASE_RUNTIME_ROLE names the role that migrates. Unset it, or run migrate as the owner of the tables.',
    );
  const [name, schema] = [escapeIdentifier(role), escapeIdentifier(found.schema)];
  const kept = [...protectedTables, ...found.partitions].map(escapeIdentifier).join(', ');
  await client.query(`
    grant usage on schema ${schema} to ${name};
    grant select, insert, update, delete on all tables in schema ${schema} to ${name};
    grant usage on all sequences in schema ${schema} to ${name};
    revoke all on ${kept} from ${name};
    grant select on ${protectedTables.join(', ')} to ${name};
    grant insert (${entryColumns.join(', ')}) on audit_entry to ${name};
    grant execute on function ${functions.join(', ')} to ${name}`);
}
