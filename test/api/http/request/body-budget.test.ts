import * as fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { BodyBudget, type BodyCharge } from '../../../../api/http/request/body-budget.ts';
import { casesOf } from '../../../support/tier.ts';

const kibibyte = 1_024;
const mebibyte = 1_048_576;
const limits = { bytes: 64 * mebibyte, maxBodyBytes: 10 * mebibyte, maxWaitMs: 60_000 };

const unavailable = {
  status: 'UNAVAILABLE',
  httpStatus: 503,
  headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
};

/** Charges a whole body that arrived at once. */
function held(budget: BodyBudget, owner: string, bytes: number): BodyCharge {
  const charge = budget.open(owner);
  expect(charge.take(bytes, 0)).toBeUndefined();
  return charge;
}

/** A body of 1 MiB would wait. */
function expectNoRoom(budget: BodyBudget, owner: string): void {
  const charge = budget.open(owner);
  const room = charge.take(mebibyte, 0);
  expect(room).toBeInstanceOf(Promise);
  room?.catch(() => undefined);
  charge.release();
}

describe('the body budget', () => {
  it('charges bytes that have arrived, not declared ones', () => {
    const budget = new BodyBudget(limits);
    const charges = Array.from({ length: 300 }, () => budget.open('a'));
    for (const charge of charges.slice(0, 20)) void charge.take(100 * kibibyte, 9 * mebibyte);
    expect(budget.takenBytes).toBe(20 * 100 * kibibyte);
    for (const charge of charges) charge.release();
    expect(budget.takenBytes).toBe(0);
  });

  it('limits one owner to a quarter and leaves the rest to others', async () => {
    const budget = new BodyBudget(limits);
    const full = [held(budget, 'a', 10 * mebibyte), held(budget, 'a', 4 * mebibyte)];
    const waiting = budget.open('a');
    const room = waiting.take(mebibyte, 0);
    expect(room).toBeInstanceOf(Promise);
    const other = held(budget, 'b', 10 * mebibyte);
    full[0]?.release();
    await room;
    for (const charge of [...full, waiting, other]) charge.release();
    expect(budget.takenBytes).toBe(0);
  });

  it('keeps room for small bodies of an owner whose large bodies wait', () => {
    const budget = new BodyBudget(limits);
    held(budget, 'a', 10 * mebibyte);
    held(budget, 'a', 4 * mebibyte);
    expectNoRoom(budget, 'a');
    expect(budget.open('a').take(kibibyte, 63 * kibibyte)).toBeUndefined();
    // A small body is charged whole at its first byte, so it never waits midway.
    expect(budget.takenBytes).toBe(14 * mebibyte + 64 * kibibyte);
  });

  it('keeps room for small bodies of all owners while large ones of four owners wait', () => {
    const budget = new BodyBudget(limits);
    for (const owner of ['a', 'b', 'c', 'd']) {
      held(budget, owner, 10 * mebibyte);
      held(budget, owner, 4 * mebibyte);
    }
    expectNoRoom(budget, 'e');
    held(budget, 'e', 64 * kibibyte);
  });

  it('refuses with UNAVAILABLE and Retry-After a body that found no room in time', async () => {
    const budget = new BodyBudget({ ...limits, maxWaitMs: 1 });
    held(budget, 'a', 14 * mebibyte);
    const late = budget.open('a');
    await expect(late.take(mebibyte, 0)).rejects.toMatchObject(unavailable);
    late.release();
    expect(budget.takenBytes).toBe(14 * mebibyte);
  });

  it('immediately refuses a body beyond the limit of its owner', () => {
    const budget = new BodyBudget({ ...limits, bytes: 4 * mebibyte });
    const charge = budget.open('a');
    expect(() => charge.take(mebibyte, 0)).toThrow(expect.objectContaining(unavailable));
    charge.release();
  });

  it('admits in order of arrival, so that smaller bodies do not overtake a large one', async () => {
    const budget = new BodyBudget(limits);
    const first = held(budget, 'a', 7 * mebibyte);
    const second = held(budget, 'a', 7 * mebibyte);
    const large = budget.open('a');
    const roomOfLarge = large.take(10 * mebibyte, 0);
    const next = budget.open('a');
    const roomOfNext = next.take(mebibyte, 0);
    first.release();
    // Makes room for `next`.
    expect(next.held).toBe(0);
    second.release();
    await Promise.all([roomOfLarge, roomOfNext]);
    expect(budget.takenBytes).toBe(11 * mebibyte);
  });

  it('admits the next body when one that waited before it is released', async () => {
    const budget = new BodyBudget(limits);
    held(budget, 'a', 7 * mebibyte);
    const large = budget.open('a');
    const refused = expect(large.take(10 * mebibyte, 0)).rejects.toMatchObject(unavailable);
    const next = budget.open('a');
    const room = next.take(mebibyte, 5 * mebibyte);
    large.release();
    await room;
    await refused;
  });
});

