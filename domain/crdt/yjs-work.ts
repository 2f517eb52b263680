import * as Y from 'yjs';
import { mostDecoded, mostState, type ContentPlace } from './record.ts';
import { plain, replaceContent, rootOf, TooDeep } from './yjs-content.ts';

/** What is done to a record's Yjs document. */
export interface YjsWork extends ContentPlace {
  /** State and log; none for a record that is new. */
  readonly base: readonly Uint8Array[];
  readonly change:
    | { readonly kind: 'none' }
    | { readonly kind: 'replace'; readonly data: unknown }
    | { readonly kind: 'merge'; readonly update: Uint8Array };
}

/** The document afterwards. */
export interface YjsResult {
  readonly state: Uint8Array;
  /** JSON of the content. */
  readonly decoded: string;
}

/** Why a change cannot be made. */
export type YjsRefusal = 'not-valid' | 'too-large';

export type YjsOutcome = { readonly result: YjsResult } | { readonly refused: YjsRefusal };

/** Takes as long, and as much memory, as the bytes make it take: only for a thread that can be ended. */
export function doYjsWork({ base, change, ...place }: YjsWork): YjsOutcome {
  const doc = new Y.Doc();
  try {
    for (const bytes of base) Y.applyUpdate(doc, bytes);
    if (change.kind === 'merge') Y.applyUpdate(doc, change.update);
    const root = rootOf(doc, place);
    if (change.kind === 'replace') replaceContent(doc, root, change.data);
    const decoded = JSON.stringify(plain(root));
    const [only, another] = base;
    const asItWas = change.kind === 'none' && another === undefined ? only : undefined;
    const state = asItWas ?? Y.encodeStateAsUpdate(doc);
    if (state.length > mostState || Buffer.byteLength(decoded) > mostDecoded) return { refused: 'too-large' };
    return { result: { state, decoded } };
  } catch (error) {
    // Whatever Yjs says of bytes that it cannot read; of content that we wrote ourselves it says nothing.
    if (change.kind === 'merge' || error instanceof TooDeep) return { refused: 'not-valid' };
    throw error;
  }
}
