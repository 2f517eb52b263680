import { describe, expect, it } from '@jest/globals';
import { NoticesPlanned, whenPlanned } from '../../../domain/notices/notices-planned.ts';

const delayed = (dueInMs: number) => new NoticesPlanned('key', ['email'], dueInMs);

/** Records the senders that a process wakes, in order. */
function woken() {
  const senders: { readonly keyId: string; readonly channel: string }[] = [];
  return { senders, onPlanned: whenPlanned((sender) => senders.push(sender)) };
}

/** The number of wakes after each announcement. */
function wakesAfter(...announced: readonly NoticesPlanned[]): number[] {
  const { senders, onPlanned } = woken();
  return announced.map((announcement) => {
    onPlanned(announcement);
    return senders.length;
  });
}

describe('planned notices', () => {
  it('wake the sender of each channel', () => {
    const { senders, onPlanned } = woken();
    onPlanned(new NoticesPlanned('key', ['email', 'slack']));
    expect(senders).toEqual([
      { keyId: 'key', channel: 'email' },
      { keyId: 'key', channel: 'slack' },
    ]);
  });

  it('wake it each time they are due at once', () => {
    expect(wakesAfter(delayed(0), delayed(0), delayed(0))).toEqual([1, 2, 3]);
  });

  it('wake it once while it sleeps until an earlier notice', () => {
    expect(wakesAfter(delayed(3_600_000), delayed(3_600_000), delayed(7_200_000))).toEqual([1, 1, 1]);
  });

  it('wake it when they are due before the notice until which it sleeps', () => {
    expect(wakesAfter(delayed(7_200_000), delayed(3_600_000), delayed(0))).toEqual([1, 2, 3]);
  });

  it('wake the sender of another key or channel', () => {
    const others = [
      new NoticesPlanned('other', ['email'], 3_600_000),
      new NoticesPlanned('key', ['slack'], 3_600_000),
    ];
    expect(wakesAfter(delayed(3_600_000), ...others)).toEqual([1, 2, 3]);
  });
});
