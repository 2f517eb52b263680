import type { Configuration } from '../../../platform/config/configuration.ts';
import type { Orm } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { limitRepeats } from '../../../platform/logging/limit-repeats.ts';
import type { Logger } from '../../../platform/logging/logger.ts';
import { PermissionProvider } from './permission-provider.ts';

/** Opens the permission provider of a process: call it once, because its limits apply to one instance. */
export const openPermissionProvider = (
  { outboundAllowedNetworks, paused }: Pick<Configuration, 'outboundAllowedNetworks' | 'paused'>,
  { orm, keyRing, logger }: { readonly orm: Orm; readonly keyRing: KeyRing; readonly logger: Logger },
): PermissionProvider => {
  const repeating = limitRepeats(logger);
  return new PermissionProvider({
    orm,
    keyRing,
    allowedNetworks: outboundAllowedNetworks,
    paused: paused.has('deliveries'),
    onFailure: ({ keyId, reason }) => repeating.warn({ keyId, reason }, 'permission provider failed', keyId),
  });
};
