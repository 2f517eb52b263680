import { createClient, type Client } from '../../client/create-client.ts';
import type { DemoFile } from '../../local/demo-file.ts';
import type { SoakReceiver } from './receiver.ts';

export const organizationId = 'soak';
const ownerEmail = 'soak@example.com';

/** Retries of one call: 5 s apart at most, so that a call outlives the restart of any server. */
const retries = 30;

/** Documents that receive records during the whole run. */
const lastingDocuments = 5;

/** An API key of the run, with what its callers work on. */
export interface SoakTenant {
  /** In the path of its webhook endpoint, and in ids of records. */
  readonly name: string;
  readonly client: Client<'apiKey'>;
  readonly documentIds: readonly string[];
}

/** Makes keys in one workspace, each with an organization, documents, an AI key and a webhook endpoint at the receiver. */
export async function makeTenants(
  { baseUrl, operatorToken }: DemoFile,
  receiver: SoakReceiver,
  names: readonly string[],
): Promise<SoakTenant[]> {
  const operator = createClient({ baseUrl, operatorToken });
  const { data } = await operator.call('/v2/workspace/create', { ownerEmail, workspaceName: 'Soak' });
  const workspace = createClient({
    baseUrl,
    workspaceId: data.id,
    workspaceAuthToken: data.authToken,
  });
  const tenants: SoakTenant[] = [];
  for (const name of names) {
    const made = await workspace.call('/v2/workspace/apikey/create', { ownerEmail, type: 'testing' });
    const { apiKey, authToken = '' } = made.data;
    const client = createClient({ baseUrl, apiKey, authToken, retries });
    tenants.push(await furnish(client, name, receiver.urlOf(name)));
  }
  return tenants;
}

async function furnish(client: Client<'apiKey'>, name: string, url: string): Promise<SoakTenant> {
  const documentIds = Array.from({ length: lastingDocuments }, (_, number) => `lasting-${String(number)}`);
  await client.call('/v2/workspace/activityconfig/update', { activityServiceConfig: { isEnabled: true } });
  await client.call('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  await client.call('/v2/workspace/apikeyconfig/update', {
    aiModelApiKey: [{ provider: 'openai', customerApiKey: 'sk-of-the-soak' }],
  });
  await client.call('/v2/organizations/add', { organizations: [{ organizationId, organizationName: name }] });
  await client.call('/v2/organizations/documents/add', {
    organizationId,
    documents: documentIds.map((documentId) => ({ documentId })),
  });
  await client.call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await client.call('/v2/workspace/advancedwebhook/endpoints/create', { url, filterTypes: ['comment.add'] });
  return { name, client, documentIds };
}
