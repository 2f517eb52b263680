import type { CacheCounts } from '../../platform/metrics/cache-metrics.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { DecodedWriter } from './write-decoded.ts';
import { createContentCache, type ContentCache } from './content-cache.ts';

/** Shared by all readers of collaborative data in a process. */
export interface CrdtReads {
  readonly cache: ContentCache;
  /** Counts reads of one record that `cache` served, and reads that it did not. */
  readonly counts: CacheCounts;
  readonly decodedWriter: DecodedWriter;
}

/** `em` runs statements outside of transactions. */
export const openCrdtReads = (em: EntityManager): CrdtReads => ({
  cache: createContentCache(),
  counts: { hits: 0, misses: 0 },
  decodedWriter: new DecodedWriter(em),
});
