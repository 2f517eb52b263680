import type { ApiKeyClient } from '@steward/client';
import { valueAt } from './fields.ts';
import type { SectionName } from './section-names.ts';

/** A configuration of an API key. Its form comes from the schema of its update. */
export interface Section {
  readonly title: string;
  /** The path of the update. */
  readonly path: string;
  /** Returns the stored configuration, whose members have the names of the update. */
  readonly read: (client: ApiKeyClient, signal?: AbortSignal) => Promise<object>;
  /** Returns the stored configuration like `read`. */
  readonly update: (
    client: ApiKeyClient,
    data: object,
    options: { readonly idempotencyKey: string },
  ) => Promise<object>;
}

type Resource =
  | 'apiKeyConfig'
  | 'activityConfig'
  | 'notificationConfig'
  | 'emailConfig'
  | 'advancedWebhookConfig'
  | 'webhookConfig'
  | 'permissionProviderConfig';

const section = (
  title: string,
  name: Resource,
  named: (data: object) => object = (data) => data,
): Section => ({
  title,
  path: `/v2/workspace/${name.toLowerCase()}/update`,
  read: async (client, signal) => named((await client.workspace[name].get({}, { signal })).data),
  update: async (client, data, options) => named((await client.workspace[name].update(data, options)).data),
});

export const sections: Readonly<Record<Exclude<SectionName, 'domains'>, Section>> = {
  key: section('Access and AI', 'apiKeyConfig', (data) => ({
    ...data,
    // The only member whose name differs between response and update.
    enablePrivateComments: valueAt(data, ['isPrivateCommentsEnabled']),
  })),
  activity: section('Activity logs', 'activityConfig'),
  notifications: section('Notifications', 'notificationConfig'),
  email: section('E-mail', 'emailConfig'),
  webhooks: section('Webhooks', 'advancedWebhookConfig'),
  'basic-webhooks': section('Basic webhooks', 'webhookConfig'),
  permissions: section('Permission provider', 'permissionProviderConfig'),
};
