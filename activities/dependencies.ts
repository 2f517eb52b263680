import type { WorkflowToStart } from '../platform/temporal/temporal-client.ts';
import type { KeyRing } from '../platform/encryption/key-ring.ts';
import type { Orm } from '../platform/database/orm.ts';
import type { Logger } from '../platform/logging/logger.ts';

/** What activities work with; the worker puts it together. */
export interface Dependencies {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly logger: Logger;
  /** Starting what runs already is a success. */
  readonly startWorkflow: (workflow: WorkflowToStart) => Promise<void>;
}
