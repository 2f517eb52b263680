import { Client } from 'pg';

/** One statement of a superuser on a server, by a connection of its own. `server`: the address of any of its databases. */
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

/** Creates a database unless the server has one of that name. It belongs to the superuser where no owner is named. */
export async function createDatabase(server: string, database: string, owner?: string): Promise<void> {
  await onServer(server, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount !== 0) return;
    const owned = owner === undefined ? '' : ` owner ${client.escapeIdentifier(owner)}`;
    await client.query(`create database ${client.escapeIdentifier(database)}${owned}`);
  });
}

/** Creates a role that may log in. The server must not have one of that name. */
export async function createRole(server: string, role: string, password: string): Promise<void> {
  await onServer(server, async (client) => {
    const login = `login password ${client.escapeLiteral(password)}`;
    await client.query(`create role ${client.escapeIdentifier(role)} ${login}`);
  });
}
