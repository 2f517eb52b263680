import type { Orm } from '../../platform/database/orm.ts';
import type { ChannelFacts } from './facts-of-notices.ts';
import type { NoticeQuery } from './read-notices.ts';
import type { Lane } from './write-deliveries.ts';

/** Dependencies and state of a turn over one channel of a key. */
export interface ChannelContext
  extends Lane, Omit<ChannelFacts, 'channel' | 'isSuppressed'>, Pick<NoticeQuery, 'now'> {
  readonly orm: Orm;
  /** Hashes addresses for the key's suppression list. */
  readonly hashOf: (address: string) => Buffer;
}
