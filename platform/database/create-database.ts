import { Client } from 'pg';

/** Runs `act` on a superuser's own connection. `server` is the URL of any database of the server. */
async function onServer(server: string, act: (client: Client) => Promise<void>): Promise<void> {
  const address = new URL(server);
  address.pathname = '/postgres';
  const client = new Client({ connectionString: address.href, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await act(client);
  } finally {
    await client.end();
  }
}

/** Creates a database unless one with that name exists. Without `owner`, the superuser owns it. */
export async function createDatabase(server: string, database: string, owner?: string): Promise<void> {
  await onServer(server, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount !== 0) return;
    const owned = owner === undefined ? '' : ` owner ${client.escapeIdentifier(owner)}`;
    await client.query(`create database ${client.escapeIdentifier(database)}${owned}`);
  });
}

/** Creates a login role. A role with that name must not exist. */
export async function createRole(server: string, role: string, password: string): Promise<void> {
  await onServer(server, async (client) => {
    const login = `login password ${client.escapeLiteral(password)}`;
    await client.query(`create role ${client.escapeIdentifier(role)} ${login}`);
  });
}
