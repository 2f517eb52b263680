import type { Pool } from 'pg';
import { callerOf, type Call } from './call.ts';

/** The one key of a run. The surrogate keys are for the floors and for data that is loaded by SQL. */
export interface BenchTenant {
  readonly id: string;
  readonly apiKey: string;
  readonly authToken: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly call: Call;
  readonly organization: string;
  readonly document: string;
  readonly user: string;
}

export const organizationId = 'bench';
export const documentId = 'bench';
const userId = 'bench';

/** Made over HTTP, as a customer's would be. */
export async function makeTenant(url: string, operatorToken: string, sql: Pool): Promise<BenchTenant> {
  const workspace = await callerOf(url, { 'x-svc-operator-token': operatorToken })<{
    id: string;
    authToken: string;
  }>('/v2/workspace/create', { ownerEmail: 'bench@example.com', workspaceName: 'Benchmark' });
  const { apiKey, authToken = '' } = await callerOf(url, {
    'x-svc-workspace-id': workspace.id,
    'x-svc-workspace-auth-token': workspace.authToken,
  })<{ apiKey: string; authToken?: string }>('/v2/workspace/apikey/create', {
    ownerEmail: 'bench@example.com',
    type: 'testing',
  });
  const headers = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken };
  const call = callerOf(url, headers);
  await call('/v2/workspace/activityconfig/update', { activityServiceConfig: { isEnabled: true } });
  await call('/v2/organizations/add', { organizations: [{ organizationId, organizationName: 'Benchmark' }] });
  await call('/v2/organizations/documents/add', { organizationId, documents: [{ documentId }] });
  await call('/v2/activities/add', {
    organizationId,
    documentId,
    activities: [{ featureType: 'comment', actionType: 'comment.add', actionUser: { userId } }],
  });
  const { rows } = await sql.query<{ id: string; organization: string; document: string; user: string }>(
    `select d.api_key_id as id, d.org_id as organization, d.id as document, u.id as "user"
     from document d join app_user u on u.api_key_id = d.api_key_id where d.ext_id = $1 and u.ext_id = $2`,
    [documentId, userId],
  );
  const [keys] = rows;
  if (keys === undefined) throw new Error('The document of the benchmark was not written.');
  return { ...keys, apiKey, authToken, headers, call };
}
