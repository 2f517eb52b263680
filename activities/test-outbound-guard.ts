import { findUnguardedHost } from '../domain/webhooks/provisioning/outbound-guard.ts';
import { failProvisioning } from '../domain/webhooks/provisioning/application.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Returns whether the SSRF guard blocks the addresses that no webhook may reach; fails the job where it does not.
 * May be repeated: it only connects, and an ended job stays as it is.
 */
export const testOutboundGuard =
  ({ orm, logger, outboundAllowedNetworks }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<boolean> => {
    const gap = await findUnguardedHost(outboundAllowedNetworks);
    if (gap === undefined) return true;
    logger.error({ gap }, 'SSRF guard self-test failed');
    await failProvisioning(orm, jobId, 'The SSRF guard failed its self-test.');
    return false;
  };
