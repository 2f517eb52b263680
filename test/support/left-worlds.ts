import type { TestApi } from './api.ts';
import { aWorld, type World } from './world.ts';

/** Operations that a test of all operations runs last, because they end credentials or records that others need. */
const order = [
  /\/(?:delete|remove|disable|revoke|cancel)$/,
  /organizations\/delete$/,
  /\/reset$/,
  /^\/v2\/operator\//,
];
const rankOf = (path: string): number => order.findLastIndex((form) => form.test(path));

/** Returns the cases in the order in which one world serves most of them. */
export function destructiveLast<Case extends { readonly path: string }>(
  cases: readonly Case[],
): readonly Case[] {
  return cases.toSorted((a, b) => rankOf(a.path) - rankOf(b.path));
}

/**
 * Runs each check in the world that the previous one left, because a world costs about 40 calls. Runs it again in a new
 * world when it fails. A check must fail in a world in which it would prove less.
 */
export function inLeftWorlds(api: TestApi) {
  let left: Promise<World> | undefined;
  return async (check: (world: World) => Promise<void>): Promise<void> => {
    if (left !== undefined) {
      try {
        await check(await left);
        return;
      } catch {
        // Either a previous operation changed its records or the check has failed. A new world shows which.
      }
    }
    left = aWorld(api);
    await check(await left);
  };
}
