import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ReadBudget } from '../../../../api/http/response/read-budget.ts';

const limits = { totalBytes: 100, ownerBytes: 60, reserveBytes: 20, waitMs: 20 };

describe('the read budget', () => {
  it('reserves bytes, queues reads in order, and refuses with UNAVAILABLE and Retry-After', async () => {
    const budget = new ReadBudget(limits);
    const first = budget.chargeOf('a');
    await first.reserve(60);
    const order: string[] = [];
    const second = budget.chargeOf('a');
    const third = budget.chargeOf('a');
    const waiting = [
      second.reserve(50).then(() => order.push('second')),
      third.reserve(10).then(() => order.push('third')),
    ];
    first.keep(0);
    await Promise.all(waiting);
    expect(order).toEqual(['second', 'third']);
    await expect(first.reserve(40)).rejects.toMatchObject({
      status: 'UNAVAILABLE',
      headers: { 'Retry-After': '5' },
    });
  });

  it('admits small reads of keys that hold nothing while others hold everything', async () => {
    const budget = new ReadBudget(limits);
    await budget.chargeOf('a').reserve(60);
    await budget.chargeOf('b').reserve(40);
    await budget.chargeOf('c').reserve(10);
    expect(budget.heldBytes).toBe(110);
  });

  it('admits a response only while it fits, without a wait', async () => {
    const budget = new ReadBudget(limits);
    const first = budget.chargeOf('a');
    expect([first.tryReserve(40), first.tryReserve(50), budget.heldBytes]).toEqual([true, true, 50]);
    const second = budget.chargeOf('a');
    expect([second.tryReserve(20), budget.heldBytes]).toEqual([false, 50]);
    const waiting = second.reserve(20);
    // A key that holds nothing may go first, as for reads; one that holds bytes may not.
    expect(budget.chargeOf('b').tryReserve(20)).toBe(true);
    expect(budget.chargeOf('b').tryReserve(5)).toBe(false);
    first.close();
    await waiting;
    expect(budget.heldBytes).toBe(40);
  });

  it('admits a response beyond the limit of a key when the key holds nothing else', () => {
    const budget = new ReadBudget(limits);
    const charge = budget.chargeOf('a');
    expect([charge.tryReserve(70), budget.heldBytes]).toEqual([true, 70]);
    expect(budget.chargeOf('a').tryReserve(1)).toBe(false);
    charge.close();
    expect([charge.tryReserve(10), budget.heldBytes]).toEqual([true, 0]);
  });

  it('is short after a wait for other keys, not after one for the own limit of a key', async () => {
    const budget = new ReadBudget(limits);
    const [first, second, other] = [budget.chargeOf('a'), budget.chargeOf('a'), budget.chargeOf('b')];
    await first.reserve(60);
    const waiting = second.reserve(10);
    // It does not wait, although a read of another key does.
    await other.reserve(60);
    expect(budget.isShort()).toBe(false);
    first.close();
    await waiting;
    expect(budget.isShort()).toBe(false);
    const third = budget.chargeOf('c').reserve(60);
    expect(budget.isShort()).toBe(true);
    other.close();
    await third;
    expect(budget.isShort()).toBe(true);
  });

  it('holds no bytes once every response has closed, in any order of reads, waits and closes', async () => {
    const step = fc.record({
      response: fc.nat(7),
      act: fc.constantFrom('reserve', 'tryReserve', 'keep', 'close'),
      bytes: fc.nat(80),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const budget = new ReadBudget({ ...limits, waitMs: 1 });
        const charges = Array.from({ length: 8 }, (_, number) =>
          budget.chargeOf(`key-${String(number % 3)}`),
        );
        const acts: Promise<unknown>[] = [];
        for (const { response, act, bytes } of steps) {
          if (act === 'reserve')
            acts.push((charges[response]?.reserve(bytes) ?? Promise.resolve()).catch(() => undefined));
          else if (act === 'tryReserve') charges[response]?.tryReserve(bytes);
          else if (act === 'keep') charges[response]?.keep(bytes);
          else charges[response]?.close();
          await Promise.resolve();
        }
        for (const charge of charges) charge.close();
        await Promise.all(acts);
        expect(budget.heldBytes).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});
