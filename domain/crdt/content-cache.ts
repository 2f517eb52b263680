import { LRUCache } from 'lru-cache';

/** Decoded content of one version of a record. A version never changes, so a hit on the version is current. */
export interface CachedContent {
  readonly id: string;
  readonly version: string;
  /** JSON, UTF-8. Absent after the first read: a scan must not evict frequently read content. */
  readonly decoded: Buffer | undefined;
}

/** Max bytes of the cache of a process, and of one entry. */
const maxCacheBytes = 33_554_432;
const maxEntryBytes = 4_194_304;

const bytesOf = ({ decoded }: CachedContent): number => (decoded?.length ?? 0) + 300;

/** Keyed by tenant, organization, document and editor. */
export type ContentCache = LRUCache<string, CachedContent>;

export const createContentCache = (): ContentCache =>
  new LRUCache({ maxSize: maxCacheBytes, maxEntrySize: maxEntryBytes, sizeCalculation: bytesOf });
