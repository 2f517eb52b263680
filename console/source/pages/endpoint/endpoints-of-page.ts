import type { WebhookEndpoint } from '@steward/client';
import { useKeyOfPage } from '../../shell/key-of-page.ts';

/** Properties of a dialog that acts on an endpoint. */
export interface EndpointActProps {
  /** The endpoint as it was when the dialog opened: a refresh must not change what is confirmed. */
  readonly endpoint: WebhookEndpoint;
  readonly close: () => void;
}

/** Returns the operations of endpoints, and the queries that they change. */
export function useEndpoints() {
  const { keyId, client } = useKeyOfPage();
  return {
    keyId,
    endpoints: client.workspace.advancedWebhook.endpoints,
    refreshes: [
      ['key', keyId, 'endpoints'],
      ['key', keyId, 'endpoint'],
    ],
  };
}
