import type { ConfigurationKind } from '../kind.ts';
import { seededTriggers, type GroupedTriggers } from '../triggers.ts';

/** `immutable`: calls that change or delete activity logs are refused. */
export interface ActivityLogConfiguration {
  readonly isEnabled: boolean;
  readonly immutable: boolean;
  /** Milliseconds since the epoch; null until the first enable. */
  readonly enabledTime: number | null;
  readonly triggers: GroupedTriggers;
}

export const activityLogConfigurationKind: ConfigurationKind<ActivityLogConfiguration> = {
  name: 'activity',
  defaults: { isEnabled: false, immutable: false, enabledTime: null, triggers: {} },
  secrets: [],
  isOn: ({ isEnabled }) => isEnabled,
  seed: (stored) => ({
    ...stored,
    enabledTime: stored.enabledTime ?? Date.now(),
    triggers: { ...seededTriggers.activity, ...stored.triggers },
  }),
};
