import type { NotificationsDeliveriesGetRequest as Request } from '@steward/client';
import type { Paged } from '../../shell/search.ts';

type Values<Name extends 'channels' | 'statuses'> = readonly NonNullable<Request[Name]>[number][];

export const channels = ['email', 'slack'] as const satisfies Values<'channels'>;
export const deliveryStatuses = [
  'queued',
  'sending',
  'held',
  'sent',
  'delivered',
  'bounced',
  'complained',
  'skipped',
  'failed',
] as const satisfies Values<'statuses'>;

export const notificationsTabs = ['deliveries', 'explain'] as const;

export interface NotificationsSearch extends Paged {
  readonly tab?: (typeof notificationsTabs)[number] | undefined;
  readonly organizationId?: string | undefined;
  readonly userId?: string | undefined;
  readonly notificationId?: string | undefined;
  readonly channel?: (typeof channels)[number] | undefined;
  readonly status?: (typeof deliveryStatuses)[number] | undefined;
}
