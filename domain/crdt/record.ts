import { nameOfNumber } from '../name-of-number.ts';

/** Kinds of shared content. */
export const crdtTypes = ['text', 'map', 'array', 'xml', 'xmltext'] as const;
export type CrdtType = (typeof crdtTypes)[number];

/** As the database numbers them; a number is never given twice. */
export const crdtTypeNumbers = { text: 1, map: 2, array: 3, xml: 4, xmltext: 5 } as const satisfies Record<
  CrdtType,
  number
>;

export const crdtTypeNumber = (type: CrdtType) => crdtTypeNumbers[type];

export const crdtTypeName = (number: number): CrdtType => nameOfNumber(crdtTypeNumbers, number);

/** Where the content of a record stands in its Yjs document. */
export interface ContentLocation {
  readonly type: CrdtType;
  readonly contentKey: string;
}

/** Bytes of JSON that the decoded content may have. */
export const maxDecoded = 10_485_760;

/** Bytes that the merged state may have, what was deleted included. */
export const maxState = 33_554_432;

/** Levels of nesting that decoded content may have, as a request may. */
export const deepest = 64;

/**
 * A record as it is answered. Where a person stands in this folder's tables: `crdt.last_updated_by` (index crdt_user), and
 * nowhere else; the shared content itself is not searched for people.
 */
export interface CrdtRecord {
  readonly id: string;
  /** JSON; as bytes it is in UTF-8. */
  readonly data: string | Buffer;
  readonly lastUpdate: string;
  /** Empty when nobody is known. */
  readonly lastUpdatedBy: string;
  readonly sessionId: string | null;
}
