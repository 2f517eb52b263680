import type { WorkspaceAdvancedWebhookEndpointsMessagesGetRequest as MessagesRequest } from '@steward/client';
import type { Paged } from '../../shell/search.ts';

export const messageStatuses = [
  'pending',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies readonly MessagesRequest['status'][];

export interface EndpointSearch extends Paged {
  readonly endpointId: string;
  readonly status?: (typeof messageStatuses)[number] | undefined;
  readonly eventType?: string | undefined;
  /** Id of an organization or a document. */
  readonly channel?: string | undefined;
  /** Times are milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}
