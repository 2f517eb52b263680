import type { DescribedOperation } from '../../api/llms/described-operations.ts';

/** Finds operations by words, id or path. */
export class OperationIndex {
  readonly #operations: readonly Indexed[];

  constructor(operations: readonly DescribedOperation[]) {
    this.#operations = operations.map((operation) => ({
      operation,
      name: wordsOf(`${operation.id} ${operation.path}`).join(' '),
      summary: operation.endpoint.summary.toLowerCase(),
      text: operation.text().toLowerCase(),
    }));
  }

  /** Returns the operations that match the most words, best first. A word in the name weighs more than in the text. */
  search(query: string, limit: number): readonly DescribedOperation[] {
    const words = wordsOf(query);
    return this.#operations
      .map((indexed) => ({ operation: indexed.operation, score: scoreOf(indexed, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ operation }) => operation);
  }

  /** Takes an id such as `documents.migrate`, or one of its paths. */
  named(name: string): DescribedOperation | undefined {
    const found = this.#operations.find(
      ({ operation: { id, endpoint } }) => id === name || endpoint.paths.includes(name),
    );
    return found?.operation;
  }

  /** The groups of all operations. */
  get groups(): readonly string[] {
    return [...new Set(this.#operations.map(({ operation }) => operation.group))];
  }
}

interface Indexed {
  readonly operation: DescribedOperation;
  readonly name: string;
  readonly summary: string;
  readonly text: string;
}

/** A match weighs so much that matches in names never outweigh a missing word. */
const foundWeight = 100;

function scoreOf({ operation, name, summary, text }: Indexed, words: readonly string[]): number {
  const scores = words.map((word) => {
    if (name.includes(word)) return foundWeight + 5;
    if (summary.includes(word)) return foundWeight + 2;
    return text.includes(word) ? foundWeight + 1 : 0;
  });
  const total = scores.reduce((sum, score) => sum + score, 0);
  return operation.deprecated && total > 0 ? total - foundWeight / 2 : total;
}

/** Lower case, without the plural: `userGroups` is `user` and `group`. */
const wordsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word));
