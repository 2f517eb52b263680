import { escapeIdentifier, escapeLiteral, type ClientBase } from 'pg';
import { isForbidden } from './failures.ts';
import { rolePlannerSettings } from './planner.ts';
import type { Settings } from './settings.ts';

/** The settings of every session of Steward's role. `migrate` sets them; the API needs no others. */
export const roleSettings: Settings = {
  statement_timeout: '10000',
  idle_in_transaction_session_timeout: '30000',
  // Transactions name their level. This is for single statements, which would otherwise fail on a concurrent update.
  default_transaction_isolation: 'read committed',
  ...rolePlannerSettings,
};

/** The statement that sets a role's settings. Both names must be quoted SQL identifiers. */
export function alterRole(role: string, database: string, settings: Settings = roleSettings): string {
  return Object.entries(settings)
    .map(
      ([name, value]) => `alter role ${role} in database ${database} set ${name} = ${escapeLiteral(value)};`,
    )
    .join(' ');
}

/**
 * Sets the settings of a role, by default the connection's, for later sessions. Must run in a transaction, which stays
 * usable. Returns undefined, or the statement for an administrator when the role lacks the permission.
 */
export async function setRoleSettings(client: ClientBase, role?: string): Promise<string | undefined> {
  const { rows } = await client.query<SessionNames>(
    `select r.rolname::text as role, current_database()::text as database,
       array(select unnest(s.setconfig) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
         where d.datname = current_database() and s.setrole = r.oid) as present
     from pg_roles r where r.rolname = coalesce($1, session_user)`,
    [role ?? null],
  );
  const [names] = rows;
  if (names === undefined) throw new Error('missing row with the role and the database');
  const present = new Set(names.present);
  if (Object.entries(roleSettings).every(([name, value]) => present.has(`${name}=${value}`)))
    return undefined;
  const statement = alterRole(escapeIdentifier(names.role), escapeIdentifier(names.database));
  await client.query('savepoint role_settings');
  try {
    await client.query(statement);
    return undefined;
  } catch (error) {
    if (!isForbidden(error)) throw error;
    await client.query('rollback to savepoint role_settings');
    return statement;
  }
}

interface SessionNames {
  readonly role: string;
  readonly database: string;
  readonly present: readonly string[];
}
