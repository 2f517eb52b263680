import { keepRegistered, type Registration } from '../domain/processes/keep-registered.ts';
import type { Orm } from '../platform/database/orm.ts';
import { logOutage } from '../platform/logging/log-outage.ts';
import { changeLevel } from '../platform/logging/logger.ts';
import type { ProcessKind } from '../platform/process/process-kinds.ts';
import type { ConnectionOptions } from './open-shared-connections.ts';

/** Registers this process, and follows the log level that an operator sets. The caller closes the registration. */
export const registerProcess = (
  kind: ProcessKind,
  orm: Orm,
  { configuration, logger, repeating }: Pick<ConnectionOptions, 'configuration' | 'logger' | 'repeating'>,
): Registration =>
  keepRegistered({
    orm,
    kind,
    paused: configuration.paused,
    onFailure: logOutage(repeating, 'process heartbeat failed'),
    onLogLevel: (level = configuration.logLevel) => changeLevel(logger, level),
  });
