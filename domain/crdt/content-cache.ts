import { LRUCache } from 'lru-cache';

/** Decoded content of one version of a record. A version never changes, so a hit on the version is current. */
export interface CachedContent {
  readonly id: string;
  readonly version: string;
  /** JSON, UTF-8. Absent after the first read: a scan must not evict frequently read content. */
  readonly decoded: Buffer | undefined;
}

/** Max bytes of the cache of a process, and of one entry. */
const maxCacheBytes = 16_777_216;
const maxEntryBytes = 4_194_304;

/** A key contains up to three ids of customers, in which a character may take two bytes. */
const bytesOf = ({ decoded }: CachedContent, key: string): number =>
  (decoded?.length ?? 0) + 2 * key.length + 300;

/**
 * The content in a buffer of its own. Node puts small ones into larger buffers, and content from another process is part
 * of the buffer of its message: either would keep all of that buffer in memory.
 */
export function ownBuffer(content: string | Buffer): Buffer {
  if (typeof content !== 'string' && content.byteLength === content.buffer.byteLength) return content;
  const own = Buffer.allocUnsafeSlow(Buffer.byteLength(content));
  if (typeof content === 'string') own.write(content);
  else own.set(content);
  return own;
}

/** Keyed by tenant, organization, document and editor. */
export type ContentCache = LRUCache<string, CachedContent>;

export const createContentCache = (): ContentCache =>
  new LRUCache({ maxSize: maxCacheBytes, maxEntrySize: maxEntryBytes, sizeCalculation: bytesOf });
