import type { EntityManager } from '../../platform/database/orm.ts';
import { DecodedWriter } from './write-decoded.ts';
import { createContentCache, type ContentCache } from './content-cache.ts';

/** Shared by all readers of collaborative data in a process. */
export interface CrdtReads {
  readonly cache: ContentCache;
  readonly decodedWriter: DecodedWriter;
}

/** `em` runs statements outside of transactions. */
export const openCrdtReads = (em: EntityManager): CrdtReads => ({
  cache: createContentCache(),
  decodedWriter: new DecodedWriter(em),
});
