import { describe, expect, it } from '@jest/globals';
import { createAndLock } from '../../domain/create-and-lock.ts';

describe('a row that a deletion removes between its creation and its lock', () => {
  const removed = async (times: number) => {
    let [created, locked] = [0, 0];
    const row = createAndLock(
      async () => {
        created += 1;
        await Promise.resolve();
      },
      async () => {
        locked += 1;
        return Promise.resolve(locked > times ? 'row' : undefined);
      },
    );
    return { row, created: () => created };
  };

  it('is created again', async () => {
    const { row, created } = await removed(2);
    expect([await row, created()]).toEqual(['row', 3]);
  });

  it('is given up with ABORTED after three rounds', async () => {
    const { row, created } = await removed(3);
    await expect(row).rejects.toMatchObject({ status: 'ABORTED' });
    expect(created()).toBe(3);
  });
});
