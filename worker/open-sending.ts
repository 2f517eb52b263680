import type { NoticeSending } from '../activities/dependencies.ts';
import { databaseClock } from '../domain/deliveries/clock.ts';
import { openSenders } from '../domain/deliveries/senders.ts';
import type { Configuration } from '../platform/config/configuration.ts';
import type { Logger } from '../platform/logging/logger.ts';

/** Opens the dependencies of the activities that send notifications. */
export const openSending = (
  { messaging }: Pick<Configuration, 'messaging'>,
  logger: Logger,
): NoticeSending => ({
  senders: openSenders(messaging, (path) => logger.info({ path }, 'mail written')),
  messaging,
  clock: databaseClock,
});
