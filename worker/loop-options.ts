import type { Orm } from '../platform/database/orm.ts';
import type { Logger } from '../platform/logging/logger.ts';

/** A loop of every worker, which runs until `signal` aborts. */
export interface LoopOptions {
  readonly orm: Orm;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}
