import { required } from '../../platform/process/required.ts';
import { maxFolderDepth } from './folder-tree.ts';
import type { FolderPath } from './named-folders.ts';

interface Node {
  /** The nearest ancestor that the call also names. */
  above: string | null;
  /** Folders between `above` and this one, top down. The call does not name them, so they stay below `above`. */
  between: readonly string[];
  readonly below: Set<string>;
  /** Levels of unnamed folders below this one, down to the next named ones. */
  readonly reach: number;
}

/**
 * In-memory tree of the folders that a call names, to validate its moves in order, each after the previous ones. Its size
 * does not depend on the number of folders below. All ids are surrogate keys.
 */
export class MovingFolders {
  readonly #nodes = new Map<string, Node>();
  readonly #original: ReadonlyMap<string, readonly string[]>;

  /** `reaches` holds, by id, the `reach` of each folder to move and of the named folders below it. */
  constructor(named: readonly FolderPath[], reaches: ReadonlyMap<string, number>) {
    this.#original = new Map(named.map(({ id, ancestors }) => [id, ancestors]));
    for (const { id, ancestors } of named) {
      const at = ancestors.findLastIndex((ancestor) => this.#original.has(ancestor));
      this.#nodes.set(id, {
        above: ancestors[at] ?? null,
        between: ancestors.slice(at + 1),
        below: new Set(),
        reach: reaches.get(id) ?? 0,
      });
    }
    for (const [id, { above }] of this.#nodes) if (above !== null) this.#node(above).below.add(id);
  }

  /**
   * Moves a folder below another, or to the top level with null. Returns the reason if the move is invalid, and then
   * changes nothing.
   */
  move(id: string, target: string | null): 'moved' | 'into-itself' | 'too-deep' {
    for (let at = target; at !== null; at = this.#node(at).above) if (at === id) return 'into-itself';
    if (this.#depth(target) + 1 + this.#height(id) > maxFolderDepth) return 'too-deep';
    const node = this.#node(id);
    if (node.above !== null) this.#node(node.above).below.delete(id);
    if (target !== null) this.#node(target).below.add(id);
    node.above = target;
    node.between = [];
    return 'moved';
  }

  /** New ancestors, by id, of the named folders whose ancestors changed. */
  changed(): ReadonlyMap<string, readonly string[]> {
    const changed = new Map<string, readonly string[]>();
    for (const [id, before] of this.#original) {
      const after = this.#ancestors(id);
      if (after.join() !== before.join()) changed.set(id, after);
    }
    return changed;
  }

  #ancestors(id: string): string[] {
    const { above, between } = this.#node(id);
    return above === null ? [...between] : [...this.#ancestors(above), above, ...between];
  }

  #depth(id: string | null): number {
    return id === null ? 0 : this.#ancestors(id).length + 1;
  }

  /** Levels below a folder. */
  #height(id: string): number {
    const { below, reach } = this.#node(id);
    return Math.max(
      reach,
      ...[...below].map((child) => this.#node(child).between.length + 1 + this.#height(child)),
    );
  }

  #node(id: string): Node {
    return required(this.#nodes.get(id), 'node of a folder of the request');
  }
}
