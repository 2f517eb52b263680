import { describe, expect, it } from '@jest/globals';
import { CheckRoom } from '../../../domain/permissions/provider/check-room.ts';
import type { CachedRow } from '../../../domain/permissions/provider/cached-responses.ts';

const row = { user_ext: 'u', ext_id: 'd', org_ext_id: 'o'.repeat(1_000) } as CachedRow;
const checks = (count: number): CachedRow[] => Array.from({ length: count }, () => row);

/** Holds room until `end` is called. */
async function held(room: CheckRoom, key: string, count: number): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const holding = room.holding(key, checks(count), async () => promise);
  // A refusal comes at once.
  await Promise.race([holding, Promise.resolve()]);
  return async () => {
    resolve(undefined);
    await holding;
  };
}

const isRefused = expect.objectContaining({ status: 'UNAVAILABLE' }) as unknown;
const refusal = async (room: CheckRoom, key: string, count: number): Promise<unknown> =>
  room.holding(key, checks(count), async () => undefined).catch((error: unknown) => error);

describe('the checks that wait for permission providers', () => {
  it('are none of a call whose decisions are all cached, which needs no room', async () => {
    const room = new CheckRoom();
    const end = await held(room, 'one', 20_000);
    expect(await refusal(room, 'one', 1)).toEqual(isRefused);
    expect(await refusal(room, 'one', 0)).toBeUndefined();
    await end();
  });

  it('of one key are limited, and leave room to other keys', async () => {
    const room = new CheckRoom();
    const ends: (() => Promise<void>)[] = [];
    for (let call = 0; call < 18; call += 1) ends.push(await held(room, 'one', 300));
    expect(await refusal(room, 'one', 300)).toEqual(isRefused);
    expect(await refusal(room, 'other', 10_000)).toBeUndefined();
    await ends[0]?.();
    expect(await refusal(room, 'one', 300)).toBeUndefined();
    for (const end of ends.slice(1)) await end();
  });

  it('of many keys are limited, and leave room to small calls', async () => {
    const room = new CheckRoom();
    const ends = [await held(room, 'a', 10_000), await held(room, 'b', 10_000)];
    expect(await refusal(room, 'c', 10_000)).toEqual(isRefused);
    ends.push(await held(room, 'c', 7_000));
    expect(await refusal(room, 'd', 1_000)).toEqual(isRefused);
    expect(await refusal(room, 'd', 100)).toBeUndefined();
    for (const end of ends) await end();
    expect(await refusal(room, 'c', 10_000)).toBeUndefined();
  });

  it('return their room after a failure', async () => {
    const room = new CheckRoom();
    for (let call = 0; call < 10; call += 1)
      await expect(
        room.holding('a', checks(10_000), async () => Promise.reject(new Error('It failed.'))),
      ).rejects.toThrow('It failed.');
  });
});
