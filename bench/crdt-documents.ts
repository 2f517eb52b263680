import * as Y from 'yjs';
import { oneOf, seededRandom } from './random.ts';

/** A Yjs document as an editor stores it: merged update bytes. */
export interface YjsDocument {
  readonly name: string;
  readonly type: 'array' | 'text';
  readonly contentKey: string;
  readonly update: Uint8Array;
}

const contentKey = 'content';
const words = ['paragraph', 'another', 'look', 'quarterly', 'plan', 'could', 'you', 'have', 'this', 'at'];

/** Returns the document of a block editor: an array of maps with a text each, about 100 kB. */
export function blocks(): YjsDocument {
  const random = seededRandom(11);
  const doc = new Y.Doc();
  const array = doc.getArray<Y.Map<unknown>>(contentKey);
  for (let n = 0; n < 420; n += 1) {
    const block = new Y.Map<unknown>();
    block.set('id', `block-${String(n)}`);
    block.set('kind', n % 10 === 0 ? 'heading' : 'paragraph');
    block.set('text', new Y.Text(sentence(random, 25)));
    array.push([block]);
  }
  return { name: 'blocks', type: 'array', contentKey, update: Y.encodeStateAsUpdate(doc) };
}

/** Returns a text that five people typed word by word at random positions, with a fifth deleted; about 100 kB. */
export function typed(): YjsDocument {
  const random = seededRandom(12);
  const authors = Array.from({ length: 5 }, () => new Y.Doc());
  for (let n = 0; n < 4_000; n += 1) {
    const doc = oneOf(authors, random);
    const text = doc.getText(contentKey);
    const at = Math.floor(random() * text.length);
    if (random() < 0.2 && text.length > 20) text.delete(Math.min(at, text.length - 8), 8);
    else text.insert(at, `${oneOf(words, random)} `);
    if (n % 100 === 0) exchange(authors);
  }
  exchange(authors);
  const [one] = authors;
  if (one === undefined) throw new Error('The document has no text.');
  return { name: 'typed text', type: 'text', contentKey, update: Y.encodeStateAsUpdate(one) };
}

function exchange(authors: readonly Y.Doc[]): void {
  const all = Y.mergeUpdates(authors.map((doc) => Y.encodeStateAsUpdate(doc)));
  for (const doc of authors) Y.applyUpdate(doc, all);
}

const sentence = (random: () => number, length: number): string =>
  Array.from({ length }, () => oneOf(words, random)).join(' ');

/** Reads a document with Yjs alone: decodes it and returns its content as JSON. */
export function decode({ type, contentKey: key, update }: YjsDocument): string {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, update);
  const root = type === 'array' ? doc.getArray(key) : doc.getText(key);
  return JSON.stringify(root.toJSON());
}
