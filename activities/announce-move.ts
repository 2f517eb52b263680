import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Tells the parties outside the database that hold the old id. Webhook receivers hear it by the event of the flip; here
 * is the place of every other one, and so far it is the operator's log.
 * May be repeated: hearing twice that a document has moved changes nothing.
 */
export const announceMove =
  ({ logger }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<void> => {
    logger.info({ jobId }, 'document moved');
  };
