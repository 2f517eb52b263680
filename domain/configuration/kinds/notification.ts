import { merged } from '../change.ts';
import type { ConfigurationKind } from '../kind.ts';
import { seededTriggers, type Triggers } from '../triggers.ts';

interface Batch {
  readonly isEnabled: boolean;
  readonly batchWindowSeconds: number;
  readonly maxActivities: number;
}

export interface NotificationConfiguration {
  readonly useNotificationService: boolean;
  readonly notificationServiceConfig: {
    readonly triggers: { readonly comment: Triggers; readonly huddle: Triggers };
    readonly delayConfig: { readonly isEnabled: boolean; readonly delaySeconds: number };
    readonly batchConfig: { readonly document: Batch; readonly user: Batch };
  };
}

/** Inclusive min and max. */
export const notificationRanges = {
  delaySeconds: [10, 15_552_000],
  batchWindowSeconds: [10, 604_800],
  maxActivities: [2, 50],
} as const;

const batch: Batch = { isEnabled: false, batchWindowSeconds: 10, maxActivities: 2 };

export const notificationKind: ConfigurationKind<NotificationConfiguration> = {
  name: 'notification',
  defaults: {
    useNotificationService: false,
    notificationServiceConfig: {
      triggers: { comment: {}, huddle: {} },
      delayConfig: { isEnabled: false, delaySeconds: 10 },
      batchConfig: { document: batch, user: batch },
    },
  },
  secrets: [],
  isOn: ({ useNotificationService }) => useNotificationService,
  seed: (stored) => {
    const { comment, huddle } = seededTriggers;
    const seed = { notificationServiceConfig: { triggers: { comment, huddle } } };
    return merged(merged(stored, seed), { notificationServiceConfig: stored.notificationServiceConfig });
  },
};
