import { countMissingApplications } from '../../domain/webhooks/provisioning/count-missing-applications.ts';
import type { Configuration } from '../../platform/config/configuration.ts';
import type { Database } from '../../platform/database/open-database.ts';
import { finding, guarded, remedyOfStatements, type Finding } from './finding.ts';

/** Checks that keys have an application at the external provider. Steward's own delivery needs none. */
export async function checkWebhooks(
  { webhookProvider: provider }: Configuration,
  { orm }: Database,
): Promise<readonly Finding[]> {
  if (provider === 'embedded') return [];
  return guarded(
    'webhooks',
    `The applications at Svix could not be counted: ${remedyOfStatements}.`,
    async () => {
      const missing = await countMissingApplications(orm.em.fork(), provider);
      if (missing === 0)
        return [
          finding('webhooks', 'ok', 'Every API key with advanced webhooks has an application at Svix.'),
        ];
      const text =
        `API keys with advanced webhooks that have no application at Svix: ${String(missing)}. ` +
        'Their events are lost: call /v2/workspace/advancedwebhookconfig/update with each.';
      return [finding('webhooks', 'serious', text)];
    },
  );
}
