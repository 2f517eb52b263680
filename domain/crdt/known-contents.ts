import { LRUCache } from 'lru-cache';
import type { EntityManager } from '../../platform/database/orm.ts';

/** Decoded content as of one version of a record, which never changes: whoever finds that version need not read it again. */
export interface KnownContent {
  readonly id: string;
  readonly version: string;
  /** JSON in UTF-8. Absent of what was read once: who reads everything once must not drive out what is read often. */
  readonly decoded: Buffer | undefined;
}

/** Bytes that a process keeps of what was read last, and of one record. */
const mostKept = 33_554_432;
const mostOfOne = 4_194_304;

const bytesOf = ({ decoded }: KnownContent): number => (decoded?.length ?? 0) + 300;

const byDatabase = new WeakMap<object, LRUCache<string, KnownContent>>();

/** What this process knows of one database, by a key that says the whole way to a record, its tenant first. */
export function knownContents(em: EntityManager): LRUCache<string, KnownContent> {
  const database = em.getConnection();
  const known =
    byDatabase.get(database) ??
    new LRUCache<string, KnownContent>({
      maxSize: mostKept,
      maxEntrySize: mostOfOne,
      sizeCalculation: bytesOf,
    });
  byDatabase.set(database, known);
  return known;
}
