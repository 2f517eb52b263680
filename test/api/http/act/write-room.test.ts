import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { WriteRoom } from '../../../../api/http/act/write-room.ts';
import type { RequestContext } from '../../../../api/http/middleware/state.ts';
import { ReadBudget } from '../../../../api/http/response/read-budget.ts';
import { endHandling } from '../../../../api/http/response/streaming-writer.ts';

const body = 'x'.repeat(100_000);
const limits = { totalBytes: 300_000, ownerBytes: 150_000, reserveBytes: 0, waitMs: 20 };

/** A room of one key, and the end of its call. */
function aRoom(budget: ReadBudget, beforeRepeat: () => void = () => undefined) {
  const response = Object.assign(new EventEmitter(), { closed: false, socket: {} });
  const context = { res: response, state: {} } as unknown as RequestContext;
  const end = (): void => {
    endHandling(context);
    response.emit('close');
  };
  return { room: new WriteRoom(budget, { owner: 'key', context, beforeRepeat }), end };
}

/** Runs a transaction whose response needs room, and returns how often it ran. */
async function runsOf(room: WriteRoom): Promise<number> {
  let runs = 0;
  await room.within(async () => {
    runs += 1;
    room.admit(body);
  });
  return runs;
}

describe('the room of a write', () => {
  it('is taken before the commit and held until the response has been sent', async () => {
    const budget = new ReadBudget(limits);
    const { room, end } = aRoom(budget);
    expect(await runsOf(room)).toBe(1);
    room.keep(body);
    expect(budget.heldBytes).toBe(100_000);
    end();
    expect(budget.heldBytes).toBe(0);
  });

  it('lets a write run again once there is room', async () => {
    const budget = new ReadBudget({ ...limits, waitMs: 60_000 });
    const first = aRoom(budget);
    await runsOf(first.room);
    const second = runsOf(aRoom(budget).room);
    setImmediate(() => first.end());
    expect(await second).toBe(2);
  });

  it('refuses a write that gets no room, and one that must no longer act', async () => {
    const budget = new ReadBudget(limits);
    const first = aRoom(budget);
    await runsOf(first.room);
    await expect(runsOf(aRoom(budget).room)).rejects.toMatchObject({
      status: 'UNAVAILABLE',
      headers: { 'Retry-After': '5' },
      refusal: 'read_budget',
    });
    const late = aRoom(budget, () => {
      throw new Error('late');
    });
    const second = runsOf(late.room);
    first.end();
    await expect(second).rejects.toThrow('late');
    late.room.close();
    expect(budget.heldBytes).toBe(0);
  });

  it('is not needed by a small response', () => {
    const budget = new ReadBudget(limits);
    const { room } = aRoom(budget);
    room.admit('x'.repeat(65_536));
    room.keep('x'.repeat(65_536));
    expect(budget.heldBytes).toBe(0);
  });
});
