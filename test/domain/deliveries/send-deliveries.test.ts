import { describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import type { ClaimedDelivery } from '../../../domain/deliveries/claim-deliveries.ts';
import type { RecordedOutcome } from '../../../domain/deliveries/record-outcomes.ts';
import {
  attemptLimits,
  sendDeliveries,
  type Attempted,
  type SendOptions,
} from '../../../domain/deliveries/send-deliveries.ts';
import { eventually } from '../../support/eventually.ts';

const claimOf = (number: number): ClaimedDelivery[] =>
  Array.from({ length: number }, (_, nth) => ({
    id: String(nth),
    public_id: `dlv_${String(nth)}`,
    organization: '1',
    user: '1',
    attempts: [{ number: 1, at: 0, outcome: 'unknown', code: null, durationMs: 0 }],
    lapsed: false,
    claimed_until: '',
    notices: [],
  }));

const accepted: Attempted = {
  verdict: { result: 'accepted', code: '250', reference: null },
  provider: 'smtp',
  unknownAddress: null,
};

const optionsWith = (changes: Partial<SendOptions>): SendOptions => ({
  retryDelaysMs: [0],
  hashOf: () => Buffer.alloc(0),
  limits: attemptLimits(),
  halt: { stop: undefined },
  claimedAt: performance.now(),
  endsAt: performance.now() + 600_000,
  signal: new AbortController().signal,
  connect: async () => ({ end: () => undefined }),
  attempt: async () => accepted,
  isFailing: () => false,
  onOutcome: async () => undefined,
  ...changes,
});

describe('deliveries of one turn', () => {
  it('are attempted up to 50 beyond those whose outcomes are recorded, over all claims', async () => {
    let attempted = 0;
    const unrecorded: (() => void)[] = [];
    const options = optionsWith({
      attempt: async () => {
        attempted += 1;
        return accepted;
      },
      onOutcome: async () => new Promise<void>((resolve) => unrecorded.push(resolve)),
    });
    const claims = [sendDeliveries(claimOf(50), options), sendDeliveries(claimOf(50), options)];
    await eventually(() => expect(unrecorded).toHaveLength(50));
    expect(attempted).toBe(50);
    for (const recorded of unrecorded.splice(0, 20)) recorded();
    await eventually(() => expect(unrecorded).toHaveLength(50));
    expect(attempted).toBe(70);
    for (const recorded of unrecorded.splice(0)) recorded();
    await eventually(() => expect(attempted).toBe(100));
    for (const recorded of unrecorded.splice(0)) recorded();
    await Promise.all(claims);
  });

  it('are attempted 5 at once, over all claims', async () => {
    let now = 0;
    let peak = 0;
    const options = optionsWith({
      attempt: async () => {
        now += 1;
        peak = Math.max(peak, now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        return accepted;
      },
    });
    await Promise.all([sendDeliveries(claimOf(20), options), sendDeliveries(claimOf(20), options)]);
    expect(peak).toBe(5);
  });

  it('are released without an attempt when a provider has paused another claim', async () => {
    const attempted: string[] = [];
    const outcomes: RecordedOutcome[] = [];
    const options = optionsWith({
      attempt: async ({ id }) => {
        attempted.push(id);
        return { ...accepted, verdict: { result: 'paused', code: '429', waitMs: 7_000 } };
      },
      onOutcome: async (outcome) => void outcomes.push(outcome),
    });
    expect((await sendDeliveries(claimOf(1), options)).stop).toEqual({ reason: 'paused', pauseMs: 7_000 });
    expect((await sendDeliveries(claimOf(3), options)).stop).toBeUndefined();
    expect(attempted).toEqual(['0']);
    // Only the delivery that met the pause is sent after the others.
    expect(outcomes).toMatchObject(
      [7_000, 0, 0, 0].map((waitMs) => ({ kind: 'waits', attempts: [], waitMs })),
    );
  });

  it('that met a long pause wait 30 s, since an update of the settings may shorten the pause', async () => {
    const outcomes: RecordedOutcome[] = [];
    const verdict = { result: 'paused', code: '429', waitMs: 3_600_000 } as const;
    const options = optionsWith({
      attempt: async () => ({ ...accepted, verdict }),
      onOutcome: async (outcome) => void outcomes.push(outcome),
    });
    await sendDeliveries(claimOf(1), options);
    expect(outcomes).toMatchObject([{ kind: 'waits', attempts: [], waitMs: 30_000 }]);
  });

  it('are released without an attempt when the turn has ended', async () => {
    const outcomes: RecordedOutcome[] = [];
    const attempted: string[] = [];
    await sendDeliveries(
      claimOf(3),
      optionsWith({
        endsAt: performance.now() - 1,
        attempt: async ({ id }) => {
          attempted.push(id);
          return accepted;
        },
        onOutcome: async (outcome) => void outcomes.push(outcome),
      }),
    );
    expect(attempted).toEqual([]);
    expect(outcomes).toMatchObject(claimOf(3).map(() => ({ kind: 'waits', attempts: [], waitMs: 0 })));
  });

  it('are released without an attempt while outcomes cannot be recorded', async () => {
    const outcomes: RecordedOutcome[] = [];
    await sendDeliveries(
      claimOf(3),
      optionsWith({
        isFailing: () => outcomes.length > 0,
        limits: { ...attemptLimits(), attempts: pLimit(1), unrecorded: pLimit(1) },
        onOutcome: async (outcome) => void outcomes.push(outcome),
      }),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(['ended', 'waits', 'waits']);
  });

  it('that fail unexpectedly do not keep the others from being attempted and recorded', async () => {
    const outcomes: RecordedOutcome[] = [];
    const error = new Error('unexpected');
    const { failures } = await sendDeliveries(
      claimOf(3),
      optionsWith({
        attempt: async ({ id }) => {
          if (id === '0') throw error;
          return accepted;
        },
        onOutcome: async (outcome) => void outcomes.push(outcome),
      }),
    );
    expect(failures).toEqual([error]);
    expect(outcomes.map(({ delivery }) => delivery.id)).toEqual(['1', '2']);
  });
});
