import { afterAll } from '@jest/globals';
import { aTenant, withActivityLogs, type TestDocument } from '../support/factories.ts';
import { anInstallation } from './migrations.ts';

export const migratePath = '/v2/organizations/documents/migrate';
export const addPath = '/v2/organizations/documents/add';

/** An installation with a worker for the tests of one file, and a tenant with activity logs. */
export async function migrationScene() {
  const installation = await anInstallation();
  afterAll(installation.close);
  await installation.startWorker();
  const tenant = await withActivityLogs(await aTenant(installation.api));
  const { database } = installation.api;
  const sql = <Row extends object>(text: string, values: unknown[] = []) => database.sql<Row>(text, values);

  /** Locks rows like a slow writer, until `letGo` is called. */
  const holding = async (statement: string, values: unknown[]) => {
    const client = await database.connect();
    await client.query('begin');
    await client.query(statement, values);
    return { client, letGo: async () => client.query('commit').then(() => client.end()) };
  };
  const keyShare = ({ documentId }: TestDocument) =>
    holding('select 1 from document where ext_id = $1 for key share', [documentId]);
  const surrogateOf = async ({ documentId }: { documentId: string }): Promise<string> => {
    const [found] = await sql<{ id: string }>('select id from document where ext_id = $1', [documentId]);
    if (found === undefined) throw new Error('The document does not exist.');
    return found.id;
  };
  return { installation, tenant, sql, holding, keyShare, surrogateOf };
}
