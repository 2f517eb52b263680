import { LRUCache } from 'lru-cache';

/** Decoded content as of one version of a record, which never changes: whoever finds that version need not read it again. */
export interface KnownContent {
  readonly id: string;
  readonly version: string;
  /** JSON in UTF-8. Absent of what was read once: who reads everything once must not drive out what is read often. */
  readonly decoded: Buffer | undefined;
}

/** Bytes that a process keeps of what was read last, and of one record. */
const maxKept = 33_554_432;
const maxOfOne = 4_194_304;

const bytesOf = ({ decoded }: KnownContent): number => (decoded?.length ?? 0) + 300;

/** What a process knows of its database, by a key that says the whole way to a record, its tenant first. */
export type KnownContents = LRUCache<string, KnownContent>;

export const makeKnownContents = (): KnownContents =>
  new LRUCache({ maxSize: maxKept, maxEntrySize: maxOfOne, sizeCalculation: bytesOf });
