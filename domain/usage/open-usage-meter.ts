import type { Orm } from '../../platform/database/orm.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { addUsage } from './add-usage.ts';
import { UsageMeter } from './usage-meter.ts';

/** Opens the usage meter of a process. `orm` is called with the first write. */
export const openUsageMeter = (orm: () => Orm, logger: Logger): UsageMeter =>
  new UsageMeter({
    write: async (usage) => addUsage(orm().em.fork(), usage),
    onFailure: ({ reason }) => logger.warn({ reason }, 'usage not written'),
    onDropped: ({ counts }) => logger.warn({ counts }, 'usage dropped'),
  });
