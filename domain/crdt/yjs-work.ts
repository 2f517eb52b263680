import * as Y from 'yjs';
import { maxDecodedBytes, maxStateBytes, type ContentLocation } from './record.ts';
import { pack, unpack, type StoredBytes } from './stored-bytes.ts';
import { plain, replaceContent, rootOf, TooDeep } from './yjs-content.ts';

/** A change of a record's Yjs document. */
export interface YjsWork extends ContentLocation {
  /** State and log; empty for a new record. */
  readonly base: readonly StoredBytes[];
  readonly change:
    | { readonly kind: 'none' }
    /**
     * JSON in UTF-8. `clientId`: the Yjs client that replaces. Yjs merges what one client has deleted, so a new client for
     * each replacement would enlarge the state each time.
     */
    | { readonly kind: 'replace'; readonly json: Uint8Array; readonly clientId?: number }
    | { readonly kind: 'merge'; readonly update: Uint8Array };
}

/** The document after the change. */
export interface YjsResult {
  /** Null when unchanged. */
  readonly state: StoredBytes | null;
  /** JSON of the content, in UTF-8. */
  readonly decoded: Uint8Array;
}

/** Why a change is refused. */
export type YjsRefusal = 'not-valid' | 'too-large';

/** The result of a change, or why it is refused. */
export type YjsOutcome = { readonly result: YjsResult } | { readonly refused: YjsRefusal };

/**
 * Applies a change. Time and memory depend on the input: run it only in a thread or process that can be terminated.
 * Throws for content that Steward has accepted but that Yjs cannot read or change.
 */
export function runYjsWork({ base, change, ...location }: YjsWork): YjsOutcome {
  // A document that is only read needs no garbage collection. A fixed guid avoids generating a random one.
  const [only, another] = base;
  const unchanged = change.kind === 'none' && only !== undefined && another === undefined;
  const doc = new Y.Doc({ guid: 'record', gc: !unchanged });
  try {
    for (const stored of base) Y.applyUpdate(doc, unpack(stored));
    if (change.kind === 'merge' && !(applyWhole(doc, change.update) && clocksAreExact(doc))) {
      return { refused: 'not-valid' };
    }
    const root = rootOf(doc, location);
    if (change.kind === 'replace') {
      // After the base: Yjs draws another id when a base contains changes by this one.
      doc.clientID = change.clientId ?? doc.clientID;
      replaceContent(doc, root, JSON.parse(new TextDecoder().decode(change.json)));
    }
    const decoded = new TextEncoder().encode(JSON.stringify(plain(root)));
    const state = unchanged ? null : Y.encodeStateAsUpdate(doc);
    if ((state?.length ?? 0) > maxStateBytes || decoded.length > maxDecodedBytes)
      return { refused: 'too-large' };
    return { result: { state: state && pack(state), decoded } };
  } catch (error) {
    // Yjs throws various errors for invalid bytes; errors on content that Steward has accepted are internal.
    if (change.kind === 'merge' || error instanceof TooDeep) return { refused: 'not-valid' };
    throw error;
  }
}

/** Applies an update. Returns false when bytes remain: Yjs reads format 2 as an empty update with a rest. */
function applyWhole(doc: Y.Doc, update: Uint8Array): boolean {
  const decoder = { arr: update, pos: 0 };
  Y.readUpdate(decoder, doc);
  return decoder.pos === update.length;
}

/** Beyond exact integers, Yjs no longer finds its own structs, and the next change of the content fails. */
const clocksAreExact = (doc: Y.Doc): boolean =>
  [...Y.decodeStateVector(Y.encodeStateVector(doc)).values()].every((clock) => Number.isSafeInteger(clock));
