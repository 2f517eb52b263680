import { deepestFolder } from './folder-tree.ts';
import type { FolderPath } from './named-folders.ts';

interface Place {
  /** The nearest folder above that the call names too. */
  above: string | null;
  /** Folders between `above` and this one, from the top down. The call does not name them, so they stay below `above`. */
  between: readonly string[];
  readonly below: Set<string>;
  /** Levels of unnamed folders under this one, down to the next named ones. */
  readonly reach: number;
}

/**
 * The folders that a call names, cut out of the tree of their organization: enough to judge moves one after the other,
 * each seeing those before, whatever the number of folders that hang below. All ids are surrogate keys.
 */
export class MovingFolders {
  readonly #places = new Map<string, Place>();
  readonly #original: ReadonlyMap<string, readonly string[]>;

  /** `reaches`: by id, of every folder that may be moved and of the named ones below it. */
  constructor(named: readonly FolderPath[], reaches: ReadonlyMap<string, number>) {
    this.#original = new Map(named.map(({ id, ancestors }) => [id, ancestors]));
    for (const { id, ancestors } of named) {
      const at = ancestors.findLastIndex((ancestor) => this.#original.has(ancestor));
      this.#places.set(id, {
        above: ancestors[at] ?? null,
        between: ancestors.slice(at + 1),
        below: new Set(),
        reach: reaches.get(id) ?? 0,
      });
    }
    for (const [id, { above }] of this.#places) if (above !== null) this.#place(above).below.add(id);
  }

  /** Moves a folder under another, or to the top; or says why it may not go there, and leaves it where it is. */
  move(id: string, target: string | null): 'moved' | 'into-itself' | 'too-deep' {
    for (let at = target; at !== null; at = this.#place(at).above) if (at === id) return 'into-itself';
    if (this.#depth(target) + 1 + this.#height(id) > deepestFolder) return 'too-deep';
    const place = this.#place(id);
    if (place.above !== null) this.#place(place.above).below.delete(id);
    if (target !== null) this.#place(target).below.add(id);
    place.above = target;
    place.between = [];
    return 'moved';
  }

  /** New ancestors, by id, of the named folders that have others than before. */
  changed(): ReadonlyMap<string, readonly string[]> {
    const changed = new Map<string, readonly string[]>();
    for (const [id, before] of this.#original) {
      const after = this.#ancestors(id);
      if (after.join() !== before.join()) changed.set(id, after);
    }
    return changed;
  }

  #ancestors(id: string): string[] {
    const { above, between } = this.#place(id);
    return above === null ? [...between] : [...this.#ancestors(above), above, ...between];
  }

  #depth(id: string | null): number {
    return id === null ? 0 : this.#ancestors(id).length + 1;
  }

  /** Levels below a folder. */
  #height(id: string): number {
    const { below, reach } = this.#place(id);
    return Math.max(
      reach,
      ...[...below].map((child) => this.#place(child).between.length + 1 + this.#height(child)),
    );
  }

  #place(id: string): Place {
    const place = this.#places.get(id);
    if (place === undefined) throw new Error(`Folder ${id} is not among those that the call names.`);
    return place;
  }
}
