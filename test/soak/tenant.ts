import { createClient, type ApiKeyClient } from '../../packages/client/source/steward.ts';
import type { SoakReceiver } from './receiver.ts';

export const organizationId = 'soak';
export const tenantNames = ['first', 'second', 'third'] as const;

/** Lets Steward call the servers of the run, as often as it needs. */
export const soakEnvironment = {
  STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
  STEWARD_RATE_LIMIT: '0',
  STEWARD_WEBHOOK_RETRY_SCHEDULE: '0s,1s,2s,5s,10s,30s,60s,60s,60s,60s',
} as const;

const ownerEmail = 'soak@example.com';

/** Attempts of one call are at most 5 s apart, so that a call outlasts the restart of any server. */
const patience = { maxAttempts: 31, timeoutMs: 300_000 } as const;

/** Documents that receive records during the whole run. */
const lastingDocuments = 5;

/** An API key of the run, with the records that its callers use. */
export interface SoakTenant {
  /** Its name, in the path of its webhook endpoint and in ids of records. */
  readonly name: string;
  readonly client: ApiKeyClient;
  readonly documentIds: readonly string[];
}

export interface SoakedAddress {
  readonly baseUrl: string;
  readonly operatorToken: string;
}

/** Creates keys in one workspace, each with an organization, documents, an AI key and a webhook endpoint at the receiver. */
export async function makeTenants(
  { baseUrl, operatorToken }: SoakedAddress,
  receiver: SoakReceiver,
  names: readonly string[],
): Promise<SoakTenant[]> {
  const operator = createClient({ baseUrl, operatorToken });
  const { data } = await operator.workspace.create({ ownerEmail, workspaceName: 'Soak' });
  const workspace = createClient({
    baseUrl,
    workspaceId: data.id,
    workspaceAuthToken: data.authToken,
  });
  const tenants: SoakTenant[] = [];
  for (const name of names) {
    const made = await workspace.workspace.apiKeys.create({ ownerEmail, type: 'testing' });
    const { apiKey, authToken = '' } = made.data;
    const client = createClient({ baseUrl, apiKey, authToken, ...patience });
    tenants.push(await furnish(client, name, receiver.urlOf(name)));
  }
  return tenants;
}

async function furnish(client: ApiKeyClient, name: string, url: string): Promise<SoakTenant> {
  const documentIds = Array.from({ length: lastingDocuments }, (_, number) => `lasting-${String(number)}`);
  await client.workspace.activityConfig.update({ activityServiceConfig: { isEnabled: true } });
  await client.workspace.notificationConfig.update({ useNotificationService: true });
  await client.workspace.apiKeyConfig.update({
    aiModelApiKey: [{ provider: 'openai', customerApiKey: 'sk-of-the-soak' }],
  });
  await client.organizations.add({ organizations: [{ organizationId, organizationName: name }] });
  await client.documents.add({
    organizationId,
    documents: documentIds.map((documentId) => ({ documentId })),
  });
  await client.workspace.advancedWebhookConfig.update({ isEnabled: true });
  await client.workspace.advancedWebhook.endpoints.create({ url, filterTypes: ['comment.add'] });
  return { name, client, documentIds };
}