describe('bodies that wait', () => {
  const waiting = (budget: BodyBudget, owner: string): boolean => {
    try {
      budget
        .open(owner)
        .take(64 * kibibyte, 10 * mebibyte - 64 * kibibyte)
        ?.catch(() => undefined);
      return true;
    } catch (error) {
      expect(error).toMatchObject(unavailable);
      return false;
    }
  };
  const countWaiting = (budget: BodyBudget, owner: string): number => {
    let count = 0;
    while (waiting(budget, owner)) count += 1;
    return count;
  };

  it('hold at most 32 MiB of one owner and 64 MiB of all, and further ones are refused at once', () => {
    const budget = new BodyBudget({ ...limits, maxWaitMs: 500 });
    for (const owner of ['a', 'b', 'c', 'd']) held(budget, owner, 14 * mebibyte);
    // Each has a chunk of 64 KiB, and Node buffers up to 128 KiB.
    expect(countWaiting(budget, 'a')).toBe(170);
    expect(countWaiting(budget, 'b')).toBe(170);
    expect(countWaiting(budget, 'c')).toBe(1);
  });

  it('make room for others once they are released', () => {
    const budget = new BodyBudget({ ...limits, maxWaitMs: 500 });
    held(budget, 'a', 14 * mebibyte);
    const charge = budget.open('a');
    charge.take(64 * kibibyte, 10 * mebibyte)?.catch(() => undefined);
    expect(countWaiting(budget, 'a')).toBe(169);
    charge.release();
    expect(countWaiting(budget, 'a')).toBe(1);
  });

  it('are admitted in turns of their owners', async () => {
    const budget = new BodyBudget({ ...limits, bytes: 40 * mebibyte, maxBodyBytes: mebibyte });
    const full = ['a', 'b', 'c', 'd'].map((owner) => held(budget, owner, 8 * mebibyte));
    held(budget, 'g', 2_900 * kibibyte);
    const admitted: string[] = [];
    const rooms = ['e', 'e', 'f'].map(async (owner, index) => {
      await budget.open(owner).take(3 * mebibyte, 0);
      admitted.push(`${owner}${String(index)}`);
    });
    full[0]?.release();
    await Promise.all([rooms[0], rooms[2]]);
    expect(admitted).toEqual(['e0', 'f2']);
    full[1]?.release();
    await rooms[1];
  });

  it('cost no walk over all others when one more arrives, or its time is over', async () => {
    const budget = new BodyBudget({ ...limits, maxWaitMs: 50 });
    for (const size of [7, 7]) held(budget, 'a', size * mebibyte);
    let looks = 0;
    const charges = Array.from({ length: 500 }, () => {
      const charge = budget.open('a');
      const { pool } = charge;
      Object.defineProperty(charge, 'pool', { get: () => ((looks += 1), pool) });
      return charge;
    });
    const rooms = charges.map(async (charge) => charge.take(1, 64 * kibibyte));
    await Promise.allSettled(rooms);
    expect(looks).toBeLessThan(60 * charges.length);
  });
});

type Step = readonly ['begin', owner: number, bytes: number] | readonly ['arrive' | 'abort', body: number];

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(
    fc.constant('begin' as const),
    fc.nat(5),
    fc.oneof(fc.integer({ min: 1, max: 10 * mebibyte }), fc.integer({ min: 1, max: 70_000 })),
  ),
  { weight: 6, arbitrary: fc.tuple(fc.constant('arrive' as const), fc.nat(200)) },
  fc.tuple(fc.constant('abort' as const), fc.nat(200)),
);

/** A body of the schedule, whose chunks arrive like those of a socket. */
interface Body {
  readonly owner: number;
  readonly charge: BodyCharge;
  left: number;
  held: number;
  waits: boolean;
}

class Schedule {
  readonly budget = new BodyBudget(limits);
  bodies: Body[] = [];

  run(step: Step): void {
    if (step[0] === 'begin') {
      const charge = this.budget.open(String(step[1]));
      this.bodies.push({ owner: step[1], charge, left: step[2], held: 0, waits: false });
    } else if (this.bodies.length > 0) {
      const body = this.bodies[step[1] % this.bodies.length];
      if (body !== undefined && step[0] === 'arrive') this.arrive(body);
      else if (body !== undefined) this.end(body);
    }
  }

  arrive(body: Body): void {
    if (body.waits || body.left === 0) return;
    const bytes = Math.min(65_536, body.left);
    const room = body.charge.take(bytes, body.left - bytes);
    const arrived = (): void => {
      body.left -= bytes;
      body.held += bytes;
      body.waits = false;
      if (body.left === 0) body.charge.complete();
    };
    if (room === undefined) return arrived();
    body.waits = true;
    // The body was aborted meanwhile.
    room.then(arrived, () => undefined);
  }

  end(body: Body): void {
    body.charge.release();
    this.bodies = this.bodies.filter((it) => it !== body);
  }

  check(): void {
    const heldBytes = (bodies: readonly Body[]) => bodies.reduce((sum, { held }) => sum + held, 0);
    expect(this.budget.takenBytes).toBeLessThanOrEqual(limits.bytes);
    expect(this.budget.takenBytes).toBeGreaterThanOrEqual(heldBytes(this.bodies));
    for (const owner of [0, 1, 2, 3, 4, 5]) {
      const own = this.bodies.filter((body) => body.owner === owner);
      expect(heldBytes(own)).toBeLessThanOrEqual(limits.bytes / 4);
    }
  }
}

describe('the body budget under any schedule', () => {
  it('stays within its limits, admits every body and releases every byte', async () => {
    const schedules = fc.asyncProperty(fc.array(step, { maxLength: 400 }), async (steps) => {
      const schedule = new Schedule();
      for (const it of steps) {
        schedule.run(it);
        await Promise.resolve();
        schedule.check();
      }
      // Callers keep sending, complete bodies are served and none is refused, so only free room ends a wait.
      while (schedule.bodies.length > 0) {
        const before = schedule.bodies.length + schedule.bodies.reduce((sum, { left }) => sum + left, 0);
        for (const body of schedule.bodies) schedule.arrive(body);
        await Promise.resolve();
        for (const body of schedule.bodies.filter(({ left }) => left === 0)) schedule.end(body);
        await Promise.resolve();
        schedule.check();
        const after = schedule.bodies.length + schedule.bodies.reduce((sum, { left }) => sum + left, 0);
        expect(after).toBeLessThan(before);
      }
      expect(schedule.budget.takenBytes).toBe(0);
    });
    await fc.assert(schedules, { numRuns: casesOf(300) });
  });
});
