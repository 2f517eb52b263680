import { markLate as mark } from '../domain/deletion/late-deletions.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Reports a late deletion: to the customer by an event, to the operator by an alert.
 * May be repeated: it acts only on a deletion that was not marked, in one transaction that marks it.
 */
export const markLate =
  ({ orm, logger }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<void> => {
    const late = await mark(orm, { jobId });
    if (late.length > 0) logger.error({ alert: 'user-data-deletion-late', jobId }, 'user data deletion late');
  };
