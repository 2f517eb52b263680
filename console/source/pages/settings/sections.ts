import type { ApiKeyClient } from '@steward/client';
import type { SectionName } from './section-names.ts';

/** A configuration of an API key. Its form comes from the schema of its update. */
export interface Section {
  readonly title: string;
  /** The path of the update. */
  readonly path: string;
  readonly read: (client: ApiKeyClient, signal?: AbortSignal) => Promise<{ readonly data: object }>;
  readonly update: (
    client: ApiKeyClient,
    data: object,
    options: { readonly idempotencyKey: string },
  ) => Promise<{ readonly data: object | null }>;
}

type Resource =
  | 'apiKeyConfig'
  | 'activityConfig'
  | 'notificationConfig'
  | 'emailConfig'
  | 'advancedWebhookConfig'
  | 'webhookConfig'
  | 'permissionProviderConfig';

const section = (title: string, name: Resource): Section => ({
  title,
  path: `/v2/workspace/${name.toLowerCase()}/update`,
  read: (client, signal) => client.workspace[name].get({}, { signal }),
  update: (client, data, options) => client.workspace[name].update(data, options),
});

export const sections: Readonly<Record<Exclude<SectionName, 'domains'>, Section>> = {
  key: {
    ...section('Access and AI', 'apiKeyConfig'),
    // The only member whose name differs between get and update.
    read: async (client, signal) => {
      const { data } = await client.workspace.apiKeyConfig.get({}, { signal });
      return { data: { ...data, enablePrivateComments: data.isPrivateCommentsEnabled } };
    },
  },
  activity: section('Activity logs', 'activityConfig'),
  notifications: section('Notifications', 'notificationConfig'),
  email: section('E-mail', 'emailConfig'),
  webhooks: section('Webhooks', 'advancedWebhookConfig'),
  'basic-webhooks': section('Basic webhooks', 'webhookConfig'),
  permissions: section('Permission provider', 'permissionProviderConfig'),
};
