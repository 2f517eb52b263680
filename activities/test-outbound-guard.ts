import { findGap } from '../domain/webhooks/provisioning/test-guard.ts';
import { failProvisioning } from '../domain/webhooks/provisioning/work-application.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Says whether the guard refuses the places that no webhook may reach; fails the job where it does not.
 * May be repeated: it only asks, and a job that has ended stays as it is.
 */
export const testOutboundGuard =
  ({ orm, logger, outboundAllowedNetworks }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<boolean> => {
    const gap = await findGap(outboundAllowedNetworks);
    if (gap === undefined) return true;
    logger.error({ gap }, 'SSRF guard self-test failed');
    await failProvisioning(orm, jobId, 'The guard of outgoing calls has a gap.');
    return false;
  };
