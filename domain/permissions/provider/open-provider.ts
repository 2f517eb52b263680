import type { Configuration } from '../../../platform/config/configuration.ts';
import type { Orm } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import type { Logger } from '../../../platform/logging/logger.ts';
import { PermissionProvider } from './permission-provider.ts';

/** Opens the permission provider of a process: call it once, because its limits apply to one instance. */
export const openPermissionProvider = (
  { outboundAllowedNetworks, paused }: Pick<Configuration, 'outboundAllowedNetworks' | 'paused'>,
  { orm, keyRing, logger }: { readonly orm: Orm; readonly keyRing: KeyRing; readonly logger: Logger },
): PermissionProvider =>
  new PermissionProvider({
    orm,
    keyRing,
    allowedNetworks: outboundAllowedNetworks,
    paused: paused.has('deliveries'),
    onFailure: ({ keyId, reason }) => logger.warn({ keyId, reason }, 'permission provider failed'),
  });
