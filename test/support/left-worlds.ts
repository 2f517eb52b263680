import type { TestApi } from './api.ts';
import { aWorld, type World } from './world.ts';

/** What a walk runs last: what ends the credentials or the records that other operations need. */
const order = [
  /\/(?:delete|remove|disable|revoke|cancel)$/,
  /organizations\/delete$/,
  /\/reset$/,
  /^\/v2\/operator\//,
];
const rankOf = (path: string): number => order.findLastIndex((form) => form.test(path));

/** The cases of a walk in the order in which a world serves most of them. */
export function destructiveLast<Case extends { readonly path: string }>(
  cases: readonly Case[],
): readonly Case[] {
  return cases.toSorted((a, b) => rankOf(a.path) - rankOf(b.path));
}

/**
 * Runs each check of a walk in the world that the one before left, and once more in a fresh one if it fails there: about
 * 40 calls make a world. A check must fail in a world in which it would prove less.
 */
export function inLeftWorlds(api: TestApi) {
  let left: Promise<World> | undefined;
  return async (check: (world: World) => Promise<void>): Promise<void> => {
    if (left !== undefined) {
      try {
        await check(await left);
        return;
      } catch {
        // What an operation before it has changed does not fit it, or it has failed: the fresh world shows which.
      }
    }
    left = aWorld(api);
    await check(await left);
  };
}
