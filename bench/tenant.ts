import type { Pool } from 'pg';
import { createClient, type ApiKeyClient } from '../packages/client/source/steward.ts';

/** An API key of a run. `id` is its surrogate key, for the floors and for loads by SQL. */
export interface BenchKey {
  readonly id: string;
  /** Public id, `akid_…`. */
  readonly keyId: string;
  readonly apiKey: string;
  readonly authToken: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly steward: ApiKeyClient;
}

/** The key that most benches use, and the surrogate keys of its records. */
export interface BenchTenant extends BenchKey {
  readonly organization: string;
  readonly document: string;
  readonly user: string;
}

export const organizationId = 'bench';
export const documentId = 'bench';
const userId = 'bench';
const ownerEmail = 'bench@example.com';
/** Without an idempotency key, which writes are measured without. */
const once = { maxAttempts: 1 } as const;

/** The workspace of a run, and a function that creates its keys. */
export interface BenchWorkspace {
  readonly workspaceId: string;
  readonly authToken: string;
  readonly newKey: () => Promise<BenchKey>;
}

/** Creates the workspace over HTTP, like a customer. */
export async function makeWorkspace(
  baseUrl: string,
  operatorToken: string,
  sql: Pool,
): Promise<BenchWorkspace> {
  const operator = createClient({ ...once, baseUrl, operatorToken });
  const { data } = await operator.workspace.create({ ownerEmail, workspaceName: 'Benchmark' });
  const workspace = createClient({
    ...once,
    baseUrl,
    workspaceId: data.id,
    workspaceAuthToken: data.authToken,
  });
  const newKey = async (): Promise<BenchKey> => {
    const made = await workspace.workspace.apiKeys.create({ ownerEmail, type: 'testing' });
    const { apiKey, authToken = '' } = made.data;
    const { rows } = await sql.query<{ id: string; public_id: string }>(
      `select id, public_id from api_key where key_hash = sha256(convert_to($1, 'UTF8'))`,
      [apiKey],
    );
    const [key] = rows;
    if (key === undefined) throw new Error('The API key of the benchmark is missing.');
    return {
      id: key.id,
      keyId: key.public_id,
      apiKey,
      authToken,
      headers: { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken },
      steward: createClient({ ...once, baseUrl, apiKey, authToken }),
    };
  };
  return { workspaceId: data.id, authToken: data.authToken, newKey };
}

export async function makeTenant(key: BenchKey, sql: Pool): Promise<BenchTenant> {
  const { steward } = key;
  await steward.workspace.activityConfig.update({ activityServiceConfig: { isEnabled: true } });
  await steward.organizations.add({
    organizations: [{ organizationId, organizationName: 'Benchmark' }],
  });
  await steward.documents.add({ organizationId, documents: [{ documentId }] });
  await steward.activities.add({
    organizationId,
    documentId,
    activities: [{ featureType: 'comment', actionType: 'comment.add', actionUser: { userId } }],
  });
  const { rows } = await sql.query<{ organization: string; document: string; user: string }>(
    `select d.org_id as organization, d.id as document, u.id as "user"
     from document d join app_user u on u.api_key_id = d.api_key_id where d.api_key_id = $1 and d.ext_id = $2 and u.ext_id = $3`,
    [key.id, documentId, userId],
  );
  const [found] = rows;
  if (found === undefined) throw new Error('The document of the benchmark is missing.');
  return { ...key, ...found };
}
