import type { Configuration } from '../../platform/config/configuration.ts';
import type { WebhookProvider } from './provider.ts';

/** Opens the configured provider. Loads the Svix client only when Svix is configured. */
export async function openWebhookProvider({
  webhookProvider,
  svix: { token, serverUrl },
  paused,
}: Pick<Configuration, 'webhookProvider' | 'svix' | 'paused'>): Promise<WebhookProvider> {
  if (webhookProvider === 'embedded') return { name: 'embedded' };
  if (token === undefined) throw new Error('SVIX_TOKEN is not set.');
  const { svixProvider } = await import('./svix/svix-provider.ts');
  return svixProvider({ token, serverUrl, paused: paused.has('deliveries') });
}
