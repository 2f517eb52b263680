import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { inAnOrganization, type FolderResponse, type FolderCalls } from '../api/folder-calls.ts';
import { casesOf } from '../support/tier.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

const deepest = 64;

/** Reference model of the same rules: only parents by id. */
class Model {
  readonly parents = new Map<string, string>();

  above(id: string): string[] {
    const parent = this.parents.get(id) ?? 'root';
    return parent === 'root' ? [] : [...this.above(parent), parent];
  }

  below(id: string): string[] {
    const children = [...this.parents].filter(([, parent]) => parent === id).map(([child]) => child);
    return children.flatMap((child) => [child, ...this.below(child)]);
  }

  depth(id: string): number {
    return id === 'root' ? 0 : this.above(id).length + 1;
  }

  exists(id: string): boolean {
    return id === 'root' || this.parents.has(id);
  }

  add(items: readonly Request[]): Record<string, string> {
    const before = new Set(this.parents.keys());
    const outcomes = new Map<string, string>();
    let waiting = items.filter(([id]) => !before.has(id));
    for (let placed = 1; placed > 0;) {
      const ready = waiting.filter(([, parent]) => this.exists(parent));
      waiting = waiting.filter((item) => !ready.includes(item));
      placed = ready.length;
      for (const [id, parent] of ready) {
        const fits = this.depth(parent) < deepest;
        if (fits) this.parents.set(id, parent);
        outcomes.set(id, fits ? 'ok' : 'failed-precondition');
      }
    }
    return Object.fromEntries(
      items.map(([id]) => [id, before.has(id) ? 'already-exists' : (outcomes.get(id) ?? 'not-found')]),
    );
  }

  move(items: readonly Request[]): Record<string, string> {
    return Object.fromEntries(items.map(([id, parent]) => [id, this.moveOne(id, parent)]));
  }

  private moveOne(id: string, parent: string): string {
    if (!this.parents.has(id) || !this.exists(parent)) return 'not-found';
    const below = this.below(id);
    if (parent === id || below.includes(parent)) return 'failed-precondition';
    const height = Math.max(0, ...below.map((folder) => this.depth(folder) - this.depth(id)));
    if (this.depth(parent) + 1 + height > deepest) return 'failed-precondition';
    this.parents.set(id, parent);
    return 'ok';
  }

  delete(id: string): string {
    if (!this.parents.has(id)) return 'NOT_FOUND';
    for (const folder of [...this.below(id), id]) this.parents.delete(folder);
    return 'ok';
  }

  listed(): Record<string, readonly string[]> {
    const ids = [...this.parents.keys()].toSorted();
    return Object.fromEntries(ids.map((id) => [id, ['root', ...this.above(id)]]));
  }
}

type Request = readonly [folderId: string, parentFolderId: string];
type Step =
  | { readonly kind: 'add' | 'move'; readonly items: readonly Request[] }
  | { readonly kind: 'delete'; readonly id: string };

/** Few ids, so that operations collide; `long` is a chain of 30, so that three of them exceed the max depth. */
const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const long = (prefix: string): Request[] =>
  Array.from({ length: 30 }, (_, n) => [
    `${prefix}${String(n).padStart(2, '0')}`,
    n === 0 ? 'root' : `${prefix}${String(n - 1).padStart(2, '0')}`,
  ]);
const chains = ['x', 'y', 'z'].flatMap((prefix) => long(prefix));
const anId = fc.constantFrom(...ids, 'x00', 'x15', 'x29', 'y00', 'y14', 'y29', 'z00', 'z29');
const items = fc.uniqueArray(fc.tuple(anId, fc.oneof(anId, fc.constant('root'))), {
  selector: ([id]) => id,
  minLength: 1,
  maxLength: 8,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), items }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('move' as const), items }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), id: anId }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'add' as const, items: chains }) },
);

const codes = (data: Readonly<Record<string, { success: boolean; code?: string }>>) =>
  Object.fromEntries(Object.entries(data).map(([id, { success, code }]) => [id, success ? 'ok' : code]));

async function take(folders: FolderCalls, { kind, ...request }: Step): Promise<unknown> {
  if ('id' in request) {
    const response = await tenant.call('/v2/organizations/folders/delete', {
      organizationId: folders.organizationId,
      folderId: request.id,
    });
    return response.body.error?.status ?? 'ok';
  }
  const sent = request.items.map(([folderId, parentFolderId]) => ({ folderId, parentFolderId }));
  return codes((await (kind === 'add' ? folders.add(sent) : folders.update(sent))).data);
}

function expected(model: Model, requested: Step): unknown {
  if (requested.kind === 'delete') return model.delete(requested.id);
  return requested.kind === 'add' ? model.add(requested.items) : model.move(requested.items);
}

/** Ancestors by id from the nested response. */
const flat = (folders: readonly FolderResponse[]): [string, readonly string[]][] =>
  folders.flatMap(({ folderId, ancestors, subFolders }) => [
    [folderId, ancestors],
    ...flat(subFolders ?? []),
  ]);

describe('folders', () => {
  it('match the reference model after any adds, moves and deletions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const folders = await inAnOrganization(tenant);
        const model = new Model();
        for (const requested of [{ kind: 'add', items: chains } as const, ...steps]) {
          expect(await take(folders, requested)).toEqual(expected(model, requested));
          const listed = await folders.get();
          expect(Object.fromEntries(listed.map(({ folderId, ancestors }) => [folderId, ancestors]))).toEqual(
            model.listed(),
          );
        }
        const nested = flat(await folders.get({ folderId: 'root', maxDepth: 64 }));
        expect(Object.fromEntries(nested)).toEqual(model.listed());
      }),
      { numRuns: casesOf(25), endOnFailure: true },
    );
  });
});
