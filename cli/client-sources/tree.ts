import type { ClientOperation } from './operations.ts';

/** Operations by the segments of their ids. */
interface Tree {
  readonly [name: string]: Tree | ClientOperation;
}

function treeOf(operations: readonly ClientOperation[]): Tree {
  const tree: Record<string, unknown> = {};
  for (const operation of operations) {
    const names = operation.id.split('.');
    const verb = names.pop() ?? '';
    let parent = tree;
    for (const name of names) parent = (parent[name] ??= {}) as Record<string, unknown>;
    parent[verb] = operation;
  }
  return tree as Tree;
}

const isOperation = (part: Tree | ClientOperation): part is ClientOperation => typeof part['id'] === 'string';

/** Writes operations as nested braces: `branch` begins the member of a resource, `leaf` is the member of an operation. */
export function treeText(
  operations: readonly ClientOperation[],
  branch: (name: string) => string,
  leaf: (verb: string, operation: ClientOperation) => string,
): string {
  const text = (tree: Tree): string => {
    const members = Object.entries(tree).map(([name, part]) =>
      isOperation(part) ? leaf(name, part) : `${branch(name)}: ${text(part)}`,
    );
    return `{\n${members.join(',\n')}\n}`;
  };
  return text(treeOf(operations));
}
