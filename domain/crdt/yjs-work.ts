import * as Y from 'yjs';
import { maxDecoded, maxState, type ContentLocation } from './record.ts';
import { pack, unpack, type StoredBytes } from './stored-bytes.ts';
import { plain, replaceContent, rootOf, TooDeep } from './yjs-content.ts';

/** What is done to a record's Yjs document. */
export interface YjsWork extends ContentLocation {
  /** State and log; none for a record that is new. */
  readonly base: readonly StoredBytes[];
  readonly change:
    | { readonly kind: 'none' }
    /** JSON in UTF-8: handed over as bytes, without being copied as objects are. */
    | { readonly kind: 'replace'; readonly json: Uint8Array }
    | { readonly kind: 'merge'; readonly update: Uint8Array };
}

/** The document afterwards. */
export interface YjsResult {
  /** Null where it is what was sent. */
  readonly state: StoredBytes | null;
  /** JSON of the content, in UTF-8. */
  readonly decoded: Uint8Array;
}

/** Why a change cannot be made. */
export type YjsRefusal = 'not-valid' | 'too-large';

export type YjsOutcome = { readonly result: YjsResult } | { readonly refused: YjsRefusal };

/** Takes as long, and as much memory, as the bytes make it take: only for a thread that can be ended. */
export function doYjsWork({ base, change, ...place }: YjsWork): YjsOutcome {
  // Of what is only read nothing has to be cleared away; and a name that is nobody else's would take longer to make than many a document to read.
  const [only, another] = base;
  const asItWas = change.kind === 'none' && only !== undefined && another === undefined;
  const doc = new Y.Doc({ guid: 'record', gc: !asItWas });
  try {
    for (const stored of base) Y.applyUpdate(doc, unpack(stored));
    if (change.kind === 'merge') Y.applyUpdate(doc, change.update);
    const root = rootOf(doc, place);
    if (change.kind === 'replace')
      replaceContent(doc, root, JSON.parse(new TextDecoder().decode(change.json)));
    const decoded = new TextEncoder().encode(JSON.stringify(plain(root)));
    const state = asItWas ? null : Y.encodeStateAsUpdate(doc);
    if ((state?.length ?? 0) > maxState || decoded.length > maxDecoded) return { refused: 'too-large' };
    return { result: { state: state && pack(state), decoded } };
  } catch (error) {
    // Whatever Yjs says of bytes that it cannot read; of content that we wrote ourselves it says nothing.
    if (change.kind === 'merge' || error instanceof TooDeep) return { refused: 'not-valid' };
    throw error;
  }
}
