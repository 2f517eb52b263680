import { nameOfNumber } from '../name-of-number.ts';

/** Kinds of shared content. */
export const crdtTypes = ['text', 'map', 'array', 'xml', 'xmltext'] as const;
export type CrdtType = (typeof crdtTypes)[number];

/** Numbers are stored, so a number is never reused. */
export const crdtTypeNumbers = { text: 1, map: 2, array: 3, xml: 4, xmltext: 5 } as const satisfies Record<
  CrdtType,
  number
>;

export const crdtTypeName = (number: number): CrdtType => nameOfNumber(crdtTypeNumbers, number);

/** The location of a record's content in its Yjs document. */
export interface ContentLocation {
  readonly type: CrdtType;
  readonly contentKey: string;
}

/** Max JSON size of decoded content. */
export const maxDecodedBytes = 10_485_760;

/** Max size of the merged state, deleted content included. */
export const maxStateBytes = 33_554_432;

/** Max nesting of decoded content, the same as of a request. */
export const maxDepth = 64;

/**
 * A record in a response. Personal data in this folder's tables: `crdt.last_updated_by` (index crdt_user) only; shared
 * content is not searched for users.
 */
export interface CrdtRecord {
  readonly id: string;
  /** JSON; a buffer holds UTF-8. */
  readonly data: string | Buffer;
  readonly lastUpdate: string;
  /** Empty when unknown. */
  readonly lastUpdatedBy: string;
  readonly sessionId: string | null;
}
