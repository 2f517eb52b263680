import * as Y from 'yjs';

/** A number as Yjs writes it. */
export function varuint(number: number): number[] {
  const bytes: number[] = [];
  let rest = number;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push(128 | (rest % 128));
  return [...bytes, rest];
}

/** A short text as Yjs writes it. */
export const text = (content: string): number[] => [...varuint(content.length), ...Buffer.from(content)];

/** The head of a struct below `content`: its kind of content, and no neighbors. */
const below = (kind: number): number[] => [kind, 1, ...text('content')];

const largest = Number.MAX_SAFE_INTEGER;

/** Updates that Yjs cannot read to their end, or could not change later. */
export const invalidUpdates: readonly [what: string, update: readonly number[]][] = [
  ['a single byte', [0]],
  ['an empty update with a rest', [0, 0, 1, 2, 3]],
  ['format 2', [...Y.encodeStateAsUpdateV2(withText())]],
  ['2^31 declared structs', [1, ...varuint(2 ** 31), 1, 0]],
  ['2^53 declared structs', [1, ...varuint(largest), 1, 0]],
  ['2^31 declared clients', [...varuint(2 ** 31), 0]],
  ['2^31 declared clients of deletions', [0, ...varuint(2 ** 31), 1]],
  ['2^31 declared deletions', [0, 1, 5, ...varuint(2 ** 31), 0, 1]],
  ['2^31 declared values', [1, 1, 5, 0, ...below(8), ...varuint(2 ** 31), 125, 1]],
  ['an array of 2^31 declared items', [1, 1, 5, 0, ...below(8), 1, 117, ...varuint(2 ** 31), 126, 0]],
  [
    'arrays in 500,000 levels',
    [1, 1, 5, 0, ...below(8), 1, ...Array.from({ length: 500_000 }, () => [117, 1]).flat(), 126, 0],
  ],
  ['a truncated text', [...Y.encodeStateAsUpdate(withText())].slice(0, 30)],
  ['clocks beyond exact integers', [1, 2, 5, 0, 0, ...varuint(largest - 1), ...below(4), ...text('abc'), 0]],
];

/** Updates of few bytes with huge numbers, that are valid nevertheless. */
export const hugeUpdates: readonly [what: string, update: readonly number[]][] = [
  ['a struct at the largest clock', [1, 1, 5, ...varuint(largest), ...below(4), ...text('abc'), 0]],
  ['a deletion of 2^53 elements', [0, 1, 5, 1, 0, ...varuint(largest)]],
  ['deleted content of 2^53 elements', [1, 1, 5, 0, ...below(1), ...varuint(largest - 9), 0]],
];

function withText(): Y.Doc {
  const doc = new Y.Doc();
  doc.getText('content').insert(0, 'hello '.repeat(20));
  return doc;
}

/** 500 kB of `xmltext` whose decoded text is 200 MB: V8 ends the process that makes it within its heap limit. */
export function longAttributes(): Uint8Array {
  const segments = 450;
  const doc = new Y.Doc();
  const root = doc.get('content', Y.XmlText);
  doc.transact(() => {
    root.insert(0, 'a'.repeat(segments * 2));
    root.format(0, segments * 2, { x: { v: 'y'.repeat(450_000) } });
    for (let segment = 0; segment < segments; segment += 1) root.format(segment * 2, 1, { b: {} });
  });
  return Y.encodeStateAsUpdate(doc);
}
