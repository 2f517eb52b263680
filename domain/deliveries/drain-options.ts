import type { PermissionProvider } from '../permissions/provider/permission-provider.ts';
import type { LaneOptions } from './open-lane.ts';
import type { RecordedOutcome } from './record-outcomes.ts';
import type { EndedNotice } from './write-deliveries.ts';

export interface DrainOptions extends LaneOptions {
  readonly permissionProvider: PermissionProvider;
  /** Milliseconds before each attempt. */
  readonly retryDelaysMs: readonly number[];
  /** Max e-mails per second of one key, over all senders; 0: no limit. */
  readonly emailsPerSecond: number;
  /** Aborts claiming. */
  readonly signal: AbortSignal;
  readonly onOutcome: (outcome: RecordedOutcome) => void;
  /** Called with notices that ended without a delivery, or left theirs, once they are logged. */
  readonly onEnded: (notices: readonly EndedNotice[]) => void;
  /** Called when an earlier claim has lapsed: its attempt may have sent the message. */
  readonly onUnknown: () => void;
}
