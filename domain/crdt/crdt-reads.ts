import type { EntityManager } from '../../platform/database/orm.ts';
import { DecodedKeeper } from './keep-decoded.ts';
import { makeKnownContents, type KnownContents } from './known-contents.ts';

/** What the readers of collaborative data share in one process; made once, and passed to each. */
export interface CrdtReads {
  readonly known: KnownContents;
  readonly keeper: DecodedKeeper;
}

/** `em`: for statements, each by itself. */
export const openCrdtReads = (em: EntityManager): CrdtReads => ({
  known: makeKnownContents(),
  keeper: new DecodedKeeper(em),
});
